// The events of architectural performance monitoring, by the codes that software selects.
//
// Models: the seven architectural events of knc/base/perfmon_events.def and those of this model;
// every other pair of event select and unit mask selects no event. Source: Intel SDM vol. 3,
// architectural performance events.
#ifndef KNC_PMU_PERFMON_EVENTS_H
#define KNC_PMU_PERFMON_EVENTS_H

#include <array>
#include <cstdint>
#include <string_view>

#include <knc/base/event.h>

namespace knc::pmu {

inline constexpr unsigned no_bit = 32;

struct perfmon_event {
    std::string_view name;  // INSTRUCTIONS_RETIRED
    std::uint8_t select;
    std::uint8_t umask;
    unsigned cpuid_bit;  // of leaf 0AH EBX; no_bit: an event of this model
    bool needs_l3;       // without an L3 there is no such event
    base::event cell;    // where the ledger counts it
    std::string_view meaning;
    std::string_view cause;
};

constexpr std::size_t perfmon_event_count = 0
#define KNC_PERFMON_EVENT(...) +1
#define KNC_PERFMON_MODEL_EVENT(...) +1
#include <knc/base/perfmon_events.def>
    ;

const std::array<perfmon_event, perfmon_event_count>& perfmon_events();

// The cell of an (event select, umask) pair on a card with or without an L3; base::event_count if
// there is none.
base::event find_perfmon_event(std::uint8_t select, std::uint8_t umask, bool l3);
// Each event that counts in this cell has one instruction that caused it and retired then.
bool of_instruction(base::event cell);
// The name of the event that a cell counts; empty if none counts in it.
std::string_view perfmon_name(base::event cell);

}  // namespace knc::pmu

#endif

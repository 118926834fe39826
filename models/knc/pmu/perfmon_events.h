// The events of architectural performance monitoring, by the codes that software selects.
//
// Models: the seven architectural events of knc/base/perfmon_events.def; every other pair of event
// select and unit mask selects no event. Leaves out: events of a model. Source: Intel SDM vol. 3,
// architectural performance events.
#ifndef KNC_PMU_PERFMON_EVENTS_H
#define KNC_PMU_PERFMON_EVENTS_H

#include <array>
#include <cstdint>
#include <string_view>

#include <knc/base/event.h>

namespace knc::pmu {

struct perfmon_event {
    std::string_view name;  // INSTRUCTIONS_RETIRED
    std::uint8_t select;
    std::uint8_t umask;
    unsigned cpuid_bit;  // of leaf 0AH EBX
    base::event cell;    // where the ledger counts it
    std::string_view meaning;
    std::string_view cause;
};

constexpr std::size_t perfmon_event_count = 0
#define KNC_PERFMON_EVENT(...) +1
#include <knc/base/perfmon_events.def>
    ;

const std::array<perfmon_event, perfmon_event_count>& perfmon_events();

// The cell of an (event select, umask) pair; base::event_count if there is none.
base::event find_perfmon_event(std::uint8_t select, std::uint8_t umask);
// The name of the event that a cell counts; empty if none counts in it.
std::string_view perfmon_name(base::event cell);

}  // namespace knc::pmu

#endif

// The events of a Pentium with MMX, by the codes that software selects.
//
// Models: the events of knc/base/p55c_events.def; a code without an event, or an event on a counter
// that does not have it, selects none. Leaves out: events of which this machine has no cause, see
// docs/p55c.md. Source: Intel's MMX developer's guide, chapter 6.
#ifndef KNC_PMU_P55C_EVENTS_H
#define KNC_PMU_P55C_EVENTS_H

#include <array>
#include <cstdint>
#include <string_view>

#include <knc/base/event.h>
#include <knc/pmu/event_table.h>

namespace knc::pmu {

struct p55c_event {
    std::string_view name;  // INSTRUCTIONS_EXECUTED
    std::uint8_t code;
    std::uint8_t counters;  // bit n: counter n can count it; see of_manual
    event_kind kind;
    base::event cell;  // where the ledger counts it
    std::string_view meaning;
    std::string_view cause;
};

// Bit of `counters`: only the SDM has the event.
constexpr std::uint8_t of_manual = 4;

constexpr std::size_t p55c_event_count = 0
#define KNC_P55C_EVENT(...) +1
#include <knc/base/p55c_events.def>
    ;

const std::array<p55c_event, p55c_event_count>& p55c_events();

// The event of a code on counter `n`; nullptr if there is none. `manual`: those of the SDM exist.
const p55c_event* find_p55c_event(unsigned code, std::size_t n, bool manual);
// The name of the event that a cell counts; empty if none counts in it.
std::string_view p55c_name(base::event cell);

}  // namespace knc::pmu

#endif

// The event table: the event of each pair of event select and unit mask, and the properties of each
// event.
//
// Models: the 61 (event select, umask) pairs of knc/base/events.def; every other pair selects no
// event. Leaves out: the "counter 0 only" rule of libpfm4 and Linux, which the hardware guide does
// not have (the column is for listings). Source: table 1-6 of Intel 327357-001, LIKWID for the two
// hardware-prefetch events.
#ifndef KNC_PMU_EVENT_TABLE_H
#define KNC_PMU_EVENT_TABLE_H

#include <cstdint>
#include <string_view>

#include <knc/base/event.h>

namespace knc::pmu {

enum class event_unit : std::uint8_t { p54c, cri, vpu };

// thread: the event belongs to the thread that caused it. core: it has no thread context.
enum class event_scope : std::uint8_t { thread, core };

// occurrence: the event happens. duration: the condition is true in a cycle. periodic: the same,
// but by a clock of its own, so cycles that are alike otherwise may differ in it.
enum class event_kind : std::uint8_t { occurrence, duration, periodic };

struct event_info {
    std::string_view name;  // as the guide writes it: INSTRUCTIONS_EXECUTED
    std::uint8_t select;
    std::uint8_t umask;
    event_unit unit;
    event_scope scope;
    event_kind kind;
    std::uint32_t bound;  // maximum per cycle and thread (scope core: per core)
    bool counter0_only;
    std::string_view meaning;
    std::string_view cause;
};

// `e`: an event of Knights Corner, or a cell of knc/base/perfmon_events.def or p55c_events.def, of
// which there are name, scope, kind and bound only. base::event_count has neither.
const event_info& info(base::event e);

// The bounds of the table, for default cache sizes. cache::parameters has those of other sizes.
base::event_bounds bounds_of_table();

// The event of an (event select, umask) pair, or of a name as the guide writes it;
// base::event_count if there is none.
base::event find_event(std::uint8_t select, std::uint8_t umask);
base::event find_event(std::string_view name);

}  // namespace knc::pmu

#endif

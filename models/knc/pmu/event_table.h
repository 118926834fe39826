// The event table: which event a pair of event select and unit mask names, and the properties of
// each event.
//
// Models: the 61 (event select, umask) pairs of knc/base/events.def; every other pair names
// nothing. Leaves out: the "counter 0 only" rule of libpfm4 and Linux, which the hardware guide
// does not have (the column is there for listings). Source: table 1-6 of Intel 327357-001, LIKWID
// for the two hardware-prefetch events.
#ifndef KNC_PMU_EVENT_TABLE_H
#define KNC_PMU_EVENT_TABLE_H

#include <cstdint>
#include <string_view>

#include <knc/base/event.h>

namespace knc::pmu {

enum class event_unit : std::uint8_t { p54c, cri, vpu };

// thread: belongs to the thread that caused it. core: has no thread context.
enum class event_scope : std::uint8_t { thread, core };

// occurrence: happens. duration: is true of a clock.
enum class event_kind : std::uint8_t { occurrence, duration };

struct event_info {
    std::string_view name;  // as the guide writes it: INSTRUCTIONS_EXECUTED
    std::uint8_t select;
    std::uint8_t umask;
    event_unit unit;
    event_scope scope;
    event_kind kind;
    std::uint32_t bound;  // the most one thread (scope core: the core) raises in one clock
    bool counter0_only;
    std::string_view meaning;
    std::string_view cause;
};

// `e` below base::event_count.
const event_info& info(base::event e);

// The bounds of the table, for caches of default sizes; knc/cache/parameters.h has those of others.
base::event_bounds bounds_of_table();

// The event an (event select, umask) pair or a name (as the guide writes it) stands for;
// base::event_count if none.
base::event find_event(std::uint8_t select, std::uint8_t umask);
base::event find_event(std::string_view name);

}  // namespace knc::pmu

#endif

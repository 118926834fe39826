// The machine's performance events and their ground truth.
//
// Models: an enumeration of all events and, per hardware thread, a count of each, split by the
// privilege level at which the causing instruction was issued. The cause of an event counts it
// here, whether or not a counter is armed for it; the PMU derives its counters from these counts.
// Leaves out: event selection, filtering and overflow (knc/pmu). Source: events.def,
// perfmon_events.def, p55c_events.def.
#ifndef KNC_BASE_EVENT_H
#define KNC_BASE_EVENT_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/base/data_source.h>

namespace knc::base {

enum event : std::uint8_t {
#define KNC_EVENT(name, ...) name,
#include <knc/base/events.def>
#undef KNC_EVENT
    event_count,  // of Knights Corner; in a selection: no event
// Counts that only events of architectural performance monitoring have.
#define KNC_PERFMON_CELL(name, ...) name,
#include <knc/base/perfmon_events.def>
// Counts that only events of a Pentium with MMX have.
#define KNC_P55C_CELL(name, ...) name,
#include <knc/base/p55c_events.def>
    cell_count
};

inline constexpr std::size_t threads_per_core = 4;

// Privilege as the PMU's OS and USR filters see it.
enum privilege : std::uint8_t { supervisor = 0 /* CPL 0 */, user = 1 /* CPL 1-3 */ };

// Events of Knights Corner; cell event_count, which nothing counts; cells of perfmon_events.def and
// p55c_events.def.
using event_row = std::array<std::uint64_t, cell_count>;
// counts[thread][privilege][event]
using event_counts = std::array<std::array<event_row, 2>, threads_per_core>;
// The most that one thread (scope core: the core) raises of each event in one cycle.
using event_bounds = std::array<std::uint32_t, cell_count>;

// Ground truth of one core. A source of events adds to it directly: one event costs one addition.
// Counts only grow: an event is added when it is certain to have happened.
struct ledger {
    // An event of scope core is added to every thread's row.
    event_counts counts{};
    // The present privilege of each thread.
    std::array<privilege, threads_per_core> at{};
    // Each thread's data access under way is a vector instruction's.
    std::array<bool, threads_per_core> vector_access{};
    // Where each thread's present instruction has found its data so far, the slowest of the places,
    // and the cycle of its first load that missed the L1; from the first miss to the instruction's
    // end. Only the L1 writes it.
    struct loads {
        data_source from = data_source::l1;
        std::uint64_t missed_at = 0;
    };
    std::array<loads, threads_per_core> loaded{};
    // The thread in the execution stage, or the one that left it last.
    std::uint8_t execution_stage = 0;

    // Adds `n` events to `thread` at its present privilege.
    void raise(std::size_t thread, event e, std::uint64_t n = 1) {
        counts[thread][at[thread]][e] += n;
    }
    // Adds `n` events that belong to no thread.
    void raise_core(event e, std::uint64_t n = 1) {
        for (std::size_t t = 0; t < threads_per_core; ++t) raise(t, e, n);
    }
    std::uint64_t total(std::size_t thread, event e) const {
        return counts[thread][supervisor][e] + counts[thread][user][e];
    }
};

}  // namespace knc::base

#endif

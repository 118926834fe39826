// Counting any number of events on a thread. Two of them have a counter at a time; with more, the
// APIC timer's interrupt gives the counters to the next two. Ring 0.
//
// As in perf, each event has two times in clocks: `enabled`, while the session was started, and
// `running`, while the event had a counter. They are equal with one or two events. With more,
// every clock of the session belongs to two events, so the sum of all `running` is twice `enabled`.
// The counters stand still while the interrupt is serviced; those clocks belong to neither.
//
// Leaves out: sampling (drivers/sampling); more than one session per thread.
#ifndef KNC_SW_DRIVERS_PMU_SESSION_H
#define KNC_SW_DRIVERS_PMU_SESSION_H

#include "drivers/pmu/event.h"
#include "lib/types.h"

struct pmu_count {
    struct pmu_selection what;
    // Results, complete while the session is stopped.
    u64 value;
    u64 enabled;
    u64 running;
    // The least and the most events of a clock in one turn at a counter, times 2^20. Turns of less
    // than half an interval are too short to say anything. The last turn, which pmu_session_stop()
    // ends, contains the caller's way back from its program. Neither has a part in them.
    u64 least_rate, most_rate;
    u32 turns;  // those that have a part
};

struct pmu_session {
    struct pmu_count* counts;
    u32 number;
    // Clocks of a turn, without the service between two turns: at least 1000, so that most of the
    // time is counted.
    u32 interval;
    u64 rotations;
    // The driver's own.
    u32 first;  // the event at counter 0; the next one is at counter 1
    u64 turn_begin;
    u64 clocks;  // `enabled` of all counts
};

// Takes over the calling thread's PMU, and its APIC timer if there are more than two events. Sets
// all results to 0. The user preference of SPFLT does not change. `s` must live until
// pmu_session_stop(). The timer works only with interrupts enabled.
void pmu_session_start(struct pmu_session* s);
void pmu_session_stop(struct pmu_session* s);
// Continues a stopped session; the results go on.
void pmu_session_continue(struct pmu_session* s);
// Brings the results up to date; the session goes on.
void pmu_session_read(struct pmu_session* s);

// The count that the event would have had with a counter of its own.
struct pmu_estimate {
    u64 count;  // value * enabled / running; 0 if it never ran
    // The true count lies between these if the rate of events while the event had no counter was
    // never outside of what its turns have seen, except for 1024 clocks. Without any turn of full
    // length, `most` is ~0.
    u64 least, most;
};
struct pmu_estimate pmu_estimate(const struct pmu_count* c);

#endif

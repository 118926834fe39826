// Sampling, or a counting session, on all threads of the card by one call, and its end by another.
//
// The call sends an interrupt (vector 0xE3) to each thread of the set. The thread starts a sampler
// or a session of its own, with a log of its own, and answers. A thread that has its interrupts off
// obeys when it turns them on: it does what the last call said.
//
// Leaves out: threads that the library has not started (lib/thread.h); more than one at a time.
// Ring 0.
#ifndef KNC_SW_DRIVERS_SAMPLING_ALL_H
#define KNC_SW_DRIVERS_SAMPLING_ALL_H

#include "drivers/pmu/session.h"
#include "drivers/sampling/event_based.h"
#include "drivers/sampling/log.h"
#include "drivers/sampling/time_based.h"
#include "lib/thread.h"
#include "lib/types.h"

// Of one thread.
struct sampling_member {
    u32 apic_id;
    volatile bool on;  // what the thread has been told by a call and has done
    struct event_sampler events;
    struct time_sampler time;
    struct pmu_session session;
    struct sample_log log;
};

struct sampling_all {
    // What each thread gets a copy of: one of the three. The results are those of the members.
    const struct event_sampler* events;
    const struct time_sampler* time;
    const struct pmu_session* session;
    // Of each thread's log, if it samples.
    u64 capacity;
    void (*drain)(struct sample_log*);
    // The set; NULL: all threads that run.
    bool (*takes)(const struct thread*);
    // How long the calls wait for answers, in clocks; 0: 20 million.
    u64 patience;
    // By the index of the thread. Made by the first start, and used again by further ones that need
    // no more room.
    struct sampling_member* member[MOST_THREADS];
    // The driver's own.
    u64 records_room;
    u32 counts_room;
    volatile bool on;
};

// Start and stop return how many threads have obeyed, or 0 if memory is short. Those of the set
// that have not are members with the wrong `on`. The caller is one of the threads and may have
// interrupts on or off; one thread at a time calls.
u32 sampling_all_start(struct sampling_all* all);
// When it returns, the results and logs of those that obeyed are complete. The caller stops first.
u32 sampling_all_stop(struct sampling_all* all);

#endif

// Event-based sampling: counters preset to -period; the PMI of an overflow records the interrupted
// instruction. No event is lost between samples: the service routine subtracts a period from a
// counter instead of setting it. So for each sampling counter, whenever it is stopped,
//     period * (samples + missed) + remainder == events counted since the start.
//
// Leaves out: more than one sampler per thread. Ring 0.
#ifndef KNC_SW_DRIVERS_SAMPLING_EVENT_BASED_H
#define KNC_SW_DRIVERS_SAMPLING_EVENT_BASED_H

#include "drivers/pmu/pmu.h"
#include "drivers/sampling/log.h"
#include "lib/types.h"

enum sampling_delivery { SAMPLING_FIXED, SAMPLING_NMI };

struct event_counter {
    u32 select;   // pmu_select(); 0: unused. PMU_INT is added when period is not 0
    u64 period;   // 0: counts from 0 and takes no samples
    u64 samples;  // taken, including those that did not fit into the buffer
    u64 missed;   // further periods that had passed when an overflow was serviced
};

struct event_sampler {
    struct event_counter counter[PMU_COUNTERS];
    enum sampling_delivery delivery;
    // Leaves out step 2 of the service order. Wrong on purpose: shows how a driver gets stuck.
    bool without_stop;
    // Adds to the samples of a sampler that works on another thread: keeps the buffer's contents,
    // and that sampler's periods in its header.
    bool join;
    // Where the samples go; NULL: to knc_samples. With a log, `join` does not matter.
    struct sample_log* log;
    // Throttling, if not 0. A sample that comes fewer clocks after the one before doubles the
    // distance of its counter's samples, in periods; one that comes more than four times as many
    // clocks after it halves the distance, down to one period. The periods between are `missed`,
    // so the totals remain exact.
    u64 least_clocks;
    u64 interrupts;  // PMIs serviced
    u64 idle;        // PMIs that found no status bit set
    u64 throttled;   // times that a distance was doubled
    // The driver's own.
    u64 distance[PMU_COUNTERS];  // periods from a sample to the next
    u64 last[PMU_COUNTERS];      // time of the last sample
};

// Takes over the calling thread's PMU and LVT entry 0x340 and empties the buffer knc_samples. `s`
// must live until event_sampling_stop(). Fixed delivery has an effect only with interrupts enabled.
void event_sampling_start(struct event_sampler* s);
// Starts the counters again if the log was full and now has room. Called by the sampled thread.
void event_sampling_continue(struct event_sampler* s);
// Stops the counters and masks the LVT entry. A pending PMI gets no service; its events are in the
// remainder.
void event_sampling_stop(struct event_sampler* s);
// While stopped: events since the last sample (less than a period, unless the sampler throttles),
// and all events.
u64 event_sampling_remainder(const struct event_sampler* s, unsigned counter);
u64 event_sampling_total(const struct event_sampler* s, unsigned counter);

#endif

// Time-based sampling: a periodic interrupt of the APIC timer records the interrupted instruction,
// collects the counters and starts them from 0 again. Ring 0.
#ifndef KNC_SW_DRIVERS_SAMPLING_TIME_BASED_H
#define KNC_SW_DRIVERS_SAMPLING_TIME_BASED_H

#include "drivers/pmu/pmu.h"
#include "drivers/sampling/log.h"
#include "lib/types.h"

struct time_sampler {
    u32 select[PMU_COUNTERS];  // pmu_select(); 0: unused
    u32 interval;              // timer counts between samples
    unsigned divide;           // clocks per timer count: 1, 2, 4 .. 128
    // Where the samples go; NULL: to knc_samples. While it is full, the counters are stopped; the
    // first tick that finds room starts them again, and takes no sample.
    struct sample_log* log;
    u64 ticks;                // with a sample
    u64 total[PMU_COUNTERS];  // events collected
};

// Takes over the calling thread's PMU and APIC timer; without a log empties the buffer knc_samples.
// `s` must live until time_sampling_stop().
void time_sampling_start(struct time_sampler* s);
// Stops timer and counters and adds their values to the totals.
void time_sampling_stop(struct time_sampler* s);

#endif

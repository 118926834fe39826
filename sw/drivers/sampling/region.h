// Manual instrumentation: counts of a marked region of ring 3 code. Ring 0 prepares
// (region_prepare), ring 3 brackets the region; no call crosses the rings in between.
#ifndef KNC_SW_DRIVERS_SAMPLING_REGION_H
#define KNC_SW_DRIVERS_SAMPLING_REGION_H

#include "drivers/pmu/pmu.h"
#include "lib/cpu.h"
#include "lib/types.h"

struct region {
    u64 clocks;
    u64 count[PMU_COUNTERS];
};

// Ring 0: selects the events of both counters (0: unused). They start from 0, under SPFLT control,
// readable at ring 3, and count only between SPFLT 1 and SPFLT 0.
static inline void region_prepare(u32 select0, u32 select1) {
    pmu_reset();
    if (select0 != 0) pmu_select(0, select0, 0);
    if (select1 != 0) pmu_select(1, select1, 0);
    pmu_set_filter(3, false);
    pmu_allow_user_read(true);
    pmu_start(3);
}

// Ring 3. Everything after SPFLT 1 up to and including SPFLT 0 counts; the reads do not.
static inline __attribute__((always_inline)) void region_begin(struct region* r) {
    r->count[0] = rdpmc(0);
    r->count[1] = rdpmc(1);
    r->clocks = rdtsc();
    spflt(1);
}
static inline __attribute__((always_inline)) void region_end(struct region* r) {
    spflt(0);
    r->clocks = rdtsc() - r->clocks;
    r->count[0] = (rdpmc(0) - r->count[0]) & PMU_COUNTER_MASK;
    r->count[1] = (rdpmc(1) - r->count[1]) & PMU_COUNTER_MASK;
}

#endif

// Manual instrumentation: counts of a marked region of ring 3 code. Ring 0 prepares
// (region_prepare), ring 3 brackets the region; no call crosses the rings in between.
//
// The bracket counts something itself: SPFLT 0 and what sets its operand, and between the two RDTSC
// the SPFLTs. region_overhead() measures an empty region; region_net() subtracts it. For events
// that the bracket always causes in the same number the result is exact: instructions, branches,
// data accesses. For clocks, and for misses, it is not: pairing at the edges of the region shifts
// clocks by a few, and the overhead is the least of several measurements, with warm caches.
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

// Ring 3. The least clocks and counts of empty regions. The counters run on, so measure it before
// or after the program's regions, with the same events.
#define REGION_OVERHEAD_ROUNDS 8
static inline struct region region_overhead(void) {
    struct region least = {~0ul, {~0ul, ~0ul}};
    for (u32 i = 0; i < REGION_OVERHEAD_ROUNDS; ++i) {
        struct region r;
        region_begin(&r);
        region_end(&r);
        if (r.clocks < least.clocks) least.clocks = r.clocks;
        for (u32 n = 0; n < PMU_COUNTERS; ++n)
            if (r.count[n] < least.count[n]) least.count[n] = r.count[n];
    }
    return least;
}

static inline u64 region_less(u64 value, u64 overhead) {
    return value > overhead ? value - overhead : 0;
}
// A measurement without the overhead; never below 0.
static inline struct region region_net(const struct region* r, const struct region* overhead) {
    struct region net = {region_less(r->clocks, overhead->clocks), {0, 0}};
    for (u32 n = 0; n < PMU_COUNTERS; ++n)
        net.count[n] = region_less(r->count[n], overhead->count[n]);
    return net;
}

#endif

// The two sampling methods beside the event-based one: instrumented regions at ring 3, and the
// periodic interrupt that collects and resets the counters.
#include "drivers/sampling/region.h"
#include "drivers/sampling/samples.h"
#include "drivers/sampling/time_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define N 5000ul

static USER_BSS struct region measured[2];

static u64 instrumented(u64 n) {
    // The call and the return of the loop are in the region too.
    region_begin(&measured[0]);
    kernel_loop(n);
    region_end(&measured[0]);
    kernel_loop(n);  // between the regions: not counted
    region_begin(&measured[1]);
    kernel_loop(2 * n);
    region_end(&measured[1]);
    return 0;
}

static void check_regions(void) {
    region_prepare(PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER, PMU_EVENT_BRANCHES | PMU_USER);
    user_call(instrumented, N);
    pmu_stop();
    // The compiler puts a few moves around the call; they are the same in both regions.
    const u64 around = measured[0].count[0] - KERNEL_LOOP_INSTRUCTIONS(N);
    CHECK_RANGE(around, 3, 12);
    CHECK_RANGE(measured[1].count[0] - KERNEL_LOOP_INSTRUCTIONS(2 * N), 3, 12);
    // The loop's own branches, the call and the return.
    CHECK_EQ(measured[0].count[1], N + 2);
    CHECK_EQ(measured[1].count[1], 2 * N + 2);
    CHECK(measured[0].clocks >= measured[0].count[0] / 2);
    CHECK(measured[1].clocks > measured[0].clocks);
    CHECK_EQ(pmu_read(0), measured[0].count[0] + measured[1].count[0]);
}

static void check_time_based(void) {
    static struct time_sampler s;
    s.select[0] = PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER;
    s.select[1] = PMU_EVENT_BRANCHES | PMU_USER;
    s.interval = 2500;
    s.divide = 2;
    irq_enable();
    time_sampling_start(&s);
    user_call(kernel_loop, 20 * N);
    time_sampling_stop(&s);

    // Resetting at every tick loses nothing, because the counters are stopped meanwhile.
    CHECK_EQ(s.total[0], USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(20 * N));
    // Of the loop, its return, and the call and the INT around it.
    CHECK_EQ(s.total[1], 20 * N + 3);
    CHECK(s.ticks >= 5);
    CHECK_EQ(knc_samples.count, s.ticks);
    u64 collected = 0;
    for (u32 i = 0; i < samples_stored(); ++i) {
        CHECK_EQ(knc_samples.records[i].counter, SAMPLE_TIME_BASED);
        collected += knc_samples.records[i].value;
    }
    CHECK(collected <= s.total[0]);
    printf("%lu ticks, %lu of %lu instructions collected by them\n", s.ticks, collected,
           s.total[0]);
}

int main(void) {
    check_regions();
    check_time_based();
    return check_summary();
}

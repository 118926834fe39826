// The failure that the service order prevents. A driver that does not stop the counters gets stuck
// with its line at 1 when a counter overflows after it has read STATUS and before it unmasks.
// Expected outcome: the wrong driver gets stuck, the correct one under the same load does not.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define ROUNDS 500
#define LOOP 2000

static struct event_sampler sampler;

// Counter 0 samples ring 3; counter 1 samples clocks at every ring, so it runs in the service
// routine too.
static void start(bool without_stop) {
    sampler.counter[0] =
        (struct event_counter){PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER, 1009, 0, 0};
    sampler.counter[1] =
        (struct event_counter){PMU_EVENT_CPU_CLK_UNHALTED | PMU_USER | PMU_OS, 3001, 0, 0};
    sampler.without_stop = without_stop;
    event_sampling_start(&sampler);
}

// No PMI can come any more: a status bit holds the line at 1, though the APIC would take an edge,
// and none is on its way.
static bool stuck(void) {
    const u64 before = sampler.interrupts;
    user_call(kernel_loop, LOOP);
    return sampler.interrupts == before && pmu_status() != 0 &&
           (apic_read(APIC_LVT_PERFORMANCE) & APIC_LVT_MASKED) == 0;
}

int main(void) {
    irq_enable();

    start(false);
    for (u32 i = 0; i < ROUNDS; ++i) user_call(kernel_loop, LOOP);
    CHECK(!stuck());
    event_sampling_stop(&sampler);
    const u64 events =
        (ROUNDS + 1) * (u64)(USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(LOOP));
    CHECK_EQ(event_sampling_total(&sampler, 0), events);
    CHECK_EQ(sampler.counter[0].samples + sampler.counter[0].missed, events / 1009);
    printf("right driver: %lu PMIs, not stuck\n", sampler.interrupts);

    start(true);
    u32 round = 0;
    while (round < ROUNDS && !stuck()) ++round;
    CHECK(round < ROUNDS);
    printf("wrong driver: stuck after %lu PMIs, status %u\n", sampler.interrupts, pmu_status());
    // The way out: the line falls to 0, and the counters are near overflow again.
    const u64 before = sampler.interrupts;
    pmu_stop();
    pmu_clear_status(3);
    pmu_write(0, 0 - 1009ul);
    pmu_write(1, 0 - 3001ul);
    pmu_start(3);
    user_call(kernel_loop, LOOP);
    CHECK(sampler.interrupts > before);
    event_sampling_stop(&sampler);
    return check_summary();
}

// Performance interrupts of a loop at ring 3 whose instructions are known: each overflow of a
// counter of these instructions is one interrupt, so their number follows from the period.
//
// Command line: loop=N (rounds, default 5000), period0=P, period1=P (0: the counter is off),
// nmi (the interrupts are NMIs). Marks 1 and 2: before and after the loop.
#include "drivers/sampling/event_based.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define EVENT (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)

int main(void) {
    static struct event_sampler sampler;
    const u64 loop = option_number("loop", 5000);
    const u64 periods[PMU_COUNTERS] = {option_number("period0", 1000), option_number("period1", 0)};
    for (unsigned n = 0; n < PMU_COUNTERS; ++n)
        if (periods[n] != 0)
            sampler.counter[n] = (struct event_counter){.select = EVENT, .period = periods[n]};
    sampler.delivery = option("nmi") ? SAMPLING_NMI : SAMPLING_FIXED;

    irq_enable();
    event_sampling_start(&sampler);
    platform_marker(1);
    user_call(kernel_loop, loop);
    platform_marker(2);
    event_sampling_stop(&sampler);

    const u64 events = USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(loop);
    printf("%lu interrupts\n", sampler.interrupts);
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        const struct event_counter* c = &sampler.counter[n];
        if (c->period == 0) continue;
        printf("counter %u: %lu x (%lu + %lu) + %lu instructions\n", n, c->period, c->samples,
               c->missed, event_sampling_remainder(&sampler, n));
        CHECK_EQ(event_sampling_total(&sampler, n), events);
        CHECK_EQ(c->samples + c->missed, events / c->period);
    }
    return check_summary();
}

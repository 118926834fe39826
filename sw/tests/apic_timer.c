// The APIC timer: one shot and periodic, divide settings, count down, masking, the frequency's
// relation to the divide setting.
#include "drivers/apic/apic.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/trap.h"

#define VECTOR 0x50

static volatile u32 ticks;

static void on_tick(struct trap_frame* f) {
    (void)f;
    ++ticks;
    apic_eoi();
}

// Clocks until `count` further ticks have come; gives up after `limit`.
static u64 wait_ticks(u32 count, u64 limit) {
    const u64 begin = rdtsc();
    const u32 target = ticks + count;
    while (ticks < target && rdtsc() - begin < limit) {
    }
    return rdtsc() - begin;
}

static void check_one_shot(void) {
    ticks = 0;
    apic_timer_start(VECTOR, false, 1, 20000);
    const u32 first = apic_timer_current();
    const u32 second = apic_timer_current();
    CHECK(first <= 20000 && second < first);
    wait_ticks(1, 100000000);
    CHECK_EQ(ticks, 1);
    CHECK_EQ(apic_timer_current(), 0);
    wait_ticks(1, 100000);
    CHECK_EQ(ticks, 1);
}

static void check_periodic(void) {
    ticks = 0;
    apic_timer_start(VECTOR, true, 1, 5000);
    const u64 ten = wait_ticks(10, 100000000);
    CHECK(ticks >= 10);
    const u64 twenty = wait_ticks(20, 100000000);
    // The rate is constant, to within one period, because the wait begins anywhere in a period.
    CHECK_RANGE(twenty, ten + ten / 2, ten * 3);
    apic_timer_stop();
    const u32 at_stop = ticks;
    wait_ticks(1, 100000);
    CHECK_EQ(ticks, at_stop);
    CHECK_EQ(apic_timer_current(), 0);
}

static u64 one_shot_clocks(unsigned divide, u32 initial) {
    const u64 begin = rdtsc();
    apic_timer_start(VECTOR, false, divide, initial);
    wait_ticks(1, 1000000000);
    return rdtsc() - begin;
}

// Each setting takes twice the clocks of the one before.
static void check_divide(void) {
    u64 before = one_shot_clocks(1, 4000);
    printf("timer: %lu clocks for 4000 counts\n", before);
    for (unsigned divide = 2; divide <= 128; divide *= 2) {
        const u64 now = one_shot_clocks(divide, 4000);
        CHECK_RANGE(now, before * 17 / 10, before * 22 / 10);
        before = now;
    }
}

static void check_masked(void) {
    ticks = 0;
    apic_write(APIC_TIMER_DIVIDE, 0xB);
    apic_write(APIC_LVT_TIMER, VECTOR | APIC_LVT_MASKED);
    apic_write(APIC_TIMER_INITIAL, 1000);
    wait_ticks(1, 200000);
    CHECK_EQ(ticks, 0);
    CHECK_EQ(apic_timer_current(), 0);
    // A count that ended under the mask stays lost.
    apic_write(APIC_LVT_TIMER, VECTOR);
    wait_ticks(1, 200000);
    CHECK_EQ(ticks, 0);
}

// HLT waits for the tick.
static void check_halt(void) {
    irq_disable();
    ticks = 0;
    apic_timer_start(VECTOR, false, 1, 30000);
    irq_enable_and_halt();
    CHECK_EQ(ticks, 1);
}

int main(void) {
    trap_set_handler(VECTOR, on_tick);
    irq_enable();
    check_one_shot();
    check_periodic();
    check_divide();
    check_masked();
    check_halt();
    return check_summary();
}

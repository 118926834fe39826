// The firmware's switch between time and fast-forward: what one side has written the other reads,
// and no counter counts meanwhile. Threads of this and another core go on all the time.
//
// Command line: rounds=N (default 4)
//               reset: a warm reset of the card comes first, in a fast-forward
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sbox/sbox.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "tests/kernels.h"

#define WORDS 16384u  // 128 KB: more than an L1, less than an L2
#define LOOPS 50000u
#define TIMER_VECTOR 0x40

static u64 words[WORDS] __attribute__((aligned(64)));
static struct spinlock lock;
static volatile bool stop;
static u64 counted;              // under the lock
static volatile u64 own[2];      // what each of the other threads has added
static volatile u64 interrupts;  // of the timer

static void tick(struct trap_frame* frame) {
    (void)frame;
    ++interrupts;
    apic_eoi();
}

static void count(struct thread* t) {
    while (!stop) {
        spin_lock(&lock);
        ++counted;
        spin_unlock(&lock);
        ++own[t->index - 1];
        // The lock is not fair: who tried again at once could have it for ever.
        platform_delay(1000);
    }
}

// Each word is that of the last turn; this turn adds to it.
static u64 turn(u64 number) {
    u64 wrong = 0;
    for (u64 n = 0; n < WORDS; ++n) {
        wrong += words[n] != n * number;
        words[n] += n;
    }
    return wrong;
}

// The timer's interrupt ends the HLT: its clocks pass without instructions.
static void wait_for_timer(void) {
    const u64 before = interrupts, begin = rdtsc();
    apic_timer_start(TIMER_VECTOR, false, 1, LOOPS);
    while (interrupts == before) irq_enable_and_halt();
    irq_disable();
    CHECK_RANGE(rdtsc() - begin, LOOPS, 3 * LOOPS);
}

static void round_trip(u64 number) {
    CHECK_EQ(turn(2 * number), 0);
    pmu_reset();
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS, 0);
    pmu_select(1, PMU_EVENT_CPU_CLK_UNHALTED | PMU_OS, 0);
    pmu_start(3);
    platform_fast_forward(true);
    const u64 instructions = pmu_read(0), clocks = pmu_read(1), begin = rdtsc();
    kernel_loop(LOOPS);
    CHECK_EQ(turn(2 * number + 1), 0);
    wait_for_timer();
    CHECK_EQ(pmu_read(0), instructions);
    CHECK_EQ(pmu_read(1), clocks);
    // A loop has two instructions at least, and each takes a clock.
    CHECK_RANGE(rdtsc() - begin, 3 * LOOPS, 100000000);
    platform_fast_forward(false);
    // They count again.
    kernel_loop(1000);
    pmu_stop();
    CHECK_RANGE(pmu_read(0) - instructions, 2000, 20000);
    CHECK_RANGE(pmu_read(1) - clocks, 1000, 200000);
}

// Memory is kept, and no cache has anything of it that could be lost. The fast-forward goes on.
static volatile u64 life __attribute__((section(".data"))) = 1;
static void first_life(void) {
    if (!CHECK(sbox_init())) return;
    platform_fast_forward(true);
    life = 2;
    sbox_write(SBOX_RGCR, 1);
    for (;;) kernel_loop(10);
}

int main(void) {
    if (option("reset")) {
        if (life == 1) first_life();
        const u64 begin = rdtsc();
        kernel_loop(1000);
        CHECK_RANGE(rdtsc() - begin, 2002, 2100);
        platform_fast_forward(false);
        CHECK_EQ(life, 2);
    }
    const u64 rounds = option_number("rounds", 4);
    trap_set_handler(TIMER_VECTOR, tick);
    CHECK(thread_boot(1, count) != NULL);
    CHECK(thread_boot(4, count) != NULL);
    for (u64 n = 0; n < rounds; ++n) round_trip(n);
    CHECK_EQ(turn(2 * rounds), 0);
    const u64 first = own[0], second = own[1];
    while (own[0] == first || own[1] == second) platform_delay(100);
    stop = true;
    platform_delay(1000);
    spin_lock(&lock);
    CHECK_RANGE(own[0] + own[1], counted - 2, counted);
    spin_unlock(&lock);
    CHECK_EQ(interrupts, rounds);
    return check_summary();
}

// What wakes a halted thread, and what does not: interrupts from another thread, NMI, the timer,
// the interrupt flag, priorities, INIT, and an overflow that HLT itself causes.
//
// Command line: other=ID, the thread that halts (default 1; 4 and up is on another core).
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define LOW_VECTOR 0x31
#define HIGH_VECTOR 0x71

enum order { NONE, HALT_ENABLED, HALT_DISABLED, HALT_AND_TIMER, RAISE_PRIORITY, LOWER_PRIORITY };

// Of the thread that halts.
static volatile u32 order;
static volatile u64 begun, woken;  // orders begun, and done
static volatile u64 lows, highs, nmis, ticks;
static volatile u64 rip_at_wake;
static volatile u32 flags_after;
extern char after_halt[], after_enabled_halt[];

static void on_low(struct trap_frame* f) {
    ++lows;
    rip_at_wake = f->rip;
    apic_eoi();
}
static void on_high(struct trap_frame* f) {
    ++highs;
    rip_at_wake = f->rip;
    apic_eoi();
}
static void on_nmi(struct trap_frame* f) {
    ++nmis;
    rip_at_wake = f->rip;
}
static void on_timer(struct trap_frame* f) {
    (void)f;
    ++ticks;
    apic_eoi();
}
#define TIMER_VECTOR 0x51
static volatile u64 overflows;
static void on_overflow(struct trap_frame* f) {
    (void)f;
    ++overflows;
    pmu_reset();
    apic_eoi();
}
#define OVERFLOW_VECTOR 0x61

static void obey(u32 what) {
    switch (what) {
        case HALT_AND_TIMER:
            apic_timer_start(TIMER_VECTOR, false, 1, 5000);
            irq_enable_and_halt();
            irq_disable();
            return;
        case HALT_ENABLED:
            __asm__ volatile(
                "sti\n\t"
                "hlt\n"
                ".globl after_enabled_halt\n"
                "after_enabled_halt:\n\t"
                "cli"
                :
                :
                : "memory");
            return;
        case HALT_DISABLED:
            __asm__ volatile(
                "hlt\n"
                ".globl after_halt\n"
                "after_halt:"
                :
                :
                : "memory");
            return;
        case RAISE_PRIORITY:
            write_cr8(4);
            return;
        case LOWER_PRIORITY:
            write_cr8(0);
            return;
        default:
            return;
    }
}

static void sleeper(struct thread* t) {
    (void)t;
    for (;;) {
        while (order == NONE) platform_delay(50);
        const u32 what = order;
        order = NONE;
        ++begun;
        obey(what);
        flags_after = (u32)read_rflags();
        memory_barrier();
        ++woken;
    }
}

// Waits long enough for the other thread to halt, or for a message that must not wake it.
static void settle(void) {
    for (u32 i = 0; i < 30; ++i) platform_delay(500);
}
static bool reached(const volatile u64* counter, u64 value) {
    for (u32 i = 0; i < 5000 && *counter < value; ++i) platform_delay(100);
    return *counter == value;
}
// Gives an order and waits until the thread has begun it and had time to halt.
static void tell(u32 what) {
    const u64 next = begun + 1;
    order = what;
    CHECK(reached(&begun, next));
    settle();
}

static void check_interrupt(u32 id) {
    const u64 done = woken;
    tell(HALT_ENABLED);
    CHECK_EQ(woken, done);
    const u64 sent = rdtsc();
    apic_send_fixed(id, HIGH_VECTOR);
    CHECK(reached(&woken, done + 1));
    printf("%lu clocks from the message to the thread's next line\n", rdtsc() - sent);
    CHECK_EQ(highs, 1);
    CHECK_EQ(rip_at_wake, (u64)after_enabled_halt);
}

// With the interrupt flag off only an NMI wakes the thread; the interrupt stays pending.
static void check_disabled(u32 id) {
    const u64 done = woken;
    tell(HALT_DISABLED);
    apic_send_fixed(id, HIGH_VECTOR);
    settle();
    CHECK_EQ(woken, done);
    CHECK_EQ(highs, 1);
    apic_send_nmi(id);
    CHECK(reached(&woken, done + 1));
    CHECK_EQ(nmis, 1);
    CHECK_EQ(rip_at_wake, (u64)after_halt);
    CHECK_EQ(flags_after & RFLAGS_IF, 0);
    CHECK_EQ(highs, 1);
    // STI, HLT: the thread takes the pending interrupt after HLT, which ends at once.
    tell(HALT_ENABLED);
    CHECK(reached(&woken, done + 2));
    CHECK_EQ(highs, 2);
    CHECK_EQ(rip_at_wake, (u64)after_enabled_halt);
}

// An interrupt below the task priority does not wake.
static void check_priority(u32 id) {
    tell(RAISE_PRIORITY);
    const u64 done = woken;
    tell(HALT_ENABLED);
    apic_send_fixed(id, LOW_VECTOR);
    settle();
    CHECK_EQ(woken, done);
    CHECK_EQ(lows, 0);
    apic_send_fixed(id, HIGH_VECTOR);
    CHECK(reached(&woken, done + 1));
    CHECK_EQ(lows, 0);
    CHECK_EQ(highs, 3);
    tell(LOWER_PRIORITY);
    tell(HALT_ENABLED);
    CHECK(reached(&woken, done + 3));
    CHECK_EQ(lows, 1);
}

static void check_timer(void) {
    const u64 done = woken;
    const u64 begin = rdtsc();
    order = HALT_AND_TIMER;
    CHECK(reached(&woken, done + 1));
    CHECK_EQ(ticks, 1);
    CHECK_RANGE(rdtsc() - begin, 5000, 10000);
}

// The counter overflows at STI, or at HLT: the thread halts and wakes at once. The timer is there
// so that it wakes at all.
static void check_overflow(u64 instructions) {
    const u64 before = overflows, ticked = ticks;
    trap_set_handler(OVERFLOW_VECTOR, on_overflow);
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, APIC_MODE_FIXED | OVERFLOW_VECTOR);
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_INT, 0 - instructions);
    apic_timer_start(TIMER_VECTOR, false, 1, 20000);
    const u64 begin = rdtsc();
    // WRMSR itself does not count yet.
    __asm__ volatile(
        "wrmsr\n\t"
        "sti\n\t"
        "hlt\n\t"
        "cli"
        :
        : "c"(MSR_PERF_GLOBAL_CTRL), "a"(1), "d"(0)
        : "memory");
    CHECK_RANGE(rdtsc() - begin, 1, 5000);
    apic_timer_stop();
    CHECK_EQ(overflows, before + 1);
    CHECK_EQ(ticks, ticked);
}

// Each of many halts ends by its own message; none is lost.
static void check_many(u32 id) {
    const u64 before = highs;
    for (u64 i = 1; i <= 50; ++i) {
        const u64 done = woken;
        order = HALT_ENABLED;
        // Messages at all distances from the halt, before it too.
        platform_delay((u32)(i * 7));
        apic_send_fixed(id, HIGH_VECTOR);
        CHECK(reached(&woken, done + 1));
        CHECK_EQ(highs, before + i);
    }
}

// INIT ends the halt for good; the thread starts anew.
static void check_init(u32 id) {
    tell(HALT_DISABLED);
    const u64 done = woken;
    apic_send_init(id);
    settle();
    apic_send_nmi(id);
    settle();
    CHECK_EQ(woken, done);
    CHECK_EQ(nmis, 1);
    const struct thread* again = thread_boot(id, sleeper);
    if (!CHECK(again != NULL)) return;
    const u64 begin = woken;
    tell(LOWER_PRIORITY);
    CHECK_EQ(woken, begin + 1);
}

int main(void) {
    trap_set_handler(LOW_VECTOR, on_low);
    trap_set_handler(HIGH_VECTOR, on_high);
    trap_set_handler(TIMER_VECTOR, on_timer);
    trap_set_handler(TRAP_NMI, on_nmi);
    // While no other thread of the card does anything.
    for (int i = 0; i < 3; ++i) {
        check_overflow(1);
        check_overflow(2);
    }
    const u32 id = (u32)option_number("other", 1);
    const struct thread* other = thread_boot(id, sleeper);
    if (!CHECK(other != NULL)) return check_summary();
    check_interrupt(id);
    check_disabled(id);
    check_priority(id);
    check_timer();
    check_many(id);
    check_init(id);
    return check_summary();
}

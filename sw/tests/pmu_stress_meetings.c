// The overflow interrupt and other events of its thread: the APIC's timer in the same clock,
// another NMI, priorities, HLT, and services that enable interrupts.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "tests/kernels.h"

#define VECTOR 0x60
#define LOWER 0x50
#define HIGHER 0x70

#define CLOCKS (PMU_EVENT_CPU_CLK_UNHALTED | PMU_OS)
#define INSTRUCTIONS (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS)

extern const u64 trap_stubs[];

// --- In the same clock.

// What happened, in order: 1 the overflow, 2 the timer, 3 an NMI without an overflow, 4 and 5 the
// begin and the end of another service. An NMI may come anywhere, so a slot is taken by one
// instruction.
#define MOST_EVENTS 8
static volatile u64 events;
static volatile u8 event[MOST_EVENTS];
static volatile u64 rip_of_pmi;

static void note(u8 what) {
    const u64 slot = atomic_fetch_add(&events, 1);
    if (slot < MOST_EVENTS) event[slot] = what;
}
// The events as the digits of a number.
static u32 order(void) {
    u32 number = 0;
    for (u64 n = 0; n < events; ++n) number = number * 10 + event[n];
    return number;
}

static void on_pmi(struct trap_frame* f) {
    pmu_stop();
    const u32 status = pmu_status();
    note(status != 0 ? 1 : 3);
    rip_of_pmi = f->rip;
    pmu_clear_status(status);
    apic_write(APIC_LVT_PERFORMANCE, f->vector == TRAP_NMI ? APIC_MODE_NMI : VECTOR);
    if (f->vector != TRAP_NMI) apic_eoi();
}
static void on_timer(struct trap_frame* f) {
    (void)f;
    note(2);
    apic_eoi();
}

#define WAIT 700u
// Distances of the overflow from the timer's interrupt, in clocks: more than an entry and the few
// instructions between the start of the one and of the other.
#define DISTANCES 400u

// The timer's interrupt comes WAIT clocks after its start, the overflow `distance` clocks after the
// counter's; both while the thread waits in DELAY, where it accepts an interrupt in any clock.
static void meet(u32 entry, u8 timer_vector, u32 distance) {
    pmu_reset();
    events = 0;
    apic_write(APIC_LVT_PERFORMANCE, entry);
    pmu_select(0, CLOCKS | PMU_INT, 0 - (u64)distance);
    irq_enable();
    apic_timer_start(timer_vector, false, 1, WAIT);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 1);
    platform_delay(1000);
    platform_delay(1000);
    irq_disable();
    apic_timer_stop();
}

// Returns at how many distances the thread accepted the timer's interrupt first.
static u32 timer_first(u8 timer_vector) {
    trap_set_handler(timer_vector, on_timer);
    u32 first = 0;
    for (u32 i = 0; i < DISTANCES; ++i) {
        meet(VECTOR, timer_vector, WAIT - DISTANCES / 2 + i);
        CHECK(order() == 12 || order() == 21);
        // As the overflow moves to later clocks, the order changes once.
        CHECK(order() == 21 || first == 0);
        first += order() == 21;
    }
    return first;
}

// An NMI may also come while the thread enters the timer's handler: before its first instruction.
static u32 timer_before_nmi(u8 timer_vector, u64 waiting, u32* inside) {
    u32 first = 0;
    *inside = 0;
    for (u32 i = 0; i < DISTANCES; ++i) {
        meet(APIC_MODE_NMI, timer_vector, WAIT - DISTANCES / 2 + i);
        CHECK(order() == 12 || order() == 21);
        first += order() == 21 || rip_of_pmi != waiting;
        *inside += rip_of_pmi == trap_stubs[timer_vector];
    }
    return first;
}

static void check_same_clock(void) {
    trap_set_handler(LOWER, on_timer);
    meet(VECTOR, LOWER, WAIT / 2);  // code and data come into the caches
    CHECK_EQ(order(), 12);
    const u64 waiting = rip_of_pmi;
    const u32 lower = timer_first(LOWER), higher = timer_first(HIGHER);
    CHECK(lower > 0 && higher < DISTANCES);
    // At one distance both are requested in one clock, and the priority decides. An NMI comes
    // before a vector of any priority.
    CHECK_EQ(higher, lower + 1);
    u32 inside;
    const u32 nmi = timer_before_nmi(HIGHER, waiting, &inside);
    printf("timer first at %u, %u and %u distances, %u NMIs in the entry\n", lower, higher, nmi,
           inside);
    CHECK_EQ(nmi, lower);
    CHECK_EQ(inside, option_number("entry", 40));
}

// --- Two NMIs: an overflow, and one that the thread sends itself.

static volatile u32 nmis, overflows;
static void on_nmi(struct trap_frame* f) {
    (void)f;
    pmu_stop();
    ++nmis;
    const u32 status = pmu_status();
    overflows += status != 0;
    pmu_clear_status(status);
    apic_write(APIC_LVT_PERFORMANCE, APIC_MODE_NMI);
    pmu_start(1);
}

static void check_two_nmis(void) {
    trap_set_handler(TRAP_NMI, on_nmi);
    u32 merged = 0;
    for (u32 distance = 1; distance <= DISTANCES; ++distance) {
        pmu_reset();
        nmis = overflows = 0;
        apic_write(APIC_LVT_PERFORMANCE, APIC_MODE_NMI);
        pmu_select(0, CLOCKS | PMU_INT, 0 - (u64)distance);
        wrmsr(MSR_PERF_GLOBAL_CTRL, 1);
        platform_delay(200);
        apic_write(APIC_ICR_LOW, APIC_MODE_NMI | APIC_ICR_ASSERT | APIC_ICR_SELF);
        platform_delay(300);
        CHECK_EQ(overflows, 1);  // never lost
        CHECK_RANGE(nmis, 1, 2);
        merged += nmis == 1;
        pmu_stop();
        CHECK_EQ(pmu_status(), 0);
    }
    // One NMI is pending at most. Both are one if the overflow comes in the clocks of the access to
    // the APIC (core.apic_cycles), in which the thread accepts nothing, or in the clock after it,
    // in which the other NMI is requested.
    printf("two NMIs are one at %u of %u distances\n", merged, DISTANCES);
    CHECK_EQ(merged, option_number("apic", 10) + 1);
    trap_set_handler(TRAP_NMI, on_pmi);
}

// --- Priorities.

// The line rises with this write, and not before.
static void raise(void) {
    wrmsr(MSR_PERF_EVENT_SELECT, INSTRUCTIONS | PMU_INT);
    __asm__ volatile("nop");
}
static void prepare_to_raise(u32 entry) {
    pmu_reset();
    events = 0;
    pmu_select(0, INSTRUCTIONS, PMU_COUNTER_MASK);
    supervisor_loop(1);
    CHECK_EQ(pmu_status(), 1);
    apic_write(APIC_LVT_PERFORMANCE, entry);
}

static void check_priority(bool by_cr8, u32 class) {
    prepare_to_raise(VECTOR);
    if (by_cr8)
        write_cr8(class);
    else
        apic_write(APIC_TPR, class << 4 | 0xF);
    raise();
    const bool open = class < VECTOR >> 4;
    CHECK_EQ(order(), open ? 1 : 0);
    CHECK(apic_vector_bit(APIC_IRR, VECTOR) == !open);
    // A request is not withdrawn by the status.
    if (!open) CHECK_EQ(pmu_status(), 1);
    write_cr8(0);
    __asm__ volatile("nop");
    CHECK_EQ(order(), 1);
    prepare_to_raise(APIC_MODE_NMI);
    apic_write(APIC_TPR, class << 4);
    raise();
    CHECK_EQ(order(), 1);
    apic_write(APIC_TPR, 0);
}

// In the service of another vector, with interrupts enabled.
static void on_service(struct trap_frame* f) {
    (void)f;
    note(4);
    irq_enable();
    raise();
    irq_disable();
    note(5);
    apic_eoi();
}
static void check_in_service(u8 vector, u32 wanted) {
    trap_set_handler(vector, on_service);
    prepare_to_raise(VECTOR);
    apic_send(0, APIC_MODE_FIXED | APIC_ICR_ASSERT | APIC_ICR_SELF | vector);
    __asm__ volatile("nop");
    CHECK_EQ(order(), wanted);
}

static void check_priorities(void) {
    irq_enable();
    for (u32 class = 0; class < 16; ++class) {
        check_priority(false, class);
        check_priority(true, class);
    }
    check_in_service(LOWER, 415);
    check_in_service(VECTOR + 1, 451);
    check_in_service(VECTOR - 1, 415);
    check_in_service(HIGHER, 451);
    irq_disable();
}

// --- Services that enable interrupts. Both counters count the same instructions of ring 0.

#define PERIOD 2000u
#define WORK 1500u         // two instructions each: more than a period
#define LONG_SERVICES 40u  // those with work; the others let the program go on
#define MOST_DEPTH 4
static volatile u32 depth, deepest, services, ticks;
static bool early_eoi;
static u64 periods;

static void on_nested(struct trap_frame* f) {
    (void)f;
    pmu_stop();
    ++services;
    if (++depth > deepest) deepest = depth;
    CHECK_EQ(pmu_status(), 1);
    const u64 value = pmu_read(0);
    periods += 1 + value / PERIOD;
    pmu_clear_status(1);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_write(0, value % PERIOD - PERIOD);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 3);
    if (early_eoi) apic_eoi();
    if (depth < MOST_DEPTH && services <= LONG_SERVICES) {
        irq_enable();
        kernel_loop(WORK);
        irq_disable();
    }
    if (!early_eoi) apic_eoi();
    --depth;
}
static void on_tick(struct trap_frame* f) {
    (void)f;
    ++ticks;
    apic_eoi();
}

static void nest(bool early, u8 timer_vector) {
    trap_set_handler(VECTOR, on_nested);
    trap_set_handler(timer_vector, on_tick);
    early_eoi = early;
    deepest = services = ticks = 0;
    periods = 0;
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_select(0, INSTRUCTIONS | PMU_INT, 0 - (u64)PERIOD);
    pmu_select(1, INSTRUCTIONS, 0);
    apic_timer_start(timer_vector, true, 1, 977);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 3);
    irq_enable();
    kernel_loop(20000);
    irq_disable();
    pmu_stop();
    apic_timer_stop();
    // A request that waits now is serviced without counting.
    const u64 total = periods * PERIOD + ((pmu_read(0) + PERIOD) & PMU_COUNTER_MASK);
    CHECK_EQ(total, pmu_read(1));
    CHECK(services > 10 && ticks > 10);
    CHECK_EQ(depth, 0);
    pmu_reset();
    irq_enable();
    __asm__ volatile("nop");
    irq_disable();
}

static void check_nesting(void) {
    // Before its EOI, a service is not interrupted by its own vector.
    nest(false, HIGHER);
    CHECK_EQ(deepest, 1);
    nest(false, LOWER);
    CHECK_EQ(deepest, 1);
    nest(true, HIGHER);
    CHECK_EQ(deepest, MOST_DEPTH);
    nest(true, LOWER);
    CHECK_EQ(deepest, MOST_DEPTH);
}

// --- HLT.

void meet_halt(void);
extern char meet_before_sti[], meet_after_halt[], meet_before_cli[];

// `distance`: the instruction that overflows the counter. The timer wakes a thread that nothing
// else wakes: order 21 or 12.
static void check_halt(u32 entry, u32 distance, u32 wanted, const char* rip) {
    pmu_reset();
    events = 0;
    apic_write(APIC_LVT_PERFORMANCE, entry);
    pmu_select(0, INSTRUCTIONS | PMU_INT, 0 - (u64)distance);
    apic_timer_start(LOWER, false, 1, 3000);
    meet_halt();
    apic_timer_stop();
    irq_disable();
    CHECK_EQ(order(), wanted);
    CHECK_EQ(rip_of_pmi, rip);
}

static void check_halts(void) {
    trap_set_handler(VECTOR, on_pmi);
    trap_set_handler(LOWER, on_timer);
    // While interrupts are off, and in the shadow of STI, the request waits; HLT then ends at once.
    for (u32 n = 1; n <= 4; ++n) check_halt(VECTOR, n, 1, meet_after_halt);
    for (u32 n = 3; n <= 4; ++n) check_halt(APIC_MODE_NMI, n, 1, meet_after_halt);
    // The NMI comes before HLT, which then waits for the timer.
    for (u32 n = 1; n <= 2; ++n) check_halt(APIC_MODE_NMI, n, 12, meet_before_sti);
}

// --- The write of a PMU register that overflows the counter itself: it is counted before it takes
// effect.

void meet_write(u32 msr, u64 value);

static void check_write(u32 entry, u32 msr, u64 value, u32 wanted) {
    pmu_reset();
    events = 0;
    apic_write(APIC_LVT_PERFORMANCE, entry);
    pmu_select(0, INSTRUCTIONS | PMU_INT, 0 - 5ul);
    irq_enable();
    meet_write(msr, value);
    irq_disable();
    CHECK_EQ(order(), wanted);
    // The service stopped the counters and cleared the status.
    CHECK_EQ(pmu_status(), 0);
}

static void check_writes(u32 entry) {
    const u32 select = INSTRUCTIONS | PMU_ENABLE;
    check_write(entry, MSR_PERF_GLOBAL_CTRL, 0, 1);
    CHECK_EQ(pmu_read(0), 0);
    check_write(entry, MSR_PERF_EVENT_SELECT, 0, 1);
    CHECK_EQ(pmu_read(0), 0);
    check_write(entry, MSR_PERF_EVENT_SELECT, select, 1);
    // Its value replaces what was counted.
    check_write(entry, MSR_PERF_COUNTER, 1ul << 39, 1);
    CHECK(pmu_read(0) >= 1ul << 39);
    check_write(entry, MSR_PERF_SPFLT_CONTROL, 1, 1);
    CHECK_EQ(pmu_read(0), 0);
    // The line has risen when the write lets it fall: the interrupt finds nothing.
    check_write(entry, MSR_PERF_GLOBAL_OVF_CONTROL, 1, 3);
}

int main(void) {
    trap_set_handler(VECTOR, on_pmi);
    trap_set_handler(TRAP_NMI, on_pmi);
    check_same_clock();
    check_two_nmis();
    check_priorities();
    check_nesting();
    check_halts();
    check_writes(VECTOR);
    check_writes(APIC_MODE_NMI);
    return check_summary();
}

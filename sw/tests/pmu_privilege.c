// The privilege level of the events of entry to a handler and of the return. The events of an
// instruction (INT n, SYSCALL, IRET, SYSRET) belong to the level at which it was issued. The entry
// by an exception or an interrupt belongs to CPL 0.
//
// The programs at ring 3 access no data. Handlers are one instruction, so the counts of ring 0 are
// known, too.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/user.h"

#define ROUNDS 500ul
#define SPINS 20000ul
#define GATE_VECTOR 0x85
#define TIMER_VECTOR 0x61
#define GATE_RING0 0x8E
#define GATE_RING3 0xEE

u64 region_spin(u64);
u64 region_undefined(u64);
u64 region_divide(u64);
u64 region_gate(u64);
u64 region_syscall(u64);
extern char handler_skip[], handler_return[], handler_sysret[];

static const u32 events[] = {
    PMU_EVENT_DATA_READ,          PMU_EVENT_DATA_WRITE,     PMU_EVENT_MICROCODE_CYCLES,
    PMU_EVENT_PIPELINE_FLUSHES,   PMU_EVENT_DATA_PAGE_WALK, PMU_EVENT_DATA_READ_MISS,
    PMU_EVENT_DATA_READ_OR_WRITE, PMU_EVENT_BRANCHES,       PMU_EVENT_INSTRUCTIONS_EXECUTED,
    PMU_EVENT_DATA_WRITE_MISS,    PMU_EVENT_L2_READ_MISS,   PMU_EVENT_EXEC_STAGE_CYCLES,
};
enum {
    READ,
    WRITE,
    MICROCODE,
    FLUSHES,
    WALKS,
    READ_MISS,
    READ_OR_WRITE,
    BRANCHES,
    INSTRUCTIONS,
    WRITE_MISS,
    L2_MISS,
    EXEC,
    EVENTS
};

struct counts {
    u64 user[EVENTS], os[EVENTS];
};

// Counter 0 counts at ring 3, counter 1 at ring 0, both from one SPFLT to the other; one run per
// event.
static void count(struct counts* c, user_function fn, u64 rounds) {
    user_call(fn, 8);  // lines and translations come first
    for (u32 e = 0; e < EVENTS; ++e) {
        pmu_reset();
        pmu_select(0, events[e] | PMU_USER, 0);
        pmu_select(1, events[e] | PMU_OS, 0);
        pmu_set_filter(3, false);
        pmu_start(3);
        user_call(fn, rounds);
        pmu_stop();
        c->user[e] = pmu_read(0);
        c->os[e] = pmu_read(1);
    }
}

static struct counts spin, c;

// The events that a round adds to those of the empty loop, at either level.
static u64 user_per_round(u32 e) {
    return (c.user[e] - spin.user[e]) / ROUNDS;
}
static u64 os_per_round(u32 e) {
    return c.os[e] / ROUNDS;
}
// An entry from ring 3 reads a gate, the descriptor of the code segment, and RSP of ring 0, and
// writes a frame of 40 bytes, which may lie across two lines.
static u64 frame_lines;

static void measure(user_function fn) {
    count(&c, fn, ROUNDS);
    const u64 top = this_thread()->kernel_rsp;
    frame_lines = (top - 1) / 64 - (top - 40) / 64 + 1;
    for (u32 e = 0; e < EVENTS; ++e) {
        CHECK_EQ((c.user[e] - spin.user[e]) % ROUNDS, 0);
        CHECK_EQ(c.os[e] % ROUNDS, 0);
    }
}

static void check_exception(user_function fn, u64 more_user_instructions) {
    measure(fn);
    // A faulting instruction does not count, and its clocks are not spent.
    CHECK_EQ(user_per_round(INSTRUCTIONS), more_user_instructions);
    CHECK_EQ(user_per_round(BRANCHES), 0);
    CHECK_EQ(user_per_round(READ), 0);
    CHECK_EQ(user_per_round(WRITE), 0);
    CHECK_EQ(user_per_round(READ_OR_WRITE), 0);
    CHECK_EQ(user_per_round(MICROCODE), 0);
    CHECK_EQ(user_per_round(FLUSHES), 0);
    // Entry: 40 clocks of microcode, one flush. ADD to the frame. IRET: 10 clocks, one flush.
    CHECK_EQ(os_per_round(MICROCODE), 40 + 10);
    CHECK_EQ(os_per_round(FLUSHES), 1 + 1);
    CHECK_EQ(os_per_round(BRANCHES), 1);
    CHECK_EQ(os_per_round(INSTRUCTIONS), 2);
    // IRET reads the frame and the descriptors of both segments.
    CHECK_EQ(os_per_round(READ), 3 + 1 + frame_lines + 2);
    CHECK_EQ(os_per_round(WRITE), frame_lines + 1);
}

static void check_software_interrupt(void) {
    measure(region_gate);
    // Everything belongs to INT: 16 clocks, one flush, the reads and writes of the entry.
    CHECK_EQ(user_per_round(INSTRUCTIONS), 1);
    CHECK_EQ(user_per_round(BRANCHES), 1);
    CHECK_EQ(user_per_round(READ), 3);
    CHECK_EQ(user_per_round(WRITE), frame_lines);
    CHECK_EQ(user_per_round(MICROCODE), 16);
    CHECK_EQ(user_per_round(FLUSHES), 1);
    CHECK_EQ(os_per_round(INSTRUCTIONS), 1);
    CHECK_EQ(os_per_round(READ), frame_lines + 2);
    CHECK_EQ(os_per_round(WRITE), 0);
    CHECK_EQ(os_per_round(MICROCODE), 10);
    CHECK_EQ(os_per_round(FLUSHES), 1);
}

static void check_syscall(void) {
    const u64 entry = rdmsr(MSR_LSTAR);
    pmu_reset();
    pmu_set_filter(3, false);
    wrmsr(MSR_LSTAR, (u64)handler_sysret);
    measure(region_syscall);
    wrmsr(MSR_LSTAR, entry);
    for (u32 e = READ; e <= WRITE; ++e) {
        CHECK_EQ(user_per_round(e), 0);
        CHECK_EQ(os_per_round(e), 0);
    }
    CHECK_EQ(user_per_round(MICROCODE), 10);
    CHECK_EQ(user_per_round(FLUSHES), 1);
    CHECK_EQ(os_per_round(MICROCODE), 10);
    CHECK_EQ(os_per_round(FLUSHES), 1);
}

static volatile u32 ticks;
static bool cold;

static void on_tick(struct trap_frame* f) {
    (void)f;
    ++ticks;
    if (cold) __asm__ volatile("wbinvd" : : : "memory");
    apic_eoi();
}

// Ticks come between the instructions of a loop and do not change their counts, except that the
// core fetches code anew, with misses when the handler has emptied the caches.
static void check_interrupts(u32 period) {
    trap_set_handler(TIMER_VECTOR, on_tick);
    ticks = 0;
    apic_timer_start(TIMER_VECTOR, true, 1, period);
    count(&c, region_spin, SPINS);
    apic_timer_stop();
    printf("%u ticks\n", ticks);
    CHECK(ticks >= 24);
    for (u32 e = 0; e < EVENTS; ++e) {
        if (e != L2_MISS) CHECK_EQ(c.user[e], spin.user[e]);
    }
    CHECK(c.os[READ] > 0 && c.os[WRITE] > 0);
}

int main(void) {
    irq_enable();
    trap_set_code(TRAP_UD, handler_skip, GATE_RING0);
    trap_set_code(TRAP_DE, handler_skip, GATE_RING0);
    trap_set_code(GATE_VECTOR, handler_return, GATE_RING3);

    count(&spin, region_spin, ROUNDS);
    CHECK_EQ(spin.user[INSTRUCTIONS], 2 * ROUNDS + 2);
    CHECK_EQ(spin.user[READ_OR_WRITE], 0);
    for (u32 e = 0; e < EVENTS; ++e) CHECK_EQ(spin.os[e], 0);

    check_exception(region_undefined, 0);
    check_exception(region_divide, 1);  // XOR
    check_software_interrupt();
    check_syscall();
    trap_set_gate(TRAP_UD, GATE_RING0, 0);
    trap_set_gate(TRAP_DE, GATE_RING0, 0);

    count(&spin, region_spin, SPINS);
    check_interrupts(1500);
    cold = true;
    check_interrupts(12007);
    return check_summary();
}

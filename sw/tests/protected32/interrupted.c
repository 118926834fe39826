// Task switches of about twenty accesses each, interrupted by overflows of both counters and by a
// timer whose handler empties the caches: every total is exact, and no interrupt is false.
#include "support.h"

#define OTHER_TASK_SELECTOR FREE_SELECTOR
#define ROUNDS 3000u
#define TIMER_VECTOR 0x61
#define PMI_VECTOR 0x62

// Reads of a call of the task: its descriptor, the saved part of its state (two lines), CR3, the
// trap bit, four descriptors of segments. Reads of its return: the link, and the same of the
// caller.
#define READS 9u
#define RETURN_READS 10u
// Writes of the call: the caller's state (two lines), the link, the busy bit. Writes of the return:
// the state and one busy bit.
#define WRITES 4u
#define RETURN_WRITES 3u

enum { DATA_READ = 0x00, DATA_WRITE = 0x01, USER = 1 << 16, INT = 1 << 20, ENABLE = 1 << 22 };
enum { APIC_SVR = 0x0F0, APIC_EOI = 0x0B0, APIC_TIMER = 0x320, APIC_PMI = 0x340 };
enum { APIC_INITIAL = 0x380, APIC_DIVIDE = 0x3E0, PERIODIC = 1 << 17, BY_1 = 11 };

extern u8 other_task[], timer_entry[], pmi_entry[];
u32 switch_tasks(void);
void on_pmi(void);

volatile u32 ticks, cold, job;
static u32 other_state[32] __attribute__((aligned(128)));
static u32 user_stack[64], inner_stack[256];

static u32 period[2], overflows[2], false_interrupts;
// Counts at ring 3 beside those of the rounds: the call and the return.
static u32 beside[2];

static void wrmsr(u32 msr, u32 high, u32 low) {
    __asm__ volatile("wrmsr" : : "c"(msr), "d"(high), "a"(low) : "memory");
}
static u32 rdmsr_low(u32 msr) {
    u32 low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return low;
}
static void apic_write(u32 at, u32 value) {
    *(volatile u32*)(0xFEE00000u + at) = value;
}

// A counter is at most a few thousand events past its overflow, and started at most 2^32 before it.
static void arm(u32 counter, u32 past) {
    const u32 from = past - period[counter];
    wrmsr(0x20 + counter, from > past ? 0xFF : 0, from);
}

void on_pmi(void) {
    wrmsr(0x2F, 0, 0);
    const u32 status = rdmsr_low(0x2D);
    false_interrupts += status == 0;
    for (u32 n = 0; n < 2; ++n) {
        if ((status >> n & 1) == 0) continue;
        ++overflows[n];
        arm(n, rdmsr_low(0x20 + n));
    }
    wrmsr(0x2E, 0, status);
    apic_write(APIC_PMI, PMI_VECTOR);
    wrmsr(0x2F, 0, 3);
    apic_write(APIC_EOI, 0);
}

// Runs `rounds` with both counters armed; the timer at its own period, 0: off.
static void count(u32 rounds, u32 period0, u32 period1, u32 timer) {
    const u32 event[2] = {DATA_READ, DATA_WRITE};
    period[0] = period0;
    period[1] = period1;
    ticks = false_interrupts = 0;
    for (u32 n = 0; n < 2; ++n) {
        overflows[n] = 0;
        arm(n, 0);
        wrmsr(0x28 + n, 0, event[n] | USER | INT | ENABLE);
    }
    apic_write(APIC_PMI, PMI_VECTOR);
    wrmsr(0x2F, 0, 3);
    apic_write(APIC_INITIAL, timer);
    job = rounds;
    __asm__ volatile("sti");  // run_user() comes back without
    run_user(switch_tasks);
    apic_write(APIC_INITIAL, 0);
    wrmsr(0x2F, 0, 0);
}
static u32 total(u32 n) {
    return overflows[n] * period[n] + rdmsr_low(0x20 + n) + period[n];
}

static void run(u32 period0, u32 period1, u32 timer) {
    const u32 of_round[2] = {READS + RETURN_READS, WRITES + RETURN_WRITES};
    count(ROUNDS, period0, period1, timer);
    for (u32 n = 0; n < 2; ++n) {
        const u32 want = beside[n] + ROUNDS * of_round[n];
        CHECK(total(n) == want);
        CHECK(overflows[n] == want / period[n]);
        if (total(n) == want) continue;
        print("  counted ");
        print_hex(total(n));
        print(" want ");
        print_hex(want);
        print("\n");
    }
    CHECK(false_interrupts == 0);
    CHECK(ticks >= (timer != 0 ? 4 : 0));
}

void main(void) {
    set_up();
    other_state[1] = (u32)(inner_stack + 256);
    other_state[2] = DATA_SELECTOR;
    other_state[8] = (u32)other_task;
    other_state[9] = 0x202;
    other_state[14] = (u32)(user_stack + 64);
    other_state[18] = other_state[20] = other_state[21] = USER_DATA;
    other_state[19] = USER_CODE;
    other_state[25] = 104u << 16;
    set_segment(OTHER_TASK_SELECTOR, (u32)other_state, 103, TASK | 0x60, 0);
    set_gate(TIMER_VECTOR, timer_entry, 0x8E);
    set_gate(PMI_VECTOR, pmi_entry, 0x8E);
    apic_write(APIC_SVR, 0x1FF);
    apic_write(APIC_DIVIDE, BY_1);
    apic_write(APIC_TIMER, TIMER_VECTOR | PERIODIC);
    count(1, 10000000, 10000000, 0);
    beside[0] = total(0) - READS - RETURN_READS;
    beside[1] = total(1) - WRITES - RETURN_WRITES;
    run(10000000, 10000000, 0);
    run(101, 103, 0);
    run(101, 103, 1501);
    cold = 1;
    run(10000000, 10000000, 14009);
    run(97, 61, 15013);
    finish();
}

// The overflow interrupt, by vector and NMI, at every instruction of code that exists only in
// 32-bit mode: decimal arithmetic, PUSHA and POPA, INTO, BOUND, task switches.
//
// Single steps list the boundaries between the instructions, as in pmu_stress_sweep.c; the trap
// bits of the two tasks list those of the switches. Then each instruction in turn overflows a
// counter.
#include "support.h"

#define OTHER_TASK_SELECTOR FREE_SELECTOR
enum { STEP = 1, NMI = 2, PMI_VECTOR = 0x62, TRAP_VECTOR = 0x63 };
enum { INSTRUCTIONS = 0x16, USER = 1 << 16, INT = 1 << 20, ENABLE = 1 << 22 };
enum { APIC_SVR = 0x0F0, APIC_EOI = 0x0B0, APIC_PMI = 0x340, MODE_NMI = 4 << 8 };
enum { TF = 1 << 8, RF = 1 << 16 };

struct frame {
    u32 edi, esi, ebp, unused, ebx, edx, ecx, eax;
    u32 vector, eip, cs, eflags, esp, ss;
};

extern u8 sweep_on_step[], sweep_on_nmi[], sweep_on_breakpoint[], sweep_on_into[], sweep_on_bound[],
    sweep_on_undefined[], sweep_on_pmi[], sweep_on_trap[], sweep_other_task[];
u32 sweep_kernel_old(void);
u32 sweep_kernel_traps(void);
u32 sweep_kernel_tasks(void);
void sweep_service(struct frame* f);

// Instructions of the steps: of the kernel, and three that end the steps. BOUND and UD2 of `traps`
// fault and count nothing.
static const struct kernel {
    const char* name;
    u32 (*code)(void);
    u32 instructions, traps;
} kernels[] = {{"old", sweep_kernel_old, 20 + 3, 0},
               {"traps", sweep_kernel_traps, 12 + 3, 5},
               {"tasks", sweep_kernel_tasks, 11 + 3, 0}};
#define KERNELS (sizeof kernels / sizeof kernels[0])

u32 sweep_flags, sweep_result[4];
const u32 sweep_bounds[2] = {3, 10};

static u32 other_state[32] __attribute__((aligned(128)));
static u32 other_stack[64], inner_stack[256];

#define MOST 64
static struct {
    struct frame at;
    u32 instructions;
} list[MOST];
static u32 boundaries;

static const struct kernel* present;
static u32 tracing, by_nmi, distance, expected[4];
static u32 pmis, traps, in_pairs, in_stubs;

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
static void note(const struct frame* f) {
    if (boundaries == MOST) return;
    list[boundaries].at = *f;
    list[boundaries].instructions = rdmsr_low(0x21);
    ++boundaries;
}

static int same(const struct frame* f, const struct frame* want) {
    return f->eip == want->eip && f->cs == want->cs && f->esp == want->esp && f->ss == want->ss &&
           ((f->eflags ^ want->eflags) & ~(u32)(TF | RF)) == 0 && f->eax == want->eax &&
           f->ebx == want->ebx && f->ecx == want->ecx && f->edx == want->edx &&
           f->esi == want->esi && f->edi == want->edi && f->ebp == want->ebp;
}

// At the first boundary after the instruction that overflowed, or the one after its pair.
static int at_boundary(const struct frame* f, u32 instructions) {
    u32 n = 0;
    while (n < boundaries && list[n].instructions < distance) ++n;
    for (u32 i = n; i < boundaries && i <= n + 1; ++i) {
        if (list[i].instructions != instructions || !same(f, &list[i].at)) continue;
        in_pairs += i != n;
        return 1;
    }
    return 0;
}

// An NMI before the first instruction of a handler.
static int at_stub(const struct frame* f) {
    ++in_stubs;
    const u8* const stubs[] = {sweep_on_breakpoint, sweep_on_into, sweep_on_bound,
                               sweep_on_undefined, sweep_on_trap};
    for (u32 n = 0; n < sizeof stubs / sizeof *stubs; ++n)
        if (f->eip == (u32)stubs[n]) return (int)by_nmi;
    return 0;
}

static void on_overflow(const struct frame* f) {
    wrmsr(0x2F, 0, 0);
    ++pmis;
    const u32 instructions = rdmsr_low(0x21);
    const int good = (f->cs & 3) == 0 ? at_stub(f) : at_boundary(f, instructions);
    CHECK(good);
    if (!good) {
        print(present->name);
        print(" at ");
        print_hex(f->eip);
        print(" instructions ");
        print_hex(instructions);
        print("\n");
    }
    CHECK(rdmsr_low(0x2D) == 1);
    wrmsr(0x2E, 0, 1);
    wrmsr(0x2F, 0, 3);
    if (!by_nmi) apic_write(APIC_EOI, 0);
}

void sweep_service(struct frame* f) {
    switch (f->vector) {
        case STEP:
            note(f);
            return;
        case NMI:
        case PMI_VECTOR:
            on_overflow(f);
            return;
        case BR:
        case UD:
            f->eip += 2;
    }
    ++traps;
    if (tracing) note(f);
}

// 0: without overflows; `trace`: with single steps.
static void run(u32 p, u32 trace) {
    distance = p;
    tracing = trace;
    pmis = traps = 0;
    if (trace) boundaries = 0;
    sweep_flags = trace ? TF : 0;
    other_state[8] = (u32)sweep_other_task;
    other_state[9] = 0x202 | sweep_flags;
    other_state[14] = (u32)(other_stack + 64);
    other_state[12] = 0;  // EDX
    // Bit 0 of this word: #DB when the task is entered.
    other_state[25] = 104u << 16 | trace;
    task[25] = (task[25] & ~1u) | trace;
    wrmsr(0x2F, 0, 0);
    wrmsr(0x2E, 0, 3);
    wrmsr(0x20, p != 0 ? 0xFF : 0, 0 - p);
    wrmsr(0x21, 0, 0);
    wrmsr(0x28, 0, INSTRUCTIONS | USER | ENABLE | (p != 0 ? INT : 0));
    wrmsr(0x29, 0, INSTRUCTIONS | USER | ENABLE);
    apic_write(APIC_PMI, by_nmi ? MODE_NMI : PMI_VECTOR);
    wrmsr(0x2F, 0, 3);
    __asm__ volatile("sti");  // run_user() comes back without
    CHECK(run_user(present->code) == 0);
    wrmsr(0x2F, 0, 0);
    CHECK(traps == present->traps);
}

static void sweep(const struct kernel* k) {
    present = k;
    by_nmi = in_pairs = in_stubs = 0;
    run(0, 0);
    const u32 all = rdmsr_low(0x21);
    for (u32 n = 0; n < 4; ++n) expected[n] = sweep_result[n];
    run(0, 1);
    CHECK(rdmsr_low(0x21) == all);
    const u32 first = list[0].instructions, last = list[boundaries - 1].instructions;
    CHECK(last - first == k->instructions);
    for (by_nmi = 0; by_nmi < 2; ++by_nmi) {
        for (u32 p = first; p <= last; ++p) {
            run(p, 0);
            CHECK(pmis == 1);
            CHECK(rdmsr_low(0x20) + p == all);
            CHECK(rdmsr_low(0x21) == all);
            for (u32 n = 0; n < 4; ++n) CHECK(sweep_result[n] == expected[n]);
        }
    }
    print(k->name);
    print(": boundaries ");
    print_hex(boundaries);
    print(", late by a pair ");
    print_hex(in_pairs);
    print(", in handlers ");
    print_hex(in_stubs);
    print("\n");
}

void main(void) {
    set_up();
    other_state[1] = (u32)(inner_stack + 256);
    other_state[2] = DATA_SELECTOR;
    other_state[18] = other_state[20] = other_state[21] = USER_DATA;
    other_state[19] = USER_CODE;
    set_segment(OTHER_TASK_SELECTOR, (u32)other_state, 103, TASK | 0x60, 0);
    set_gate(STEP, sweep_on_step, 0x8E);
    set_gate(NMI, sweep_on_nmi, 0x8E);
    set_gate(BP, sweep_on_breakpoint, 0xEE);
    set_gate(OF, sweep_on_into, 0xEE);
    set_gate(BR, sweep_on_bound, 0x8E);
    set_gate(UD, sweep_on_undefined, 0x8E);
    set_gate(PMI_VECTOR, sweep_on_pmi, 0x8E);
    set_gate(TRAP_VECTOR, sweep_on_trap, 0xEE);
    apic_write(APIC_SVR, 0x1FF);
    for (u32 n = 0; n < KERNELS; ++n) sweep(&kernels[n]);
    finish();
}

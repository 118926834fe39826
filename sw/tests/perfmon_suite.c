// The checks of a hypervisor's public unit tests of architectural performance monitoring, with
// their bounds: every event on every counter, through both registers of a counter. Where the
// machine is exact, the exact number as well. For the preset perfmon.
//
// Command line: n=N, the turns of the loop (the suite's own number is 1000000); brief leaves out
// what runs counter by counter; ref=R, core clocks for a reference cycle (perfmon.ref_divider);
// slow doubles the upper bounds of clocks, for a core with the times of Knights Corner.
#include "drivers/apic/apic.h"
#include "drivers/perfmon/perfmon.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/trap.h"

void suite_bracket(u64 n, const void* lines, u64 control);
void suite_spin(u64 n);

#define VECTOR 32

static u64 turns, reference;
static const void* lines;
static volatile u32 pmis;

// Bounds in turns of the loop: least * turns / 10, and so on; exact: both are 10 N + 17 or N + 2.
struct bounds {
    u32 event;
    u64 least_tenths, most_tenths;
};
static const struct bounds general[] = {
    {PERFMON_CORE_CYCLES, 10, 500},      {PERFMON_INSTRUCTIONS, 0, 0},
    {PERFMON_REFERENCE_CYCLES, 10, 300}, {PERFMON_LLC_REFERENCES, 0, 25},
    {PERFMON_LLC_MISSES, 0, 10},         {PERFMON_BRANCHES, 0, 0},
    {PERFMON_BRANCH_MISSES, 0, 1},
};
#define GENERAL (sizeof general / sizeof general[0])
static const struct bounds fixed[PERFMON_FIXED] = {{0, 100, 102}, {0, 10, 300}, {0, 1, 300}};

// The suite's bounds are for a processor that issues in each clock and has its L2 near.
static bool slow;
static u64 most(u64 tenths) {
    return turns * tenths / 10 * (slow && tenths >= 300 ? 2 : 1);
}

static void on_pmi(struct trap_frame* f) {
    (void)f;
    ++pmis;
    apic_eoi();
}

static void bracket(u64 control) {
    suite_bracket(turns, lines, control);
}

static void check_general(const struct bounds* b, u64 count) {
    switch (b->event) {
        case PERFMON_INSTRUCTIONS:
            CHECK_EQ(count, 10 * turns + 17);
            break;
        case PERFMON_BRANCHES:
            CHECK_EQ(count, turns + 2);
            break;
        case PERFMON_REFERENCE_CYCLES:
            // The suite multiplies by the rate that it has measured.
            CHECK_RANGE(count * reference, turns * b->least_tenths / 10, most(b->most_tenths));
            break;
        case PERFMON_LLC_REFERENCES:
        case PERFMON_LLC_MISSES:
            // At least the line that CLFLUSH has taken away.
            CHECK_RANGE(count, 1, turns * b->most_tenths / 10);
            break;
        default:
            CHECK_RANGE(count, turns * b->least_tenths / 10, most(b->most_tenths));
    }
}
static void check_fixed(unsigned n, u64 count) {
    CHECK_RANGE(count, turns * fixed[n].least_tenths / 10, most(fixed[n].most_tenths));
    if (n == 0) CHECK_EQ(count, 10 * turns + 17);
}

// Gives a counter its value through 0xC1 + n, or through 0x4C1 + n.
static void set_counter(unsigned n, u32 select, u64 value, u32 msr) {
    perfmon_select(n, select, 0);
    wrmsr(msr + n, value);
}

static void check_alone(u32 msr) {
    for (unsigned e = 0; e < GENERAL; ++e)
        for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
            perfmon_reset();
            set_counter(n, general[e].event | PERFMON_OS | PERFMON_USER, 0, msr);
            bracket(PERFMON_BIT(n));
            check_general(&general[e], perfmon_read(n));
            CHECK_EQ(perfmon_status(), 0);
        }
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) {
        perfmon_reset();
        perfmon_select_fixed(n, PERFMON_FIXED_OS | PERFMON_FIXED_USER, 0);
        bracket(PERFMON_FIXED_BIT(n));
        check_fixed(n, perfmon_read_fixed(n));
    }
}

// All counters at once; in three runs each event is on a counter.
static void check_together(u32 msr) {
    for (unsigned first = 0; first < GENERAL; first += 3) {
        perfmon_reset();
        for (unsigned n = 0; n < PERFMON_GENERAL; ++n)
            set_counter(n, general[(first + n) % GENERAL].event | PERFMON_OS | PERFMON_USER, 0,
                        msr);
        for (unsigned n = 0; n < PERFMON_FIXED; ++n)
            perfmon_select_fixed(n, PERFMON_FIXED_OS | PERFMON_FIXED_USER, 0);
        bracket(PERFMON_ALL);
        for (unsigned n = 0; n < PERFMON_GENERAL; ++n)
            check_general(&general[(first + n) % GENERAL], perfmon_read(n));
        for (unsigned n = 0; n < PERFMON_FIXED; ++n) check_fixed(n, perfmon_read_fixed(n));
    }
}

// A first run gives c; a counter that starts at 1 - c ends at exactly 1.
static void check_overflow(u32 msr) {
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        const u32 interrupt = n % 2 != 0 ? PERFMON_INT : 0;
        const u32 select = PERFMON_INSTRUCTIONS | PERFMON_OS | interrupt;
        perfmon_reset();
        set_counter(n, select, 0, msr);
        bracket(PERFMON_BIT(n));
        // The register of 48 bits takes no more; the other one extends the sign of 32.
        const u64 preset = 1 - perfmon_read(n);
        perfmon_reset();
        apic_write(APIC_LVT_PERFORMANCE, VECTOR);
        pmis = 0;
        set_counter(n, select, msr == MSR_A_PMC ? preset & PERFMON_MASK : preset, msr);
        bracket(PERFMON_BIT(n));
        CHECK_EQ(perfmon_read(n), 1);
        CHECK_EQ(perfmon_status(), PERFMON_BIT(n));
        perfmon_clear_status(PERFMON_BIT(n));
        CHECK_EQ(perfmon_status(), 0);
        irq_enable();
        __asm__ volatile("nop\n\tnop");
        irq_disable();
        CHECK_EQ(pmis, n % 2);
    }
    // From -1 on, the first event of any kind overflows.
    for (unsigned e = 0; e < GENERAL; ++e) {
        perfmon_reset();
        set_counter(0, general[e].event | PERFMON_OS | PERFMON_USER,
                    msr == MSR_A_PMC ? PERFMON_MASK : ~0ul, msr);
        bracket(PERFMON_BIT(0));
        CHECK_EQ(perfmon_status(), PERFMON_BIT(0));
    }
}

static void check_running_counter(u32 msr) {
    perfmon_reset();
    set_counter(0, PERFMON_INSTRUCTIONS | PERFMON_OS, 0, msr);
    perfmon_start(PERFMON_BIT(0));
    suite_spin(turns);
    wrmsr(msr, 0);
    perfmon_stop();
    CHECK_RANGE(perfmon_read(0), 1, turns - 1);
    // CMASK = 2: clocks of two instructions, fewer than there are instructions.
    set_counter(0, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_CMASK(2), 0, msr);
    bracket(PERFMON_BIT(0));
    CHECK_RANGE(perfmon_read(0), 1, 10 * turns + 16);
}

// Reference cycles by the time-stamp counter, over a loop of nothing.
static void calibrate(void) {
    perfmon_reset();
    perfmon_select(0, PERFMON_REFERENCE_CYCLES | PERFMON_OS, 0);
    perfmon_select_fixed(2, PERFMON_FIXED_OS, 0);
    const u64 spins = 100 * turns;
    perfmon_start(PERFMON_BIT(0) | PERFMON_FIXED_BIT(2));
    const u64 from = rdtsc();
    suite_spin(spins);
    const u64 clocks = rdtsc() - from;
    perfmon_stop();
    // What is outside of the two RDTSC.
    CHECK_RANGE(perfmon_read(0) * reference, clocks, clocks + 400);
    // Fixed counter 2 counts at the rate of the time-stamp counter.
    CHECK_RANGE(perfmon_read_fixed(2), clocks, clocks + 400);
    CHECK_RANGE(clocks, spins, 8 * spins);
}

int main(void) {
    turns = option_number("n", 2000);
    reference = option_number("ref", 1);
    slow = option("slow");
    lines = heap_allocate(64 * turns, 4096);
    if (!CHECK(lines != NULL)) return check_summary();
    trap_set_handler(VECTOR, on_pmi);
    irq_disable();
    static const u32 ways[] = {MSR_PMC, MSR_A_PMC};
    for (unsigned w = 0; w < 2; ++w) {
        check_together(ways[w]);
        if (option("brief")) continue;
        check_alone(ways[w]);
        check_overflow(ways[w]);
        check_running_counter(ways[w]);
    }
    calibrate();
    return check_summary();
}

// Architectural performance monitoring: CPUID, every register, exact counts of every counter,
// overflow and its interrupt, freeze, RDPMC. For the preset perfmon.
//
// Command line: line when a PMI needs a rise of (status AND INT) (perfmon.pmi); plain without PEBS
// (perfmon.pebs).
#include "drivers/perfmon/perfmon.h"

#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/probe.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/user.h"

#define N 100ul
// Of a bracket: the WRMSR that closes it counts, the one that opens it does not.
#define INSTRUCTIONS (10 * N + 17)
#define BRANCHES (N + 2)
#define VECTOR 0x60

void perfmon_bracket(u64 n, const void* lines, u64 control);

static u8 lines[64 * N] __attribute__((aligned(4096)));
static volatile u32 pmis;
static bool pebs;
static volatile u64 control_on_entry, lvt_on_entry, count_on_entry;

static void on_pmi(struct trap_frame* f) {
    (void)f;
    count_on_entry = perfmon_read_fixed(0);
    ++pmis;
    control_on_entry = rdmsr(MSR_GLOBAL_CTRL);
    lvt_on_entry = apic_read(APIC_LVT_PERFORMANCE);
    apic_eoi();
}

static void bracket(u64 control) {
    perfmon_bracket(N, lines, control);
}

// Interrupts that wait are taken.
static void take_interrupts(void) {
    irq_enable();
    __asm__ volatile("nop\n\tnop");
    irq_disable();
}

static void check_cpuid(void) {
    struct cpuid_result r = cpuid(0);
    CHECK(r.eax == 0xA || r.eax == 0xF);  // the latter with cache monitoring
    CHECK_EQ(r.ebx, 0x756E6547);          // "Genu"
    CHECK_EQ(r.edx, 0x49656E69);          // "ineI"
    CHECK_EQ(r.ecx, 0x6C65746E);          // "ntel"
    r = cpuid(1);
    CHECK_EQ(r.eax >> 8 & 15, 6);
    CHECK((r.ecx & 1u << 15) != 0);
    CHECK_EQ(r.ecx >> 2 & 1, pebs);   // DTES64
    CHECK_EQ(r.edx >> 21 & 1, pebs);  // DS
    // CLFLUSH, of lines of 8 times 8 bytes.
    CHECK_EQ(r.edx >> 19 & 1, 1);
    CHECK_EQ(r.ebx >> 8 & 0xFF, 8);
    r = cpuid(0xA);
    CHECK_EQ(r.eax, 0x07300403);  // 7 events, 48 bits, 4 counters, version 3
    CHECK_EQ(r.ebx, 0);
    CHECK_EQ(r.ecx, 0);
    CHECK_EQ(r.edx, 0x603);  // 48 bits, 3 fixed counters
}

static void check_reset(void) {
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        CHECK_EQ(rdmsr(MSR_PMC + n), 0);
        CHECK_EQ(rdmsr(MSR_PERFEVTSEL + n), 0);
    }
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) CHECK_EQ(rdmsr(MSR_FIXED_CTR + n), 0);
    CHECK_EQ(rdmsr(MSR_FIXED_CTR_CTRL), 0);
    CHECK_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
    CHECK_EQ(rdmsr(MSR_GLOBAL_CTRL), 0xF);
    CHECK_EQ(rdmsr(MSR_GLOBAL_OVF_CTRL), 0);
    CHECK_EQ(rdmsr(MSR_DEBUGCTL), 0);
    CHECK_EQ(rdmsr(MSR_PERF_CAPABILITIES), pebs ? 0x64C0 : 0x2000);
    CHECK_EQ(rdmsr(MSR_MISC_ENABLE), pebs ? 0x881 : 0x1881);
    if (!pebs) return;
    CHECK_EQ(rdmsr(MSR_PEBS_ENABLE), 0);
    CHECK_EQ(rdmsr(MSR_PEBS_DATA_CFG), 0);
    CHECK_EQ(rdmsr(MSR_DS_AREA), 0);
}

struct register_rule {
    u32 msr, count;
    u64 writable;
    bool kept;      // reads as what was written
    u64 with_pebs;  // only with PEBS
    bool only_pebs;
};
static const struct register_rule rules[] = {
    {MSR_PMC, 4, ~0ul, false, 0, false},
    {MSR_PERFEVTSEL, 4, 0xFFFFFFFF, true, PERFMON_ADAPTIVE, false},
    {MSR_MISC_ENABLE, 1, 0x1881, false, 0, false},
    {MSR_DEBUGCTL, 1, PERFMON_FREEZE | PERFMON_BRANCH_STEPS, true, 0, false},
    {MSR_FIXED_CTR, 3, PERFMON_MASK, true, 0, false},
    {MSR_PERF_CAPABILITIES, 1, 0, false, 0, false},
    {MSR_FIXED_CTR_CTRL, 1, 0xFFF, true, 0x111ul << 32, false},
    {MSR_GLOBAL_STATUS, 1, 0, false, 0, false},
    {MSR_GLOBAL_CTRL, 1, PERFMON_ALL, true, 0, false},
    {MSR_GLOBAL_OVF_CTRL, 1, PERFMON_ALL | 3ul << 62, false, 0, false},
    {MSR_PEBS_ENABLE, 1, PERFMON_ALL, true, 0, true},
    {MSR_PEBS_DATA_CFG, 1, 0xFF00000F, true, 0, true},
    {MSR_A_PMC, 4, PERFMON_MASK, true, 0, false},
    {MSR_DS_AREA, 1, (1ul << 47) - 1, true, 0, true},  // a bit above alone is not canonical
};

// No counter may count meanwhile: GLOBAL_CTRL comes with each event select at 0.
static void check_bits(const struct register_rule* r, u32 msr) {
    const u64 before = r->only_pebs ? 0 : rdmsr(msr);
    for (unsigned bit = 0; bit < 64; ++bit) {
        const u64 value = 1ul << bit;
        const struct fault f = probe_wrmsr(msr, value);
        const u64 writable = r->writable | (pebs ? r->with_pebs : 0);
        if ((writable & value) == 0 || (r->only_pebs && !pebs)) {
            CHECK(fault_is(&f, TRAP_GP, 0));
            continue;
        }
        CHECK(!f.raised);
        if (r->kept) CHECK_EQ(rdmsr(msr), value);
        if (r->kept) wrmsr(msr, 0);
    }
    if (r->kept && !r->only_pebs) wrmsr(msr, before);
}

static void check_registers(void) {
    perfmon_reset();
    for (u32 i = 0; i < sizeof rules / sizeof rules[0]; ++i)
        for (u32 n = 0; n < rules[i].count; ++n) check_bits(&rules[i], rules[i].msr + n);
    CHECK_EQ(rdmsr(MSR_MISC_ENABLE), pebs ? 0x881 : 0x1881);
    // Neither Knights Corner's registers nor the neighbours.
    static const u32 none[] = {0x20,  0x21,  0x28,  0x29,  0x2C,  0x2D,  0x2E,  0x2F,  0xC5, 0x18A,
                               0x30C, 0x391, 0x392, 0x3F0, 0x3F3, 0x3F6, 0x3F7, 0x4C5, 0x601};
    for (u32 i = 0; i < sizeof none / sizeof none[0]; ++i) {
        const struct fault read = probe_rdmsr(none[i], NULL);
        const struct fault write = probe_wrmsr(none[i], 0);
        CHECK(fault_is(&read, TRAP_GP, 0));
        CHECK(fault_is(&write, TRAP_GP, 0));
    }
}

static void check_counter_writes(void) {
    perfmon_reset();
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        // The register of 32 bits ignores 63:32 and extends the sign; the other one takes 48 bits.
        wrmsr(MSR_PMC + n, 0xFF0123456789);
        CHECK_EQ(rdmsr(MSR_PMC + n), 0x23456789);
        wrmsr(MSR_PMC + n, 0xFFFFFF0180000001);
        CHECK_EQ(rdmsr(MSR_PMC + n), 0xFFFF80000001);
        wrmsr(MSR_A_PMC + n, 0xFF0123456789);
        CHECK_EQ(rdmsr(MSR_PMC + n), 0xFF0123456789);
        CHECK_EQ(rdmsr(MSR_A_PMC + n), 0xFF0123456789);
        CHECK_EQ(rdpmc(n), 0xFF0123456789);
        wrmsr(MSR_PMC + n, ~0ul);
        CHECK_EQ(rdpmc(n), PERFMON_MASK);
    }
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) {
        wrmsr(MSR_FIXED_CTR + n, 0xFF0123456789);
        CHECK_EQ(rdpmc(PERFMON_RDPMC_FIXED(n)), 0xFF0123456789);
    }
    // However the value changes, a write is no overflow.
    CHECK_EQ(perfmon_status(), 0);
}

static u64 user_read(u64 index) {
    return rdpmc((u32)index);
}

static void check_rdpmc(void) {
    static const u32 refused[] = {4,          0x40,       0x40000003, 0x40000040,
                                  0x80000000, 0xC0000000, 0x20000000};
    for (u32 i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        const struct fault f = probe_rdpmc(refused[i], NULL);
        CHECK(fault_is(&f, TRAP_GP, 0));
    }
    // Ring 3 needs CR4.PCE.
    write_cr4(read_cr4() & ~CR4_PCE);
    struct fault f = user_catch(user_read, PERFMON_RDPMC_FIXED(1), NULL);
    CHECK(fault_is(&f, TRAP_GP, 0));
    write_cr4(read_cr4() | CR4_PCE);
    f = user_catch(user_read, PERFMON_RDPMC_FIXED(1), NULL);
    CHECK(!f.raised);
    write_cr4(read_cr4() & ~CR4_PCE);
}

// Each counter alone, then all at once.
static void check_counts(void) {
    perfmon_reset();
    bracket(0);  // the caches have the code
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        perfmon_select(n, PERFMON_INSTRUCTIONS | PERFMON_OS, 0);
        bracket(PERFMON_BIT(n));
        CHECK_EQ(perfmon_read(n), INSTRUCTIONS);
        perfmon_select(n, PERFMON_BRANCHES | PERFMON_OS, 0);
        bracket(PERFMON_BIT(n));
        CHECK_EQ(perfmon_read(n), BRANCHES);
        // Fewer clocks have two instructions than there are instructions.
        perfmon_select(n, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_CMASK(2), 0);
        bracket(PERFMON_BIT(n));
        CHECK_RANGE(perfmon_read(n), 1, INSTRUCTIONS / 2);
        // Ring 0 only has instructions of ring 0.
        perfmon_select(n, PERFMON_INSTRUCTIONS | PERFMON_USER, 0);
        bracket(PERFMON_BIT(n));
        CHECK_EQ(perfmon_read(n), 0);
        // A pair that is no event.
        perfmon_select(n, 0x0300u | PERFMON_OS, 0);
        bracket(PERFMON_BIT(n));
        CHECK_EQ(perfmon_read(n), 0);
        perfmon_select(n, 0, 0);
    }
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) {
        perfmon_select_fixed(n, PERFMON_FIXED_OS, 0);
        bracket(PERFMON_FIXED_BIT(n));
        CHECK_RANGE(perfmon_read_fixed(n), 10 * N, 50 * N);
        perfmon_select_fixed(n, 0, 0);
    }
    perfmon_select(0, PERFMON_INSTRUCTIONS | PERFMON_OS, 0);
    perfmon_select(1, PERFMON_CORE_CYCLES | PERFMON_OS, 0);
    perfmon_select(2, PERFMON_REFERENCE_CYCLES | PERFMON_OS, 0);
    perfmon_select(3, PERFMON_BRANCHES | PERFMON_OS, 0);
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) perfmon_select_fixed(n, PERFMON_FIXED_OS, 0);
    bracket(PERFMON_ALL);
    CHECK_EQ(perfmon_read(0), INSTRUCTIONS);
    CHECK_EQ(perfmon_read_fixed(0), INSTRUCTIONS);
    CHECK_EQ(perfmon_read(3), BRANCHES);
    // One clock is one reference cycle, and one of the time-stamp counter.
    CHECK_RANGE(perfmon_read(1), 10 * N / 2, 50 * N);
    CHECK_EQ(perfmon_read(2), perfmon_read(1));
    CHECK_EQ(perfmon_read_fixed(1), perfmon_read(1));
    CHECK_EQ(perfmon_read_fixed(2), perfmon_read(1));
    // A write to a counter that runs takes effect: what it has counted before is gone.
    perfmon_start(PERFMON_BIT(0));
    for (volatile unsigned n = 0; n < 100; ++n) continue;
    CHECK(rdpmc(0) > 100);
    wrmsr(MSR_PMC, 0);
    CHECK_RANGE(rdpmc(0), 1, 20);
    perfmon_stop();
}

static volatile bool other_runs, other_ends;
static void other_thread(struct thread* t) {
    (void)t;
    other_runs = true;
    while (!other_ends) __asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
}

// ANY counts the core's other thread too, general and fixed; the rest of a bracket is as before.
static void check_any(void) {
    perfmon_reset();
    if (!CHECK(thread_boot(1, other_thread) != NULL)) return;
    while (!other_runs) continue;
    perfmon_select(0, PERFMON_INSTRUCTIONS | PERFMON_OS, 0);
    perfmon_select(1, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_ANY, 0);
    perfmon_select(2, PERFMON_INSTRUCTIONS | PERFMON_USER | PERFMON_ANY, 0);
    perfmon_select_fixed(0, PERFMON_FIXED_OS | PERFMON_FIXED_ANY, 0);
    perfmon_select_fixed(1, PERFMON_FIXED_OS, 0);
    bracket(7ul | 3ul << 32);
    CHECK_EQ(perfmon_read(0), INSTRUCTIONS);
    // The other one is never slower by half.
    CHECK_RANGE(perfmon_read(1), INSTRUCTIONS * 3 / 2, 2 * perfmon_read_fixed(1));
    CHECK_EQ(perfmon_read(2), 0);
    CHECK_EQ(perfmon_read_fixed(0), perfmon_read(1));
    other_ends = true;
    // Halted, it adds nothing.
    for (volatile unsigned n = 0; n < 1000; ++n) continue;
    perfmon_reset();
    perfmon_select(1, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_ANY, 0);
    perfmon_select(3, PERFMON_CORE_CYCLES | PERFMON_OS, 0);
    perfmon_select_fixed(1, PERFMON_FIXED_OS | PERFMON_FIXED_ANY, 0);
    bracket(PERFMON_ALL);
    CHECK_EQ(perfmon_read(1), INSTRUCTIONS);
    CHECK_EQ(perfmon_read_fixed(1), perfmon_read(3));
}

static void check_branch_misses(void) {
    perfmon_reset();
    perfmon_select(0, PERFMON_BRANCH_MISSES | PERFMON_OS, 0);
    bracket(PERFMON_BIT(0));
    // The end of the loop is mispredicted, and little else.
    CHECK_RANGE(perfmon_read(0), 1, N / 10);
}

static __attribute__((noinline)) void load_every_second(const u8* from, u64 count) {
    for (u64 n = 0; n < count; ++n) (void)*(const volatile u8*)(from + 128 * n);
}

static void check_llc(void) {
    static u8 cold[64 * N] __attribute__((aligned(4096)));
    static u8 apart[128 * N] __attribute__((aligned(4096)));
    perfmon_reset();
    // Every second line: the prefetcher follows no stream, so each access is the first to ask the
    // L3 for its line. The page walks beside them are none.
    u64 references = 0, misses = 0;
    for (unsigned pass = 0; pass < 2; ++pass) {
        perfmon_select(0, PERFMON_LLC_REFERENCES | PERFMON_OS, 0);
        perfmon_select(1, PERFMON_LLC_MISSES | PERFMON_OS, 0);
        perfmon_start(3);
        // The first pass brings the code.
        load_every_second(pass == 0 ? lines : apart, pass == 0 ? 1 : N);
        perfmon_stop();
        references = perfmon_read(0);
        misses = perfmon_read(1);
    }
    CHECK_EQ(references, N);
    CHECK_EQ(misses, N);
    // One line after another: the prefetcher has brought most of them into the L2.
    perfmon_select(0, PERFMON_LLC_REFERENCES | PERFMON_OS, 0);
    perfmon_select(1, PERFMON_LLC_MISSES | PERFMON_OS, 0);
    perfmon_bracket(N, cold, 3);
    CHECK_RANGE(perfmon_read(0), 1, N - 1);
    CHECK_RANGE(perfmon_read(1), 1, perfmon_read(0));
    // Now all are in the L1.
    perfmon_select(0, PERFMON_LLC_REFERENCES | PERFMON_OS, 0);
    perfmon_select(1, PERFMON_LLC_MISSES | PERFMON_OS, 0);
    perfmon_bracket(N, cold, 3);
    CHECK_EQ(perfmon_read(0), 0);
    CHECK_EQ(perfmon_read(1), 0);
}

// A counter that starts at 1 - c, of an event that the bracket has c times, ends at exactly 1.
static void check_overflow(void) {
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        const u32 interrupt = n % 2 != 0 ? PERFMON_INT : 0;
        perfmon_reset();
        apic_write(APIC_LVT_PERFORMANCE, VECTOR);
        pmis = 0;
        perfmon_select(n, PERFMON_INSTRUCTIONS | PERFMON_OS | interrupt, 1 - INSTRUCTIONS);
        bracket(PERFMON_BIT(n));
        CHECK_EQ(perfmon_read(n), 1);
        CHECK_EQ(perfmon_status(), PERFMON_BIT(n));
        perfmon_clear_status(PERFMON_ALL & ~PERFMON_BIT(n));
        CHECK_EQ(perfmon_status(), PERFMON_BIT(n));
        perfmon_clear_status(PERFMON_BIT(n));
        CHECK_EQ(perfmon_status(), 0);
        CHECK_EQ(pmis, 0);
        take_interrupts();
        CHECK_EQ(pmis, n % 2);
        if (n % 2 != 0) CHECK_EQ(lvt_on_entry, VECTOR | APIC_LVT_MASKED);
    }
    for (unsigned with = 0; with < 2; ++with) {
        perfmon_reset();
        apic_write(APIC_LVT_PERFORMANCE, VECTOR);
        pmis = 0;
        perfmon_select_fixed(0, PERFMON_FIXED_OS | (with ? PERFMON_FIXED_INT : 0),
                             1 - INSTRUCTIONS);
        bracket(PERFMON_FIXED_BIT(0));
        CHECK_EQ(perfmon_read_fixed(0), 1);
        CHECK_EQ(perfmon_status(), PERFMON_FIXED_BIT(0));
        take_interrupts();
        CHECK_EQ(pmis, with);
    }
}

// With the status bit still set, each overflow interrupts again, if requests are pulses.
static void check_pulses(bool pulses) {
    perfmon_reset();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmis = 0;
    perfmon_select(1, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_INT, 0);
    for (unsigned round = 0; round < 2; ++round) {
        // INT stays set: clearing it would let the line fall.
        wrmsr(MSR_A_PMC + 1, (0 - 100ul) & PERFMON_MASK);
        bracket(PERFMON_BIT(1));
        take_interrupts();
        apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    }
    CHECK_EQ(pmis, pulses ? 2 : 1);
    // While the entry is masked, the PMI is lost; the status bit stays.
    perfmon_clear_status(PERFMON_ALL);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR | APIC_LVT_MASKED);
    pmis = 0;
    perfmon_select(1, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_INT, 0 - 100ul);
    bracket(PERFMON_BIT(1));
    take_interrupts();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    take_interrupts();
    CHECK_EQ(pmis, 0);
    CHECK_EQ(perfmon_status(), PERFMON_BIT(1));
}

// The counters stop at the overflow, in front of the handler.
static void check_freeze(void) {
    perfmon_reset();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    wrmsr(MSR_DEBUGCTL, PERFMON_FREEZE);
    pmis = 0;
    perfmon_select(2, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_INT, 0 - 100ul);
    perfmon_select_fixed(0, PERFMON_FIXED_OS, 0);
    bracket(PERFMON_BIT(2) | PERFMON_FIXED_BIT(0));
    take_interrupts();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(control_on_entry, 0);
    // The hundredth instruction, and perhaps the second one of its clock.
    CHECK_RANGE(perfmon_read(2), 0, 1);
    CHECK_EQ(perfmon_read_fixed(0), 100 + perfmon_read(2));
    CHECK_EQ(count_on_entry, perfmon_read_fixed(0));
    CHECK_EQ(perfmon_status(), PERFMON_BIT(2));
    perfmon_reset();
}

int main(void) {
    trap_set_handler(VECTOR, on_pmi);
    irq_disable();
    pebs = !option("plain");
    check_cpuid();
    check_reset();
    check_registers();
    check_counter_writes();
    check_rdpmc();
    check_counts();
    check_any();
    check_branch_misses();
    check_llc();
    check_overflow();
    check_pulses(!option("line"));
    check_freeze();
    return check_summary();
}

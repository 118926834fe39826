// Every PMU register: reset value, width, access, reserved bits; RDPMC's index; refusal at ring 3.
//
// Command line: reserved=ignore when the platform drops reserved bits (pmu.reserved_bits).
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/probe.h"
#include "lib/user.h"

struct register_rule {
    u32 msr;
    bool readable;
    u64 writable;  // bits that take any value; 0: read only
};
static const struct register_rule rules[] = {
    {MSR_PERF_COUNTER + 0, true, PMU_COUNTER_MASK},
    {MSR_PERF_COUNTER + 1, true, PMU_COUNTER_MASK},
    {MSR_PERF_EVENT_SELECT + 0, true, 0xFFF7FFFF},
    {MSR_PERF_EVENT_SELECT + 1, true, 0xFFF7FFFF},
    {MSR_PERF_SPFLT_CONTROL, true, PMU_USER_PREFERENCE | 3},
    {MSR_PERF_GLOBAL_STATUS, true, 0},
    {MSR_PERF_GLOBAL_OVF_CONTROL, false, 3},
    {MSR_PERF_GLOBAL_CTRL, true, 3},
};
#define RULES (sizeof rules / sizeof rules[0])

static void check_reset(void) {
    for (u32 i = 0; i < RULES; ++i) {
        if (rules[i].readable) CHECK_EQ(rdmsr(rules[i].msr), 0);
    }
}

static void check_bits(const struct register_rule* r, bool gp) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        const u64 value = 1ul << bit;
        const struct fault f = probe_wrmsr(r->msr, value);
        const bool accepted = (r->writable & value) != 0;
        if (accepted || (!gp && r->writable != 0)) {
            CHECK(!f.raised);
            if (r->readable) CHECK_EQ(rdmsr(r->msr), accepted ? value : 0);
        } else {
            CHECK(fault_is(&f, TRAP_GP, 0));
        }
        if (r->readable && r->writable != 0) wrmsr(r->msr, 0);
    }
}

static void check_access(const struct register_rule* r, bool gp) {
    u64 value = 0;
    const struct fault f = probe_rdmsr(r->msr, &value);
    if (r->readable) {
        CHECK(!f.raised);
    } else {
        CHECK(fault_is(&f, TRAP_GP, 0));
    }
    check_bits(r, gp);
    if (r->writable == 0 || !r->readable) return;
    wrmsr(r->msr, r->writable);
    CHECK_EQ(rdmsr(r->msr), r->writable);
    if (gp) {
        // A refused write changes nothing.
        CHECK(probe_wrmsr(r->msr, ~0ul).raised);
        CHECK_EQ(rdmsr(r->msr), r->writable);
    }
    wrmsr(r->msr, 0);
    CHECK_EQ(rdmsr(r->msr), 0);
}

// A write sets all 40 bits: no extension of bit 31, and no overflow however the value changes.
static void check_counter_write(void) {
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        pmu_write(n, 0xFFFFFFFF);
        CHECK_EQ(pmu_read(n), 0xFFFFFFFF);
        CHECK_EQ(rdpmc(n), 0xFFFFFFFF);
        pmu_write(n, PMU_COUNTER_MASK);
        CHECK_EQ(rdpmc(n), PMU_COUNTER_MASK);
        pmu_write(n, 0);
        CHECK_EQ(pmu_status(), 0);
    }
}

static void check_rdpmc_index(void) {
    static const u32 refused[] = {2, 3, 0x10, 0x40000000, 0x80000000, 0xFFFFFFFF};
    for (u32 i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        const struct fault f = probe_rdpmc(refused[i], NULL);
        CHECK(fault_is(&f, TRAP_GP, 0));
    }
    pmu_write(0, 11);
    pmu_write(1, 22);
    CHECK_EQ(rdpmc(0), 11);
    CHECK_EQ(rdpmc(1), 22);
}

// Numbers beside the PMU's registers, which do not exist.
static void check_unknown(void) {
    static const u32 unknown[] = {0x22, 0x23, 0x2A, 0x2B};
    for (u32 i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
        const struct fault read = probe_rdmsr(unknown[i], NULL);
        const struct fault write = probe_wrmsr(unknown[i], 0);
        CHECK(fault_is(&read, TRAP_GP, 0));
        CHECK(fault_is(&write, TRAP_GP, 0));
    }
}

static void check_tsc(void) {
    const u64 high = 0x123456789ABCDEF0;
    wrmsr(MSR_TSC, high);
    const u64 by_rdtsc = rdtsc();
    const u64 by_rdmsr = rdmsr(MSR_TSC);
    CHECK(by_rdtsc >= high && by_rdtsc < high + 1000000);
    CHECK(by_rdmsr > by_rdtsc);
    // The time-stamp counter runs whatever GLOBAL_CTRL says.
    pmu_stop();
    const u64 before = rdtsc();
    CHECK(rdtsc() > before);
}

static u64 user_rdmsr(u64 msr) {
    return rdmsr((u32)msr);
}
static u64 user_wrmsr(u64 msr) {
    wrmsr((u32)msr, 0);
    return 0;
}

static void check_ring3(void) {
    for (u32 i = 0; i < RULES; ++i) {
        const struct fault read = user_catch(user_rdmsr, rules[i].msr, NULL);
        const struct fault write = user_catch(user_wrmsr, rules[i].msr, NULL);
        CHECK(fault_is(&read, TRAP_GP, 0) && read.cpl == 3);
        CHECK(fault_is(&write, TRAP_GP, 0) && write.cpl == 3);
    }
}

int main(void) {
    const bool gp = !option("reserved=ignore");
    check_reset();
    for (u32 i = 0; i < RULES; ++i) check_access(&rules[i], gp);
    check_counter_write();
    check_rdpmc_index();
    check_unknown();
    check_tsc();
    check_ring3();
    return check_summary();
}

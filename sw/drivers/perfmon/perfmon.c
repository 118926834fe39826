#include "drivers/perfmon/perfmon.h"

#include "lib/cpu.h"

void perfmon_select(unsigned counter, u32 select, u64 from) {
    // The counter is off while the selection changes, so it never counts by a mixture of two.
    wrmsr(MSR_PERFEVTSEL + counter, 0);
    wrmsr(MSR_A_PMC + counter, from & PERFMON_MASK);
    wrmsr(MSR_PERFEVTSEL + counter, select | PERFMON_ENABLE);
}

void perfmon_select_fixed(unsigned counter, u32 bits, u64 from) {
    const u64 others = rdmsr(MSR_FIXED_CTR_CTRL) & ~(0xful << 4 * counter);
    wrmsr(MSR_FIXED_CTR_CTRL, others);
    wrmsr(MSR_FIXED_CTR + counter, from & PERFMON_MASK);
    wrmsr(MSR_FIXED_CTR_CTRL, others | (u64)bits << 4 * counter);
}

void perfmon_start(u64 mask) {
    wrmsr(MSR_GLOBAL_CTRL, mask);
}

void perfmon_stop(void) {
    wrmsr(MSR_GLOBAL_CTRL, 0);
}

u64 perfmon_read(unsigned counter) {
    return rdmsr(MSR_PMC + counter);
}

u64 perfmon_read_fixed(unsigned counter) {
    return rdmsr(MSR_FIXED_CTR + counter);
}

u64 perfmon_status(void) {
    return rdmsr(MSR_GLOBAL_STATUS);
}

void perfmon_clear_status(u64 mask) {
    wrmsr(MSR_GLOBAL_OVF_CTRL, mask);
}

void perfmon_reset(void) {
    perfmon_stop();
    wrmsr(MSR_DEBUGCTL, 0);
    wrmsr(MSR_FIXED_CTR_CTRL, 0);
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        wrmsr(MSR_PERFEVTSEL + n, 0);
        wrmsr(MSR_PMC + n, 0);
    }
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) wrmsr(MSR_FIXED_CTR + n, 0);
    perfmon_clear_status(PERFMON_ALL);
}

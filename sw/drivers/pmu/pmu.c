#include "drivers/pmu/pmu.h"

#include "lib/cpu.h"

#define ALL ((1u << PMU_COUNTERS) - 1)

void pmu_select(unsigned counter, u32 select, u64 from) {
    // The counter is off while the selection changes, so it never counts by a mixture of two.
    wrmsr(MSR_PERF_EVENT_SELECT + counter, 0);
    wrmsr(MSR_PERF_COUNTER + counter, from & PMU_COUNTER_MASK);
    wrmsr(MSR_PERF_EVENT_SELECT + counter, select | PMU_ENABLE);
}

void pmu_start(u32 mask) {
    wrmsr(MSR_PERF_GLOBAL_CTRL, rdmsr(MSR_PERF_GLOBAL_CTRL) | (mask & ALL));
}

u32 pmu_stop(void) {
    const u32 running = (u32)rdmsr(MSR_PERF_GLOBAL_CTRL);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
    return running;
}

u64 pmu_read(unsigned counter) {
    return rdmsr(MSR_PERF_COUNTER + counter);
}

void pmu_write(unsigned counter, u64 value) {
    wrmsr(MSR_PERF_COUNTER + counter, value & PMU_COUNTER_MASK);
}

u32 pmu_status(void) {
    return (u32)rdmsr(MSR_PERF_GLOBAL_STATUS);
}

void pmu_clear_status(u32 mask) {
    wrmsr(MSR_PERF_GLOBAL_OVF_CONTROL, mask & ALL);
}

void pmu_set_filter(u32 mask, bool preference) {
    wrmsr(MSR_PERF_SPFLT_CONTROL, (mask & ALL) | (preference ? PMU_USER_PREFERENCE : 0));
}

void pmu_allow_user_read(bool allow) {
    write_cr4(allow ? read_cr4() | CR4_PCE : read_cr4() & ~CR4_PCE);
}

void pmu_reset(void) {
    pmu_stop();
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        wrmsr(MSR_PERF_EVENT_SELECT + n, 0);
        pmu_write(n, 0);
    }
    pmu_set_filter(0, false);
    pmu_clear_status(ALL);
}

// INIT does not change the PMU: a second thread sets its registers, is stopped by INIT and started
// again, and finds every register as it was. After a cold reset all were 0.
//
// Command line: other=ID, the APIC ID of the thread (default: the boot thread's neighbour in its
// core).
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/thread.h"
#include "tests/kernels.h"

#define FILTER (PMU_USER_PREFERENCE | 2)

static volatile u32 ready;

// Counter 0 has overflowed and is stopped; counter 1 holds a value.
static void set_up(struct thread* t) {
    (void)t;
    CHECK_EQ(rdmsr(MSR_PERF_COUNTER), 0);
    CHECK_EQ(rdmsr(MSR_PERF_COUNTER + 1), 0);
    CHECK_EQ(rdmsr(MSR_PERF_EVENT_SELECT), 0);
    CHECK_EQ(rdmsr(MSR_PERF_EVENT_SELECT + 1), 0);
    CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), 0);
    CHECK_EQ(rdmsr(MSR_PERF_GLOBAL_STATUS), 0);
    CHECK_EQ(rdmsr(MSR_PERF_GLOBAL_CTRL), 0);
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS, 0 - 5ul);
    supervisor_loop(10);
    pmu_select(1, PMU_EVENT_BRANCHES | PMU_USER, 0x123456789A);
    wrmsr(MSR_PERF_SPFLT_CONTROL, FILTER);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 2);
    apic_write(APIC_LVT_PERFORMANCE, 0x60);
    ready = 1;
}

static void look(struct thread* t) {
    (void)t;
    CHECK_EQ(rdmsr(MSR_PERF_COUNTER), SUPERVISOR_LOOP_INSTRUCTIONS(10) - 5);
    CHECK_EQ(rdmsr(MSR_PERF_COUNTER + 1), 0x123456789A);
    CHECK_EQ(rdmsr(MSR_PERF_EVENT_SELECT), PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_ENABLE);
    CHECK_EQ(rdmsr(MSR_PERF_EVENT_SELECT + 1), PMU_EVENT_BRANCHES | PMU_USER | PMU_ENABLE);
    CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), FILTER);
    CHECK_EQ(rdmsr(MSR_PERF_GLOBAL_STATUS), 1);
    CHECK_EQ(rdmsr(MSR_PERF_GLOBAL_CTRL), 2);
    // Of the APIC, INIT keeps only the ID.
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), APIC_LVT_MASKED);
    ready = 2;
}

static bool reached(u32 value) {
    for (u32 i = 0; i < 100000 && ready != value; ++i) platform_delay(100);
    return ready == value;
}

int main(void) {
    const u32 other = (u32)option_number("other", apic_id() ^ 1);
    const u64 before = rdtsc();
    const struct thread* first = thread_boot(other, set_up);
    if (CHECK(first != NULL) && CHECK(reached(1))) {
        const struct thread* second = thread_boot(other, look);
        CHECK(second != NULL && reached(2) && second->apic_id == other);
    }
    // The core's clock counts through the INIT of one of its threads.
    CHECK(rdtsc() > before);
    return check_summary();
}

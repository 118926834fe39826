// Steps for a time line and a log of the run: functions that call each other, a performance
// interrupt in one of them, messages from the boot thread to the thread with APIC ID 1 and back, a
// mark, an MSR that does not exist.
//
// The clocks are the test's (tests/integration/timeline.sh, log.sh); the firmware checks only that
// each step has happened.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/probe.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "tests/kernels.h"

#define PMI_VECTOR 0x60
#define PING 0x70
#define PONG 0x71
#define MISSING_MSR 0x1234

static volatile u32 pmis, pings, pongs;

__attribute__((noinline)) static void serviced(void) {
    ++pmis;
    apic_eoi();
}
static void on_pmi(struct trap_frame* f) {
    (void)f;
    pmu_clear_status(1);
    serviced();
}
static void on_ping(struct trap_frame* f) {
    (void)f;
    ++pings;
    apic_eoi();
    apic_send_fixed(0, PONG);
}
static void on_pong(struct trap_frame* f) {
    (void)f;
    ++pongs;
    apic_eoi();
}

__attribute__((noinline)) static u64 inner(u64 n) {
    return kernel_loop(n) + 1;
}
__attribute__((noinline)) static u64 outer(void) {
    return inner(2) + inner(3);
}

// Sleeps until interrupts come.
static void other_main(struct thread* t) {
    (void)t;
    for (;;) __asm__ volatile("sti\n\thlt");
}

int main(void) {
    trap_set_handler(PMI_VECTOR, on_pmi);
    trap_set_handler(PING, on_ping);
    trap_set_handler(PONG, on_pong);
    irq_enable();
    CHECK_EQ(outer(), 2);

    // The counter overflows in the loop.
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, PMI_VECTOR);
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_INT, 0 - 20ul);
    pmu_start(1);
    inner(50);
    pmu_stop();
    CHECK_EQ(pmis, 1);

    platform_marker(7);
    struct fault f = probe_rdmsr(MISSING_MSR, NULL);
    CHECK(fault_is(&f, TRAP_GP, 0));

    CHECK(thread_boot(1, other_main) != NULL);
    platform_delay(1000);
    apic_send_fixed(1, PING);
    while (pongs == 0) platform_delay(100);
    CHECK_EQ(pings, 1);
    return check_summary();
}

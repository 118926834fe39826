// A sampling driver with a mistake: its service routine leaves out one step. The load is a loop at
// ring 3 with a known number of instructions.
//
// Command line: forget=unmask|eoi|clear (otherwise nothing), loop=N (rounds, default 4997),
// period=P (default 1000). With the defaults the load has ten periods. Marks 1 and 2: around the
// load.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define VECTOR 0x60
#define EVENT (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)

static u64 period;
static bool clear, unmask, eoi;  // the steps that are not left out
static volatile u64 interrupts;

static void service(struct trap_frame* f) {
    (void)f;
    ++interrupts;
    const u32 running = pmu_stop(), status = pmu_status();
    if (clear) pmu_clear_status(status);
    if (unmask) apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_write(0, pmu_read(0) - period);
    pmu_start(running);
    if (eoi) apic_eoi();
}

int main(void) {
    period = option_number("period", 1000);
    clear = !option("forget=clear");
    unmask = !option("forget=unmask");
    eoi = !option("forget=eoi");
    trap_set_handler(VECTOR, service);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_select(0, EVENT | PMU_INT, 0 - period);
    pmu_start(1);
    irq_enable();
    platform_marker(1);
    user_call(kernel_loop, option_number("loop", 4997));
    platform_marker(2);
    irq_disable();
    pmu_stop();
    printf("%lu interrupts, status %u, LVT entry %smasked, vector %sin service\n", interrupts,
           pmu_status(), (apic_read(APIC_LVT_PERFORMANCE) & APIC_LVT_MASKED) != 0 ? "" : "not ",
           apic_vector_bit(APIC_ISR, VECTOR) ? "" : "not ");
    return 0;
}

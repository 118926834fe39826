// What writes of the host to MSRs of thread 0 do to the program that runs there. The host writes
// the number of a step to counter 1 after its other writes; tests/integration/msr.sh has them.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "lib/user.h"

#define VECTOR 0x60
#define GATE_RING0 0x8E
#define EVENT (PMU_EVENT_CPU_CLK_UNHALTED | PMU_OS | PMU_ENABLE)
#define LINE 0x2000000ul  // memory that the program does not use otherwise

extern char effects_on_pmi[];
void effects_halt(void);
volatile u32 effects_clock;

static void wait_step(u64 n) {
    while (rdmsr(MSR_PERF_COUNTER + 1) != n) platform_delay(50);
}

static u64 probe(u64 unused) {
    (void)unused;
    return user_probe_syscall();
}

// Clocks of a load, the second of two.
static u64 load_clocks(void) {
    u64 clocks = 0;
    for (u32 n = 0; n < 2; ++n) {
        const u64 begin = rdtsc();
        __asm__ volatile("movl (%0), %%eax\n\taddl %%eax, %%eax" : : "r"(LINE) : "eax", "cc");
        clocks = rdtsc() - begin;
    }
    return clocks;
}

static void show(u32 step) {
    const struct fault f = user_catch(probe, 0, NULL);
    printf("step %u: EFER %lx, SYSCALL %s, APIC %s SVR %x, load of %s memory\n", step,
           rdmsr(MSR_EFER), f.raised ? "#UD" : "works",
           (cpuid(1).edx & 1u << 9) != 0 ? "there" : "gone", apic_read(APIC_SVR),
           load_clocks() < 100 ? "cached" : "uncached");
}

static void start_clocks(void) {
    trap_set_code(VECTOR, effects_on_pmi, GATE_RING0);
    apic_enable();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_clear_status(3);
    // The handler and its translation come into the caches.
    irq_enable();
    apic_send(0, APIC_MODE_FIXED | APIC_ICR_ASSERT | APIC_ICR_SELF | VECTOR);
    irq_disable();
    effects_clock = 0;
}

// The host writes the counter while it counts, near its end.
static void wait_overflow(void) {
    start_clocks();
    wrmsr(MSR_PERF_EVENT_SELECT, EVENT | PMU_INT);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 1);
    irq_enable();
    while (effects_clock == 0) platform_delay(1000);
    irq_disable();
    wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
    printf("overflow: handler read clock %u, status %u\n", effects_clock, pmu_status());
}

// The host sets INT while the status bit is set, and the thread sleeps.
static void wait_line(void) {
    start_clocks();
    wrmsr(MSR_PERF_EVENT_SELECT, EVENT);
    wrmsr(MSR_PERF_COUNTER, PMU_COUNTER_MASK);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 1);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 0);
    printf("asleep with status %u\n", pmu_status());
    irq_enable_and_halt();
    irq_disable();
    printf("line: handler read clock %u\n", effects_clock);
}

// HLT itself overflows the counter: the interrupt comes in the next clock.
static void halt_with_overflow(void) {
    start_clocks();
    wrmsr(MSR_PERF_COUNTER, PMU_COUNTER_MASK - 1);
    wrmsr(MSR_PERF_EVENT_SELECT, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_ENABLE | PMU_INT);
    effects_halt();
    printf("halt: handler read clock %u\n", effects_clock);
}

int main(void) {
    for (u32 step = 1; step <= 5; ++step) {
        wait_step(step);
        show(step);
    }
    wait_overflow();
    wait_line();
    halt_with_overflow();
    return 0;
}

// Warm reset of the card by its own software (RGCR): the image starts again, on a machine as after
// power-on that has kept its memory. Before the reset, many threads set PMUs, local APICs and SBOX
// registers to values that reset must undo, load and store, and send each other interrupts.
//
// Command line: last=ID, the highest APIC ID of the threads to use (default 7); ideal when the
// platform has no caches, so that the reset loses no line.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sbox/sbox.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"

#define VECTOR 0x60
#define EVER 0x123456789Aul
#define FILTER (PMU_USER_PREFERENCE | 3)

// In .data: the loader's value is in memory.
static volatile u64 life __attribute__((section(".data"))) = 1;
static volatile u64 kept[64] __attribute__((section(".data"), aligned(64))) = {1};
static volatile u64 lost[8] __attribute__((section(".data"), aligned(64))) = {0x1111};

static volatile u64 online;
static volatile u64 traffic[16][8] __attribute__((aligned(64)));

static void write_back(void) {
    __asm__ volatile("wbinvd" : : : "memory");
}

static void check_pmu(void) {
    for (u32 msr = MSR_PERF_COUNTER; msr < MSR_PERF_COUNTER + PMU_COUNTERS; ++msr)
        CHECK_EQ(rdmsr(msr), 0);
    for (u32 msr = MSR_PERF_EVENT_SELECT; msr < MSR_PERF_EVENT_SELECT + PMU_COUNTERS; ++msr)
        CHECK_EQ(rdmsr(msr), 0);
    CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), 0);
    CHECK_EQ(rdmsr(MSR_PERF_GLOBAL_STATUS), 0);
    CHECK_EQ(rdmsr(MSR_PERF_GLOBAL_CTRL), 0);
}

// The library has enabled it.
static void check_apic(void) {
    CHECK_EQ(apic_read(APIC_TPR), 0);
    CHECK_EQ(apic_read(APIC_LDR), 0);
    CHECK_EQ(apic_read(APIC_LVT_TIMER), APIC_LVT_MASKED);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), APIC_LVT_MASKED);
    CHECK_EQ(apic_read(APIC_TIMER_INITIAL), 0);
}
static void check_no_interrupts(void) {
    for (u32 i = 0; i < 8; ++i) {
        CHECK_EQ(apic_read((enum apic_register)(APIC_IRR + 16 * i)), 0);
        CHECK_EQ(apic_read((enum apic_register)(APIC_ISR + 16 * i)), 0);
    }
}

// A bank with everything set: counter 0 has overflowed and drives the line.
static void set_pmu(void) {
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_INT, 0 - 5ul);
    pmu_select(1, PMU_EVENT_CPU_CLK_UNHALTED | PMU_OS | PMU_CMASK(1), EVER);
    pmu_set_filter(0, true);
    wrmsr(MSR_PERF_GLOBAL_CTRL, 3);
    while (pmu_status() == 0) {
    }
    wrmsr(MSR_PERF_SPFLT_CONTROL, FILTER);
}

static void set_apic(void) {
    apic_enable();
    apic_write(APIC_TPR, 0xF0);
    apic_write(APIC_LDR, 5u << 16);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    apic_timer_start(VECTOR + 1, true, 1, 700);
}

// Runs until something ends it.
static void work(struct thread* t) {
    check_pmu();
    check_apic();
    set_apic();
    set_pmu();
    atomic_fetch_add(&online, 1);
    for (u32 n = t->index;; n += 7) {
        traffic[n % 16][t->index % 8] += n;
        if (n % 5 == 0) apic_send(0, APIC_MODE_FIXED | APIC_ICR_ASSERT | APIC_ICR_OTHERS | VECTOR);
    }
}

// The second start: checks that the reset has reached this thread, too.
static void look(struct thread* t) {
    (void)t;
    check_pmu();
    check_apic();
    check_no_interrupts();
    atomic_fetch_add(&online, 1);
}

static u32 start_others(void (*fn)(struct thread*)) {
    const u32 last = (u32)option_number("last", 7);
    online = 0;
    const u32 started = thread_boot_range(0, last, fn);
    CHECK_EQ(started, apic_id() > last ? last + 1 : last);
    for (u32 i = 0; i < 100000 && online != started; ++i) platform_delay(100);
    CHECK_EQ(online, started);
    return started;
}

static const struct {
    u32 offset, reset, value;
} registers[] = {
    {SBOX_SMPT00 + 4, 1 << 2, 9 << 2},
    {SBOX_SICE0, 0, 0xF},
    {SBOX_APICRT0 + 8, SBOX_RTE_MASKED, 0x70},
    {SBOX_SDBIC0, 0, 0x80000123},
    {SBOX_THERMAL_STATUS_INTERRUPT, 0, SBOX_ETC_FREEZE},
};
#define REGISTERS (sizeof registers / sizeof registers[0])

static void check_registers(bool reset) {
    for (u32 i = 0; i < REGISTERS; ++i)
        CHECK_EQ(sbox_read(registers[i].offset), reset ? registers[i].reset : registers[i].value);
    CHECK_EQ(sbox_read(SBOX_RGCR), 0);
    // 64 ns and more for each instruction since the reset would be a minute.
    if (reset) CHECK(sbox_elapsed() < 0x8000000);
}

// Ends with the reset.
static void first_life(void) {
    check_pmu();
    check_apic();
    check_registers(true);
    for (u32 i = 0; i < 64; ++i) kept[i] = EVER * i;
    start_others(work);
    set_apic();
    set_pmu();
    wrmsr(MSR_TSC, 1ul << 60);
    write_cr0(read_cr0() & ~CR0_WP);
    write_dr7(0x401);
    for (u32 i = 0; i < REGISTERS; ++i) sbox_write(registers[i].offset, registers[i].value);
    check_registers(false);
    sbox_set_post_code(0x4141);
    life = 2;
    write_back();
    lost[0] = 0x2222;
    platform_marker(1);
    sbox_write(SBOX_RGCR, 1);
    for (;;) traffic[0][0] += 1;
}

static void second_life(void) {
    CHECK(rdtsc() < 1ul << 32);
    CHECK_EQ(read_dr7(), 0x400);
    check_pmu();
    check_apic();
    check_no_interrupts();
    check_registers(true);
    CHECK_EQ(sbox_post_code(), 0x3231);
    for (u32 i = 0; i < 64; ++i) CHECK_EQ(kept[i], EVER * i);
    CHECK_EQ(lost[0], option("ideal") ? 0x2222 : 0x1111);
    // Nobody else runs, no interrupt is under way.
    const u64 before = traffic[3][1];
    platform_delay(20000);
    CHECK_EQ(traffic[3][1], before);
    check_no_interrupts();
    start_others(look);
}

int main(void) {
    if (!CHECK(sbox_init())) return check_summary();
    printf("life %lu\n", life);
    if (life == 1) first_life();
    CHECK_EQ(life, 2);
    second_life();
    return check_summary();
}

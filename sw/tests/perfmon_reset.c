// The registers of architectural performance monitoring, PEBS and cache monitoring across INIT,
// which changes none of them, and a warm reset of the card, which gives them their first values.
// For the preset perfmon.
#include "drivers/apic/apic.h"
#include "drivers/cmt/cmt.h"
#include "drivers/perfmon/perfmon.h"
#include "drivers/sbox/sbox.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"

// In .data: the loader's value is in memory, and a reset keeps it.
static volatile u64 life __attribute__((section(".data"), aligned(64))) = 1;
static volatile u32 step;
static struct perfmon_ds_area area __attribute__((aligned(64)));

// What software sets, what it reads afterwards, and what a reset leaves.
struct value {
    u32 msr;
    u64 set, reset;
};
static const struct value values[] = {
    {MSR_PERFEVTSEL, PERFMON_INSTRUCTIONS | PERFMON_USER | PERFMON_INT | PERFMON_ENABLE, 0},
    {MSR_PERFEVTSEL + 3, PERFMON_LLC_MISSES | PERFMON_OS | PERFMON_ADAPTIVE, 0},
    {MSR_A_PMC, 0x123456789ABC, 0},
    {MSR_A_PMC + 3, 0xFEDCBA987654, 0},
    {MSR_FIXED_CTR + 2, 0xFF0000000001, 0},
    {MSR_FIXED_CTR_CTRL, 0x8B0, 0},
    {MSR_GLOBAL_CTRL, 5ul << 32 | 9, 0xF},
    {MSR_DEBUGCTL, PERFMON_FREEZE, 0},
    {MSR_PEBS_DATA_CFG, PEBS_LBR(4) | PEBS_REGISTERS, 0},
    {MSR_PEBS_ENABLE, 1ul << 33 | 2, 0},
    {MSR_PQR_ASSOC, 3, 0},
};
#define VALUES (sizeof values / sizeof values[0])

static void check_first_values(void) {
    for (unsigned n = 0; n < VALUES; ++n) CHECK_EQ(rdmsr(values[n].msr), values[n].reset);
    CHECK_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
    CHECK_EQ(rdmsr(MSR_DS_AREA), 0);
    CHECK_EQ(rdmsr(MSR_MISC_ENABLE), 0x881);
}

// Counter 1 has overflowed.
static void set_all(void) {
    perfmon_select(1, PERFMON_INSTRUCTIONS | PERFMON_OS, 0 - 5ul);
    perfmon_start(PERFMON_BIT(1));
    while (perfmon_status() == 0) continue;
    perfmon_stop();
    wrmsr(MSR_DS_AREA, (u64)&area);
    for (unsigned n = 0; n < VALUES; ++n) wrmsr(values[n].msr, values[n].set);
}

static void check_kept(void) {
    CHECK_EQ(rdmsr(MSR_GLOBAL_STATUS), PERFMON_BIT(1));
    // Counter 0 is enabled, but for ring 3.
    for (unsigned n = 0; n < VALUES; ++n) CHECK_EQ(rdmsr(values[n].msr), values[n].set);
    CHECK_EQ(rdmsr(MSR_DS_AREA), (u64)&area);
}

static void set_up(struct thread* t) {
    (void)t;
    check_first_values();
    set_all();
    apic_write(APIC_LVT_PERFORMANCE, 0x60);
    step = 1;
}

// INIT and a start-up message have come.
static void look(struct thread* t) {
    (void)t;
    check_kept();
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), APIC_LVT_MASKED);
    step = 2;
}

static bool reached(u32 value) {
    for (u32 i = 0; i < 100000 && step != value; ++i) platform_delay(100);
    return step == value;
}

int main(void) {
    if (!CHECK(sbox_init())) return check_summary();
    const u32 other = apic_id() ^ 1;
    check_first_values();
    CHECK(thread_boot(other, set_up) != NULL && reached(1));
    if (life == 2) return check_summary();
    CHECK(thread_boot(other, look) != NULL && reached(2));
    set_all();
    check_kept();
    // The next life begins to count anew.
    if (check_summary() != 0) return 1;
    life = 2;
    __asm__ volatile("wbinvd" : : : "memory");
    sbox_write(SBOX_RGCR, 1);
    for (;;) continue;
}

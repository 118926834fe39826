// Events of the vector unit: counts of instructions between start and stop, which need no vector
// register themselves, and overflows of VPU_ELEMENTS_ACTIVE, which one instruction raises by up to
// 16.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/trap.h"

#define VECTOR 0x60
#define ELEMENTS (PMU_EVENT_VPU_ELEMENTS_ACTIVE | PMU_OS)

static volatile u32 pmis;
static u32 data[32] __attribute__((aligned(64)));

static void on_pmi(struct trap_frame* f) {
    (void)f;
    ++pmis;
    apic_eoi();
}

// One instruction: 16 lanes, 8, 3, none.
static void add(void) {
    __asm__ volatile("vaddps %zmm1, %zmm2, %zmm3");
}
static void add_doubles(void) {
    __asm__ volatile("vaddpd %zmm1, %zmm2, %zmm3");
}
static void add_three(void) {
    __asm__ volatile("vaddps %zmm1, %zmm2, %zmm3{%k1}");
}
static void add_none(void) {
    __asm__ volatile("vaddps %zmm1, %zmm2, %zmm3{%k2}");
}
static void set_masks(void) {
    __asm__ volatile("kmov %0, %%k1\n\tkmov %1, %%k2" : : "r"(0x8101u), "r"(0));
}

// Counts `n` times `once` from `from`.
static void count(u32 select, u64 from, void (*once)(void), u32 n) {
    pmu_reset();
    pmis = 0;
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_select(0, select, from);
    pmu_start(1);
    while (n-- != 0) once();
    pmu_stop();
}

static void load_and_store(void) {
    __asm__ volatile(
        "vmovaps (%0), %%zmm1\n\t"
        "vloadunpacklps 32(%0), %%zmm2\n\tvloadunpackhps 96(%0), %%zmm2\n\t"
        "vmovaps %%zmm1, (%0)\n\tvmovaps %%zmm1, (%0)%{%%k2%}\n\t"
        "knot %%k1, %%k3\n\tknot %%k1, %%k4"
        :
        : "r"(data)
        : "memory");
}

static void check_counts(void) {
    // Of 3 loads one line each, of 2 stores one line in all. 4 have 16 lanes, the second store and
    // the masks none. One of the masks has its place in V, beside that store.
    static const struct {
        u32 event, count;
    } expected[] = {
        {PMU_EVENT_VPU_DATA_READ, 3},
        {PMU_EVENT_VPU_DATA_WRITE, 1},
        {PMU_EVENT_VPU_INSTRUCTIONS_EXECUTED, 7},
        {PMU_EVENT_VPU_INSTRUCTIONS_EXECUTED_V_PIPE, 1},
        {PMU_EVENT_VPU_ELEMENTS_ACTIVE, 4 * 16},
    };
    for (u32 i = 0; i < sizeof expected / sizeof *expected; ++i) {
        count(expected[i].event | PMU_OS, 0, load_and_store, 10);
        CHECK_EQ(pmu_read(0), 10 * expected[i].count);
        // Of ring 3 there is nothing.
        count(expected[i].event | PMU_USER, 0, load_and_store, 10);
        CHECK_EQ(pmu_read(0), 0);
    }
}

// One instruction takes a counter past its top: the rest stays, one interrupt comes.
static void check_overflow(void (*once)(void), u64 lanes) {
    for (u64 distance = 1; distance <= 2 * lanes + 1; ++distance) {
        count(ELEMENTS | PMU_INT, 0 - distance, once, 2);
        const bool overflows = distance <= 2 * lanes;
        CHECK_EQ(pmu_read(0), (2 * lanes - distance) & PMU_COUNTER_MASK);
        CHECK_EQ(pmu_status(), overflows ? 1 : 0);
        CHECK_EQ(pmis, overflows ? 1 : 0);
        // The first of the two is enough, or not.
        count(ELEMENTS | PMU_INT, 0 - distance, once, 1);
        CHECK_EQ(pmu_status(), distance <= lanes ? 1 : 0);
        CHECK_EQ(pmis, distance <= lanes ? 1 : 0);
    }
}

// Periods that are no multiples of a step: no element is lost or counted twice.
static void check_sampling(u64 period, u32 n) {
    static struct event_sampler s;
    s.delivery = SAMPLING_FIXED;
    s.counter[0] = (struct event_counter){ELEMENTS, period, 0, 0};
    s.counter[1] = (struct event_counter){PMU_EVENT_VPU_INSTRUCTIONS_EXECUTED | PMU_OS, 0, 0, 0};
    event_sampling_start(&s);
    for (u32 i = 0; i < n; ++i) add();
    event_sampling_stop(&s);
    CHECK_EQ(event_sampling_total(&s, 0), 16 * n);
    CHECK_EQ(event_sampling_total(&s, 1), n);
    CHECK_EQ(s.counter[0].samples + s.counter[0].missed, 16 * n / period);
    CHECK_EQ(event_sampling_remainder(&s, 0), 16 * n % period);
    CHECK_EQ(s.interrupts, s.counter[0].samples);
}

int main(void) {
    trap_set_handler(VECTOR, on_pmi);
    irq_enable();
    set_masks();
    check_counts();
    check_overflow(add, 16);
    check_overflow(add_doubles, 8);
    check_overflow(add_three, 3);
    count(ELEMENTS | PMU_INT, 0 - 1ul, add_none, 5);
    CHECK_EQ(pmu_read(0), PMU_COUNTER_MASK);
    CHECK_EQ(pmis, 0);
    check_sampling(1001, 5000);
    check_sampling(4093, 5000);
    return check_summary();
}

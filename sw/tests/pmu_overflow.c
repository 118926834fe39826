// Overflow and its interrupt: status bits, the line to the APIC and its edge, the LVT entry's mask,
// exact accounting of samples by fixed vector and NMI, simultaneous and back-to-back overflows.
//
// Command line: automask=0 when the platform does not mask LVT 0x340 itself (apic.lvtpc_automask).
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "drivers/sampling/samples.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define VECTOR 0x60
#define INSTRUCTIONS PMU_EVENT_INSTRUCTIONS_EXECUTED
#define COUNTED(n) (USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(n))

static volatile u32 pmis;
static volatile u32 lvt_on_entry;

static void on_pmi(struct trap_frame* f) {
    (void)f;
    ++pmis;
    lvt_on_entry = apic_read(APIC_LVT_PERFORMANCE);
    apic_eoi();
}

// Runs the loop of n rounds at ring 3 with one counter of `select`, `distance` events from
// overflow.
static void overflow_once(unsigned counter, u32 select, u64 distance, u64 n) {
    pmu_reset();
    pmis = 0;
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_select(counter, INSTRUCTIONS | PMU_USER | select, 0 - distance);
    pmu_start(3);
    user_call(kernel_loop, n);
    pmu_stop();
}

static void check_status(void) {
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        // Without INT: the bit, no interrupt, and the count goes on from 0.
        overflow_once(n, 0, 3, 50);
        CHECK_EQ(pmu_status(), 1u << n);
        CHECK_EQ(pmis, 0);
        CHECK_EQ(pmu_read(n), COUNTED(50) - 3);
        // Sticky until cleared through its own bit.
        pmu_write(n, 0);
        CHECK_EQ(pmu_status(), 1u << n);
        pmu_clear_status(2u >> n);
        CHECK_EQ(pmu_status(), 1u << n);
        pmu_clear_status(1u << n);
        CHECK_EQ(pmu_status(), 0);
        // Exactly at the last event, and one short of it.
        overflow_once(n, 0, COUNTED(50), 50);
        CHECK_EQ(pmu_status(), 1u << n);
        CHECK_EQ(pmu_read(n), 0);
        overflow_once(n, 0, COUNTED(50) + 1, 50);
        CHECK_EQ(pmu_status(), 0);
        CHECK_EQ(pmu_read(n), PMU_COUNTER_MASK);
    }
}

static void check_interrupt(bool automask) {
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        overflow_once(n, PMU_INT, 3, 50);
        CHECK_EQ(pmis, 1);
        CHECK_EQ(pmu_status(), 1u << n);
        const u32 mask = automask ? APIC_LVT_MASKED : 0;
        CHECK_EQ(lvt_on_entry, VECTOR | mask);
        CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), VECTOR | mask);
    }
    // With interrupts off, the interrupt waits in the APIC.
    irq_disable();
    pmu_reset();
    pmis = 0;
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_select(0, INSTRUCTIONS | PMU_OS | PMU_INT, 0 - 5ul);
    supervisor_loop(50);
    CHECK_EQ(pmis, 0);
    CHECK(apic_vector_bit(APIC_IRR, VECTOR));
    irq_enable();
    __asm__ volatile("nop");
    CHECK_EQ(pmis, 1);
    CHECK(!apic_vector_bit(APIC_IRR, VECTOR));
}

// The APIC sees the 0 -> 1 edge of (status AND INT) only, and loses it while the entry is masked.
static void check_edge(void) {
    overflow_once(0, PMU_INT, 3, 50);
    CHECK_EQ(pmis, 1);
    // The line is 1: another overflow makes no edge, masked or not.
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pmu_write(0, 0 - 3ul);
    pmu_start(3);
    user_call(kernel_loop, 50);
    pmu_stop();
    CHECK_EQ(pmis, 1);
    // The line falls and rises again.
    pmu_clear_status(3);
    pmu_write(0, 0 - 3ul);
    pmu_start(3);
    user_call(kernel_loop, 50);
    pmu_stop();
    CHECK_EQ(pmis, 2);

    // An edge that comes while the entry is masked is lost, also after unmasking.
    pmu_clear_status(3);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR | APIC_LVT_MASKED);
    pmu_write(0, 0 - 3ul);
    pmu_start(3);
    user_call(kernel_loop, 50);
    pmu_stop();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    user_call(kernel_loop, 50);
    CHECK_EQ(pmis, 2);
    CHECK_EQ(pmu_status(), 1);

    // A status bit that is set while INT is 0 makes the edge when INT is set.
    overflow_once(0, 0, 3, 50);
    CHECK_EQ(pmis, 0);
    wrmsr(MSR_PERF_EVENT_SELECT, INSTRUCTIONS | PMU_USER | PMU_INT);
    __asm__ volatile("nop");
    CHECK_EQ(pmis, 1);
}

static void sample(struct event_sampler* s, u64 period0, u64 period1, u64 ahead1, u64 n) {
    s->counter[0] = (struct event_counter){INSTRUCTIONS | PMU_USER, period0, 0, 0};
    s->counter[1] = (struct event_counter){INSTRUCTIONS | PMU_USER, period1, 0, 0};
    event_sampling_start(s);
    pmu_write(1, pmu_read(1) + ahead1);
    user_call(kernel_loop, n);
    event_sampling_stop(s);
}

// Checks the account of counter c, which began with `ahead` events, after COUNTED(n) events.
static void check_account(const struct event_sampler* s, unsigned c, u64 ahead, u64 n) {
    const u64 period = s->counter[c].period;
    const u64 events = COUNTED(n) + ahead;
    CHECK_EQ(event_sampling_total(s, c), events);
    CHECK_EQ(s->counter[c].samples + s->counter[c].missed, events / period);
    CHECK_EQ(event_sampling_remainder(s, c), events % period);
    CHECK_EQ(s->idle, 0);
}

static void check_samples(const struct event_sampler* s) {
    CHECK_EQ(knc_samples.count, s->counter[0].samples + s->counter[1].samples);
    for (u32 i = 0; i < samples_stored(); ++i) {
        const struct sample* r = &knc_samples.records[i];
        CHECK(r->counter < PMU_COUNTERS && r->value < s->counter[r->counter].period);
        if (i > 0) CHECK(r->tsc >= r[-1].tsc);
    }
}

static void check_sampling(enum sampling_delivery delivery) {
    static struct event_sampler s;
    s.delivery = delivery;
    static const u64 periods[] = {2003, 499, 10007};
    for (u32 i = 0; i < 3; ++i) {
        sample(&s, periods[i], 0, 0, 20000);
        check_account(&s, 0, 0, 20000);
        CHECK_EQ(event_sampling_total(&s, 1), COUNTED(20000));
        CHECK_EQ(s.interrupts, s.counter[0].samples);
        check_samples(&s);
    }
    // Both at once: one edge for two overflows.
    sample(&s, 997, 997, 0, 10000);
    check_account(&s, 0, 0, 10000);
    check_account(&s, 1, 0, 10000);
    CHECK_EQ(s.interrupts, s.counter[0].samples);
    // Back to back, at every distance from the first overflow to well after its service.
    for (u64 ahead = 1; ahead < 40; ++ahead) {
        sample(&s, 499, 499, ahead, 1500);
        check_account(&s, 0, 0, 1500);
        check_account(&s, 1, ahead, 1500);
        check_samples(&s);
    }
    // Periods whose overflows fall together in every way.
    sample(&s, 499, 491, 0, 30000);
    check_account(&s, 0, 0, 30000);
    check_account(&s, 1, 0, 30000);
    check_samples(&s);
}

int main(void) {
    trap_set_handler(VECTOR, on_pmi);
    irq_enable();
    check_status();
    check_interrupt(option_number("automask", 1) != 0);
    check_edge();
    check_sampling(SAMPLING_FIXED);
    check_sampling(SAMPLING_NMI);
    return check_summary();
}

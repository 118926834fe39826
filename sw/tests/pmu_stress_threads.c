// Overflow interrupts of the four threads of a core at once: all eight counters in one clock, both
// counters of each thread at equal and at multiple periods, interrupts and NMIs from another
// thread, and INIT while an interrupt is pending.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define THREADS 4u
#define VECTOR 0x60
#define LOWER 0x50
#define HIGHER 0xF0
#define INSTRUCTIONS (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)
#define COUNTED(n) (USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(n))

static struct barrier meeting = {.members = THREADS};
static enum sampling_delivery delivery;

static u32 entry(void) {
    return delivery == SAMPLING_NMI ? APIC_MODE_NMI : VECTOR;
}

// --- Both counters of all threads count the instructions of thread 0 and overflow with the same
// one.

static struct {
    volatile u32 pmis, status;
    volatile u64 tsc, value[PMU_COUNTERS];
} seen[THREADS];

static void on_pmi(struct trap_frame* f) {
    const u32 n = this_thread()->index;
    pmu_stop();
    seen[n].tsc = rdtsc();
    ++seen[n].pmis;
    seen[n].status = pmu_status();
    for (u32 c = 0; c < PMU_COUNTERS; ++c) seen[n].value[c] = pmu_read(c);
    pmu_clear_status(seen[n].status);
    if (f->vector != TRAP_NMI) apic_eoi();
}

#define DISTANCE 1000u
#define LOOP 2000u

static void overflow_together(struct thread* t) {
    seen[t->index].pmis = 0;
    trap_set_handler(VECTOR, on_pmi);
    trap_set_handler(TRAP_NMI, on_pmi);
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, entry());
    for (u32 c = 0; c < PMU_COUNTERS; ++c)
        pmu_select(c, INSTRUCTIONS | PMU_ANY_THREAD | PMU_INT, 0 - (u64)DISTANCE);
    pmu_start(3);
    barrier_wait(&meeting);
    if (t->index == 0) user_call(kernel_loop, LOOP);
    barrier_wait(&meeting);
    CHECK_EQ(seen[t->index].pmis, 1);
    CHECK_EQ(seen[t->index].status, 3);
    CHECK_EQ(seen[t->index].value[0], seen[t->index].value[1]);
    CHECK_EQ(pmu_status(), 0);
    apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
    barrier_wait(&meeting);
    if (t->index != 0) return;
    for (u32 n = 0; n < THREADS; ++n) {
        printf("thread %u: %lu instructions of thread 0 later, after %ld clocks\n", n,
               seen[n].value[0], (long)(seen[n].tsc - seen[0].tsc));
        // All requests are of one clock. In it, the loop of thread 0 has retired one instruction or
        // a pair; thread 0 accepts before its next, and the services of the others take turns.
        CHECK(seen[n].value[0] <= (n == 0 ? 1 : LOOP * 2 + 8 - DISTANCE));
        CHECK(seen[n].tsc - seen[0].tsc + 500 < 1000);
    }
}

// --- Each thread's own instructions, sampled by both counters.

static struct event_sampler samplers[THREADS];
static struct sample_log* no_log;

static u64 rounds(const struct thread* t) {
    return 10000 + 1000 * t->index;
}

static void sample(struct thread* t, u64 period0, u64 period1) {
    struct event_sampler* s = &samplers[t->index];
    *s = (struct event_sampler){.delivery = delivery, .join = t->index != 0, .log = no_log};
    s->counter[0] = (struct event_counter){.select = INSTRUCTIONS, .period = period0};
    s->counter[1] = (struct event_counter){.select = INSTRUCTIONS, .period = period1};
    barrier_wait(&meeting);
    event_sampling_start(s);
    user_call(kernel_loop, rounds(t));
    event_sampling_stop(s);
    const u64 events = COUNTED(rounds(t));
    for (u32 c = 0; c < PMU_COUNTERS; ++c) {
        CHECK_EQ(event_sampling_total(s, c), events);
        CHECK_EQ(s->counter[c].samples, events / s->counter[c].period);
        CHECK_EQ(s->counter[c].missed, 0);
    }
    CHECK_EQ(s->idle, 0);
    barrier_wait(&meeting);
}

static void sample_both(struct thread* t) {
    const u64 period = 211 + 2 * t->index;
    // One interrupt for two overflows, always; then for every third of one counter.
    sample(t, period, period);
    CHECK_EQ(samplers[t->index].interrupts, samplers[t->index].counter[0].samples);
    sample(t, 3 * period, period);
    CHECK_EQ(samplers[t->index].interrupts, samplers[t->index].counter[1].samples);
}

// --- Interrupts of another thread meet overflows. Each thread sends to the next one.

#define MESSAGES 200u
static struct { volatile u64 received; } messages[THREADS];
static u32 ids[THREADS];

static void on_message(struct trap_frame* f) {
    (void)f;
    ++messages[this_thread()->index].received;
    apic_eoi();
}

// Waits at ring 0, and sends the next message when the one before was received.
static void send_messages(u32 to, u8 vector) {
    for (u32 n = 0; n < MESSAGES; ++n) {
        while (messages[to].received < n) platform_delay(7);
        platform_delay(1 + n % 97);
        apic_send_fixed(ids[to], vector);
    }
}
static void receive_messages(struct thread* t, u64* calls) {
    while (messages[t->index].received < MESSAGES) {
        user_call(kernel_loop, 100);
        ++*calls;
    }
}

// Threads 0 and 2 are interrupted by 1 and 3.
static void meet_messages(struct thread* t, u8 vector) {
    struct event_sampler* s = &samplers[t->index];
    messages[t->index].received = 0;
    trap_set_handler(vector, on_message);
    *s = (struct event_sampler){.delivery = delivery, .join = t->index != 0};
    s->counter[0] = (struct event_counter){.select = INSTRUCTIONS, .period = 53 + t->index};
    s->counter[1] = (struct event_counter){.select = INSTRUCTIONS, .period = 59 + t->index};
    barrier_wait(&meeting);
    if (t->index % 2 == 1) {
        send_messages(t->index - 1, vector);
    } else {
        u64 calls = 0;
        event_sampling_start(s);
        receive_messages(t, &calls);
        event_sampling_stop(s);
        CHECK_EQ(messages[t->index].received, MESSAGES);
        for (u32 c = 0; c < PMU_COUNTERS; ++c) {
            CHECK_EQ(event_sampling_total(s, c), calls * COUNTED(100));
            CHECK_EQ(s->counter[c].samples + s->counter[c].missed,
                     calls * COUNTED(100) / s->counter[c].period);
        }
        CHECK_EQ(s->idle, 0);
    }
    barrier_wait(&meeting);
}

// The messages are NMIs as well. One that comes while another is pending is no NMI of its own; the
// service reads the status, whatever sent it, so no overflow is lost.
static void meet_nmis(struct thread* t) {
    struct event_sampler* s = &samplers[t->index];
    *s = (struct event_sampler){.delivery = SAMPLING_NMI, .join = t->index != 0};
    s->counter[0] = (struct event_counter){.select = INSTRUCTIONS, .period = 53 + t->index};
    messages[t->index].received = 0;
    barrier_wait(&meeting);
    if (t->index % 2 == 1) {
        for (u32 n = 0; n < MESSAGES; ++n) {
            // Longer than the service: the receiver goes on in between.
            platform_delay(1000);
            platform_delay(500 + n % 97 * 5);
            apic_send_nmi(ids[t->index - 1]);
        }
        platform_delay(1000);  // the last one arrives
        messages[t->index - 1].received = MESSAGES;
    } else {
        u64 calls = 0;
        event_sampling_start(s);
        receive_messages(t, &calls);
        event_sampling_stop(s);
        const u64 events = calls * COUNTED(100);
        CHECK_EQ(event_sampling_total(s, 0), events);
        CHECK_EQ(s->counter[0].samples + s->counter[0].missed, events / s->counter[0].period);
        // Every NMI has found an overflow, or was a message.
        CHECK_EQ(s->interrupts, s->counter[0].samples + s->idle);
        CHECK_RANGE(s->idle, MESSAGES - 20, MESSAGES);
        printf("thread %u: %lu NMIs for %lu samples and %u messages\n", t->index, s->interrupts,
               s->counter[0].samples, MESSAGES);
    }
    barrier_wait(&meeting);
}

// --- INIT while an interrupt of an overflow is pending.

static volatile u32 stage, nmis;

static void overflow_with_interrupts_off(void) {
    irq_disable();
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, entry());
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_INT, 0 - 5ul);
    supervisor_loop(50);
}

// A second NMI waits for the IRET of the first, which never comes.
static void on_endless_nmi(struct trap_frame* f) {
    (void)f;
    if (++nmis > 1) return;
    pmu_stop();
    pmu_clear_status(1);
    apic_write(APIC_LVT_PERFORMANCE, entry());
    pmu_write(0, 0 - 5ul);
    supervisor_loop(50);
    stage = 1;
    for (;;) platform_delay(100);
}

static void wait_pending(struct thread* t) {
    (void)t;
    overflow_with_interrupts_off();
    CHECK(apic_vector_bit(APIC_IRR, VECTOR));
    stage = 1;
    for (;;) platform_delay(100);
}

// INIT has dropped the request and reset the local APIC; of the PMU it changes nothing, so the line
// is still 1.
static void after_init(struct thread* t) {
    CHECK(!apic_vector_bit(APIC_IRR, VECTOR));
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), APIC_LVT_MASKED);
    CHECK_EQ(pmu_status(), 1);
    CHECK_EQ(pmu_read(0), SUPERVISOR_LOOP_INSTRUCTIONS(50) - 5);
    seen[t->index].pmis = 0;
    trap_set_handler(TRAP_NMI, on_pmi);
    trap_set_handler(VECTOR, on_pmi);
    apic_write(APIC_LVT_PERFORMANCE, entry());
    irq_enable();
    pmu_write(0, 0 - 5ul);
    supervisor_loop(50);
    CHECK_EQ(seen[t->index].pmis, 0);
    pmu_clear_status(1);
    pmu_write(0, 0 - 5ul);
    supervisor_loop(50);
    CHECK_EQ(seen[t->index].pmis, 1);
    stage = 2;
}

static void wait_stage(u32 n) {
    while (stage != n) platform_delay(100);
}

static void check_init(u32 id) {
    stage = nmis = 0;
    trap_set_handler(TRAP_NMI, on_endless_nmi);
    if (!CHECK(thread_boot(id, wait_pending) != NULL)) return;
    wait_stage(1);
    CHECK_EQ(nmis, delivery == SAMPLING_NMI ? 1 : 0);
    if (!CHECK(thread_boot(id, after_init) != NULL)) return;
    wait_stage(2);
    CHECK_EQ(nmis, delivery == SAMPLING_NMI ? 1 : 0);
}

static void next_delivery(struct thread* t, enum sampling_delivery d) {
    barrier_wait(&meeting);
    if (t->index == 0) delivery = d;
    barrier_wait(&meeting);
}

static void work(struct thread* t) {
    irq_enable();
    for (u32 n = 0; n < 2; ++n) {
        next_delivery(t, n == 0 ? SAMPLING_FIXED : SAMPLING_NMI);
        overflow_together(t);
        barrier_wait(&meeting);
        sample_both(t);
        meet_messages(t, LOWER);
        meet_messages(t, HIGHER);
    }
    meet_nmis(t);
}

int main(void) {
    const u32 core = apic_id() & ~(THREADS - 1);
    for (u32 i = 0; i < THREADS; ++i) ids[i] = core + i;
    for (u32 i = 1; i < THREADS; ++i)
        if (!CHECK(thread_boot(ids[i], work) != NULL)) return check_summary();
    work(this_thread());
    // Threads of another core, so that none of this one is sent an INIT.
    const u32 other = core == 0 ? THREADS : 0;
    irq_enable();
    delivery = SAMPLING_FIXED;
    check_init(other);
    delivery = SAMPLING_NMI;
    check_init(other + 1);
    return check_summary();
}

// Sampling and counting sessions on all threads of a card at once, begun and ended by one call.
//
// The image checks what the program itself can know: that each thread answers, and that its records
// add up to what its sampler says. knc-vp reads the logs, and a test compares them with the truth.
//
// Command line: last=ID (the boot thread and those with APIC IDs 0 to ID take part, default 7),
// load=N (instructions of a thread, about; default 60000), nmi, os (ring 0 is sampled too), time,
// session, capacity=N (records of a log, default 512), even (threads with even APIC IDs only), late
// (a thread has its interrupts off during the start), stay (never stops), period=N (of both
// counters; default 2003 instructions and 4001 clocks), least=N (throttles: clocks between
// samples), again (a session and time-based sampling of other events come before).
#include "drivers/apic/apic.h"
#include "drivers/sampling/all.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "tests/sample_all.h"

// Primes, so that no loop has the same period.
#define INSTRUCTIONS_PERIOD 2003
#define CLOCKS_PERIOD 4001
#define TICK 2500

static struct sampling_all all;
static volatile u64 order;  // 1: work
static volatile u64 deaf = ~0ul, awake = ~0ul;
static struct counter finished;

static void work(const struct thread* t) {
    const u64 amount = option_number("load", 60000) * (8 + t->apic_id % 7) / 8;
    user_call(load, amount << 8 | t->apic_id % LOADS);
    atomic_fetch_add(&finished.value, 1);
}

static void serve(struct thread* t) {
    if (t->apic_id == deaf) {
        while (awake != t->apic_id) platform_delay(100);
    }
    irq_enable();
    while (order == 0) platform_delay(500);
    work(t);
    for (;;) irq_enable_and_halt();
}

static bool even(const struct thread* t) {
    return t->apic_id % 2 == 0;
}

static void check_logs(void) {
    for (u32 i = 0; i < thread_count(); ++i) {
        const struct sampling_member* m = all.member[i];
        if (m == NULL) continue;
        CHECK(!m->on);
        CHECK_EQ(m->apic_id, thread_at(i)->apic_id);
        const struct sample_log* log = &m->log;
        CHECK_EQ(log->state, LOG_STOPPED);
        CHECK(log->written <= log->capacity);
        CHECK(log->written > 0 || option_number("period", 0) != 0);
        CHECK_EQ(log->stops, log->full);
        u64 weights[PMU_COUNTERS] = {0, 0};
        for (u64 n = 0; n < log->written; ++n) {
            const struct log_record* r = &log->records[n];
            CHECK_EQ(r->sample.thread, m->apic_id);
            if (r->sample.counter < PMU_COUNTERS) weights[r->sample.counter] += r->weight;
        }
        if (all.time != NULL) {
            CHECK_EQ(log->written, m->time.ticks);
            continue;
        }
        for (u32 n = 0; n < PMU_COUNTERS; ++n) {
            CHECK_EQ(weights[n], m->events.counter[n].samples + m->events.counter[n].missed);
            CHECK_EQ(weights[n], log->counter[n].samples + log->counter[n].missed);
        }
        CHECK_EQ(m->events.idle, 0);
    }
}

static void print_counts(void) {
    for (u32 i = 0; i < thread_count(); ++i) {
        const struct sampling_member* m = all.member[i];
        if (m == NULL) continue;
        CHECK(!m->on);
        for (u32 n = 0; n < m->session.number; ++n)
            printf("thread %u counter %u: %lu\n", m->apic_id, n, m->session.counts[n].value);
    }
}

// What a late thread does: the start is over, and it is not among those that have obeyed.
static void check_late(u32 members, u32 obeyed) {
    CHECK_EQ(obeyed, members - 1);
    awake = deaf;
    u32 on = 0;
    while (on != members) {
        on = 0;
        for (u32 i = 0; i < thread_count(); ++i) on += all.member[i] != NULL && all.member[i]->on;
    }
}

static void check_obeyed(u32 members) {
    CHECK_EQ(sampling_all_start(&all), members);
    CHECK_EQ(sampling_all_start(&all), members);  // changes nothing
    const u64 begin = rdtsc();
    while (rdtsc() - begin < 80 * TICK) platform_delay(1000);
    CHECK_EQ(sampling_all_stop(&all), members);
    CHECK_EQ(sampling_all_stop(&all), members);
}

// The same members for other methods, with more room each time.
static void use_before(u32 members) {
    const u32 rings = PMU_USER | PMU_OS;
    struct pmu_count counts[3] = {{.what = {.select = PMU_EVENT_BRANCHES | rings}},
                                  {.what = {.select = PMU_EVENT_DATA_READ | rings}},
                                  {.what = {.select = PMU_EVENT_DATA_WRITE | rings}}};
    const struct pmu_session rotating = {.counts = counts, .number = 3, .interval = 20 * TICK};
    all.session = &rotating;
    check_obeyed(members);
    for (u32 i = 0; i < thread_count(); ++i) {
        const struct pmu_session* s = &all.member[i]->session;
        CHECK(s->rotations >= 2);
        CHECK_EQ(s->counts[0].running + s->counts[1].running + s->counts[2].running,
                 2 * s->counts[0].enabled);
        CHECK(s->counts[0].value > 0 && s->counts[1].value > 0);
    }
    all.session = NULL;
    const struct time_sampler ticks = {
        .select = {PMU_EVENT_BRANCHES | rings}, .interval = 20 * TICK, .divide = 1};
    all.time = &ticks;
    all.capacity = 64;
    check_obeyed(members);
    for (u32 i = 0; i < thread_count(); ++i) {
        const struct sampling_member* m = all.member[i];
        CHECK(m->time.ticks >= 3 && m->time.ticks == m->log.written);
        CHECK_EQ(m->log.counter[0].remainder, m->time.total[0]);
    }
    all.time = NULL;
}

int main(void) {
    const u32 last = (u32)option_number("last", 7);
    if (!CHECK(last < MOST_THREADS)) return check_summary();
    if (option("late")) {
        deaf = last;
        all.patience = 100000;
    }
    const u32 others = last + (apic_id() > last);
    CHECK_EQ(thread_boot_range(0, last, serve), others);

    const u32 rings = option("os") ? PMU_USER | PMU_OS : PMU_USER;
    const u32 instructions = PMU_EVENT_INSTRUCTIONS_EXECUTED | rings;
    const u32 clocks = PMU_EVENT_CPU_CLK_UNHALTED | rings;
    const struct event_sampler by_events = {
        .counter = {{.select = instructions,
                     .period = option_number("period", INSTRUCTIONS_PERIOD)},
                    {.select = clocks, .period = option_number("period", CLOCKS_PERIOD)}},
        .least_clocks = option_number("least", 0),
        .delivery = option("nmi") ? SAMPLING_NMI : SAMPLING_FIXED};
    const struct time_sampler by_time = {
        .select = {instructions, clocks}, .interval = TICK, .divide = 2};
    struct pmu_count counts[PMU_COUNTERS] = {{.what = {.select = instructions}},
                                             {.what = {.select = clocks}}};
    const struct pmu_session counting = {.counts = counts, .number = PMU_COUNTERS};
    u32 members = others + 1;
    irq_enable();
    if (option("again")) use_before(members);
    if (option("session")) {
        all.session = &counting;
    } else if (option("time")) {
        all.time = &by_time;
    } else {
        all.events = &by_events;
    }
    if (all.session == NULL) all.capacity = option_number("capacity", 512);
    if (option("even")) all.takes = even;
    if (all.takes != NULL)
        for (u32 i = 0; i <= others; ++i) members -= !all.takes(thread_at(i));

    const u32 obeyed = sampling_all_start(&all);
    if (option("late"))
        check_late(members, obeyed);
    else
        CHECK_EQ(obeyed, members);
    order = 1;
    work(this_thread());
    while (finished.value != others + 1) platform_delay(1000);
    if (option("stay")) return 0;
    all.patience = 0;
    CHECK_EQ(sampling_all_stop(&all), members);
    if (all.session != NULL)
        print_counts();
    else
        check_logs();
    return check_summary();
}

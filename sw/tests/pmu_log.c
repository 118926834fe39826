// Sampling on all threads of a core at once into a buffer of each thread: accounts, call chains, a
// full buffer, throttling, by events (fixed vector and NMI) and by time.
#include "drivers/apic/apic.h"
#include "drivers/sampling/event_based.h"
#include "drivers/sampling/log.h"
#include "drivers/sampling/time_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define THREADS 4
#define INSTRUCTIONS (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)
#define CAPACITY 600

extern char chain_outer_return[], chain_middle_return[], chain_leaf_loop[], chain_leaf_end[];
u64 chain_outer(u64 n);
// Three calls of them, the moves, pushes, pops and returns: 3 + 3 + 3 before the loop's two, 2 each
// after it.
#define CHAIN_INSTRUCTIONS(n) (2 * (n) + 3 + 3 + 3 + 6)

static struct log_record records[THREADS][CAPACITY];
static struct sample_log logs[THREADS];
static struct event_sampler samplers[THREADS];
static struct time_sampler tickers[THREADS];
static struct barrier meeting = {.members = THREADS};

static u64 rounds(u32 index) {
    return 20000 + 1000 * index;
}
static u64 instructions(u32 index) {
    return USER_CALL_INSTRUCTIONS + CHAIN_INSTRUCTIONS(rounds(index));
}

static struct sample_log* empty_log(u32 index, u64 capacity) {
    logs[index] = (struct sample_log){.records = records[index], .capacity = capacity};
    return &logs[index];
}

// A sampler by counter 0; counter 1 counts the same instructions without sampling.
static struct event_sampler* sampler(u32 index, u64 period, u64 capacity) {
    struct event_sampler* s = &samplers[index];
    *s = (struct event_sampler){.log = empty_log(index, capacity)};
    s->counter[0] = (struct event_counter){.select = INSTRUCTIONS, .period = period};
    s->counter[1] = (struct event_counter){.select = INSTRUCTIONS};
    return s;
}

static u32 in_loop;  // samples of the leaf's loop that the last call of check_records() met

// Takes all records; returns the sum of their weights.
static u64 check_records(const struct thread* t, struct sample_log* log, u8 counter) {
    u64 weights = 0, time = 0;
    struct log_record r;
    u32 n = 0;
    while (log_take(log, &r)) {
        CHECK_EQ(r.sample.thread, t->apic_id);
        CHECK_EQ(r.sample.counter, counter);
        CHECK(r.sample.tsc > time);
        time = r.sample.tsc;
        weights += r.weight;
        if (r.sample.rip < (u64)chain_leaf_loop || r.sample.rip > (u64)chain_leaf_end) continue;
        ++n;
        CHECK_EQ(r.sample.cpl, 3);
        // The return of chain_outer itself leads to the code of user_call(), without a frame.
        CHECK(r.depth >= 3);
        CHECK_EQ(r.chain[0], chain_middle_return);
        CHECK_EQ(r.chain[1], chain_outer_return);
    }
    if (t->index == 0) in_loop = n;
    CHECK(n >= 3);
    return weights;
}

static void check_accounts(struct event_sampler* s, u64 events) {
    CHECK_EQ(event_sampling_total(s, 0), events);
    CHECK_EQ(event_sampling_total(s, 1), events);
    CHECK_EQ(s->interrupts, s->counter[0].samples);
    CHECK_EQ(s->idle, 0);
}

static enum sampling_delivery delivery;

static void sample_events(struct thread* t) {
    const u64 period = 499 + 8 * t->index;
    struct event_sampler* s = sampler(t->index, period, CAPACITY);
    s->delivery = delivery;
    barrier_wait(&meeting);
    event_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    event_sampling_stop(s);
    check_accounts(s, instructions(t->index));
    CHECK_EQ(s->counter[0].samples, instructions(t->index) / period);
    CHECK_EQ(s->log->written, s->counter[0].samples);
    CHECK_EQ(s->log->stops, 0);
    CHECK_EQ(s->log->lost, 0);
    CHECK_EQ(check_records(t, s->log, 0), s->counter[0].samples);
}

static u64 drained[THREADS];
static void drain(struct sample_log* log) {
    struct log_record r;
    while (log_take(log, &r)) ++drained[this_thread()->index];
}

// The buffer has room for 8; the service routine empties it.
static void sample_and_drain(struct thread* t) {
    struct event_sampler* s = sampler(t->index, 301, 8);
    s->log->drain = drain;
    drained[t->index] = 0;
    barrier_wait(&meeting);
    event_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    event_sampling_stop(s);
    check_accounts(s, instructions(t->index));
    drain(s->log);
    CHECK_EQ(drained[t->index], instructions(t->index) / 301);
    CHECK_EQ(s->log->stops, 0);
    CHECK(s->log->lost > 0);
}

// Nobody empties it: sampling stops at the seventh sample, since two more must fit, and goes on
// when there is room. Both counters stand still meanwhile.
static void sample_and_stop(struct thread* t) {
    struct event_sampler* s = sampler(t->index, 301, 8);
    barrier_wait(&meeting);
    event_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    CHECK_EQ(s->counter[0].samples, 7);
    CHECK_EQ(s->log->stops, 1);
    CHECK(s->log->full);
    // The events up to the stop: those of seven periods, and of the last sample's skid.
    const u64 until = event_sampling_total(s, 1);
    CHECK_EQ(event_sampling_total(s, 0), until);
    CHECK_EQ(until, 7 * 301 + records[t->index][6].sample.value);
    event_sampling_continue(s);  // without room: changes nothing
    CHECK(s->log->full);
    const u64 stopped = rdtsc() - records[t->index][6].sample.tsc;
    drain(s->log);
    event_sampling_continue(s);
    CHECK(!s->log->full);
    // From the end of the last service to here; the service itself takes less than 2000 clocks.
    CHECK_RANGE(s->log->lost, stopped - 2000, stopped + 100000);
    user_call(kernel_loop, 100);
    event_sampling_stop(s);
    const u64 more = USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(100ul);
    CHECK_EQ(event_sampling_total(s, 0), until + more);
    CHECK_EQ(event_sampling_total(s, 1), until + more);
}

#define LEAST_CLOCKS 8000

static void sample_throttled(struct thread* t) {
    struct event_sampler* s = sampler(t->index, 101, CAPACITY);
    s->least_clocks = LEAST_CLOCKS;
    barrier_wait(&meeting);
    event_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    event_sampling_stop(s);
    check_accounts(s, instructions(t->index));
    CHECK(s->throttled >= 3);
    CHECK(s->counter[0].samples < instructions(t->index) / 101 / 8);
    CHECK(event_sampling_remainder(s, 0) < 101 * s->distance[0]);
    // After the doublings no two samples are closer than allowed.
    for (u64 i = s->throttled + 1; i < s->log->written; ++i)
        CHECK(records[t->index][i].sample.tsc - records[t->index][i - 1].sample.tsc >=
              LEAST_CLOCKS);
    CHECK_EQ(check_records(t, s->log, 0), s->counter[0].samples + s->counter[0].missed);
}

#define WAKE_VECTOR 0x61
static volatile u64 finished;

static void on_wake(struct trap_frame* f) {
    (void)f;
    event_sampling_continue(&samplers[this_thread()->index]);
    apic_eoi();
}

// The boot thread reads the other threads' buffers while they are sampled, and tells a thread that
// has stopped to continue.
static void read_others(void) {
    u64 wakes = 0;
    while (finished != THREADS - 1) {
        for (u32 i = 1; i < THREADS; ++i) {
            struct log_record r;
            while (log_take(&logs[i], &r)) {
                ++drained[i];
                CHECK_EQ(r.sample.thread, apic_id() ^ i);
            }
            if (!logs[i].full) continue;
            apic_send_fixed(apic_id() ^ i, WAKE_VECTOR);
            ++wakes;
        }
        // Slower than the others fill their buffers.
        const u64 begin = rdtsc();
        while (rdtsc() - begin < 60000) platform_delay(500);
    }
    CHECK(wakes >= THREADS - 1);
}

// What the others have left when they have finished.
static void check_reader(void) {
    for (u32 i = 1; i < THREADS; ++i) {
        struct log_record r;
        while (log_take(&logs[i], &r)) ++drained[i];
        CHECK_EQ(drained[i], samplers[i].counter[0].samples);
    }
}

static void sample_for_reader(struct thread* t) {
    struct event_sampler* s = sampler(t->index, 301, 8);
    drained[t->index] = 0;
    barrier_wait(&meeting);
    if (t->index == 0) {
        read_others();
        check_reader();
        return;
    }
    event_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    const u64 flags = irq_save();
    event_sampling_stop(s);
    const u64 events = event_sampling_total(s, 1);
    check_accounts(s, events);
    CHECK(s->log->stops >= 1);
    CHECK(s->log->lost > 0);
    CHECK_RANGE(events, 7 * 301, instructions(t->index));
    CHECK_EQ(s->log->written, s->counter[0].samples);
    atomic_fetch_add(&finished, 1);
    irq_restore(flags);
}
static void sample_time(struct thread* t) {
    struct time_sampler* s = &tickers[t->index];
    *s = (struct time_sampler){.select = {INSTRUCTIONS, INSTRUCTIONS},
                               .interval = 2000 + 100 * t->index,
                               .divide = 2,
                               .log = empty_log(t->index, CAPACITY)};
    barrier_wait(&meeting);
    time_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    time_sampling_stop(s);
    CHECK_EQ(s->total[0], instructions(t->index));
    CHECK_EQ(s->total[1], instructions(t->index));
    CHECK_EQ(s->log->written, s->ticks);
    CHECK_EQ(check_records(t, s->log, SAMPLE_TIME_BASED), s->ticks);
}

// Nobody empties the buffer: counting stops at the seventh tick. After that, the next tick starts
// it.
static void sample_time_and_stop(struct thread* t) {
    struct time_sampler* s = &tickers[t->index];
    s->log = empty_log(t->index, 8);
    barrier_wait(&meeting);
    time_sampling_start(s);
    user_call(chain_outer, rounds(t->index));
    CHECK(s->log->full);
    CHECK_EQ(s->ticks, 7);
    const u64 until = s->total[0];
    CHECK_RANGE(until, 1, instructions(t->index) - 1);
    drained[t->index] = 0;
    drain(s->log);
    CHECK_EQ(drained[t->index], 7);
    user_call(chain_outer, rounds(t->index));
    time_sampling_stop(s);
    drain(s->log);
    CHECK(s->ticks > 7);
    CHECK_EQ(drained[t->index], s->ticks);
    CHECK(s->log->stops >= 1);
    CHECK(s->log->lost > 0);
    CHECK_RANGE(s->total[0], until + 1, 2 * instructions(t->index) - 1);
    CHECK_EQ(s->total[0], s->total[1]);
}

// An overflow and a tick while interrupts are off: they are pending when the sampler stops, and
// come afterwards.
static void stop_with_pending(struct thread* t) {
    struct event_sampler* s = sampler(t->index, 499, CAPACITY);
    s->counter[0].select |= PMU_OS;
    u64 flags = irq_save();
    event_sampling_start(s);
    while (!apic_vector_bit(APIC_IRR, 0xE0)) platform_delay(16);
    event_sampling_stop(s);
    const u64 events = event_sampling_total(s, 0);
    irq_restore(flags);
    CHECK_EQ(s->counter[0].samples, 0);
    CHECK_EQ(s->log->written, 0);
    CHECK_EQ(event_sampling_total(s, 0), events);
    CHECK_EQ(s->log->counter[0].remainder, events);
    s->log->full = true;  // as if it had been full, and now has room
    event_sampling_continue(s);
    CHECK_EQ(pmu_stop(), 0);

    struct time_sampler* ticker = &tickers[t->index];
    ticker->log = empty_log(t->index, CAPACITY);
    flags = irq_save();
    time_sampling_start(ticker);
    while (!apic_vector_bit(APIC_IRR, 0xE1)) platform_delay(16);
    time_sampling_stop(ticker);
    irq_restore(flags);
    CHECK_EQ(ticker->ticks, 0);
    CHECK_EQ(ticker->log->written, 0);
}

static void work(struct thread* t) {
    irq_enable();
    for (int i = 0; i < 2; ++i) {
        barrier_wait(&meeting);
        if (t->index == 0) delivery = i == 0 ? SAMPLING_FIXED : SAMPLING_NMI;
        barrier_wait(&meeting);
        sample_events(t);
    }
    sample_and_drain(t);
    sample_and_stop(t);
    sample_throttled(t);
    sample_for_reader(t);
    barrier_wait(&meeting);
    sample_time(t);
    sample_time_and_stop(t);
    stop_with_pending(t);
    barrier_wait(&meeting);
}

int main(void) {
    trap_set_handler(WAKE_VECTOR, on_wake);
    for (u32 i = 1; i < THREADS; ++i)
        if (!CHECK(thread_boot(apic_id() ^ i, work) != NULL)) return check_summary();
    work(this_thread());
    printf("%u ticks in the loop of the boot thread\n", in_loop);
    return check_summary();
}

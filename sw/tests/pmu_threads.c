// The PMU and the threads of one core: banks, the shared time-stamp counter, any-thread mode,
// sampling on all four at once, and the target of the interrupt of an event without thread context.
//
// Command line: contextless=owner when the platform sends it to the counter's owner
// (pmu.contextless_pmi).
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "drivers/sampling/samples.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define THREADS 4
#define VECTOR 0x60
#define INSTRUCTIONS PMU_EVENT_INSTRUCTIONS_EXECUTED
#define COUNTED(n) (USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(n))

// Orders to the other threads; thread index i has request[i].
static void (*volatile work)(struct thread*);
static volatile u32 request[THREADS], done[THREADS];
static u32 ids[THREADS];

static void serve(struct thread* t) {
    irq_enable();
    for (;;) {
        while (request[t->index] == done[t->index]) platform_delay(50);
        work(t);
        done[t->index] = request[t->index];
    }
}

static void begin(u32 index, void (*fn)(struct thread*)) {
    work = fn;
    ++request[index];
}
static void finish(u32 index) {
    while (done[index] != request[index]) platform_delay(50);
}
static void on_thread(u32 index, void (*fn)(struct thread*)) {
    begin(index, fn);
    finish(index);
}

static void write_bank(struct thread* t) {
    pmu_reset();
    pmu_write(0, 0x1000 + t->index);
    wrmsr(MSR_PERF_EVENT_SELECT + 1, PMU_EVENT_BRANCHES | PMU_CMASK(t->index));
    pmu_set_filter(t->index & 3, t->index % 2 == 1);
}
static void read_bank(struct thread* t) {
    CHECK_EQ(pmu_read(0), 0x1000 + t->index);
    CHECK_EQ(rdpmc(0), 0x1000 + t->index);
    CHECK_EQ(rdmsr(MSR_PERF_EVENT_SELECT + 1), PMU_EVENT_BRANCHES | PMU_CMASK(t->index));
    CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL),
             (t->index & 3) | (t->index % 2 == 1 ? PMU_USER_PREFERENCE : 0));
}

static void check_banks(void) {
    write_bank(this_thread());
    for (u32 i = 1; i < THREADS; ++i) on_thread(i, write_bank);
    read_bank(this_thread());
    for (u32 i = 1; i < THREADS; ++i) on_thread(i, read_bank);
}

static volatile u64 tsc_seen;
static void read_tsc(struct thread* t) {
    (void)t;
    tsc_seen = rdtsc();
}
static void write_tsc(struct thread* t) {
    (void)t;
    wrmsr(MSR_TSC, 0x5000000000000000);
}

static void check_shared_tsc(void) {
    u64 before = rdtsc();
    on_thread(1, read_tsc);
    CHECK(tsc_seen > before && tsc_seen < rdtsc());
    on_thread(2, write_tsc);
    before = rdtsc();
    CHECK(before >= 0x5000000000000000 && before < 0x5000000000000000 + 10000000);
}

#define ROUNDS 700
static void run_loop(struct thread* t) {
    pmu_reset();
    user_call(kernel_loop, ROUNDS + t->index);
}

// This thread remains at ring 0 while others run at ring 3.
static void check_any_thread(void) {
    pmu_reset();
    pmu_select(0, INSTRUCTIONS | PMU_USER | PMU_ANY_THREAD, 0);
    pmu_select(1, INSTRUCTIONS | PMU_USER, 0);
    pmu_start(3);
    u64 expected = 0;
    for (u32 i = 1; i < THREADS; ++i) {
        on_thread(i, run_loop);
        expected += COUNTED(ROUNDS + i);
        CHECK_EQ(pmu_read(0), expected);
    }
    // All at once, this one too.
    for (u32 i = 1; i < THREADS; ++i) begin(i, run_loop);
    user_call(kernel_loop, ROUNDS);
    for (u32 i = 1; i < THREADS; ++i) finish(i);
    pmu_stop();
    CHECK_EQ(pmu_read(0), 2 * expected + COUNTED(ROUNDS));
    CHECK_EQ(pmu_read(1), COUNTED(ROUNDS));
}

static struct event_sampler samplers[THREADS];
static u64 period(u32 index) {
    return 499 + 8 * index;
}
static u64 rounds(u32 index) {
    return 20000 + 1000 * index;
}

static void sample(struct thread* t) {
    struct event_sampler* s = &samplers[t->index];
    s->counter[0] = (struct event_counter){INSTRUCTIONS | PMU_USER, period(t->index), 0, 0};
    s->counter[1] = (struct event_counter){INSTRUCTIONS | PMU_USER, period(t->index) + 4, 0, 0};
    s->join = t->index != 0;
    event_sampling_start(s);
    if (t->index == 0) {
        for (u32 i = 1; i < THREADS; ++i) begin(i, sample);
    }
    user_call(kernel_loop, rounds(t->index));
    event_sampling_stop(s);
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        const u64 events = COUNTED(rounds(t->index));
        CHECK_EQ(event_sampling_total(s, n), events);
        CHECK_EQ(s->counter[n].samples + s->counter[n].missed, events / s->counter[n].period);
    }
}

static void check_sampling(void) {
    sample(this_thread());
    for (u32 i = 1; i < THREADS; ++i) finish(i);
    u64 all = 0, mine[THREADS] = {0};
    for (u32 i = 0; i < THREADS; ++i) {
        all += samplers[i].counter[0].samples + samplers[i].counter[1].samples;
    }
    CHECK_EQ(knc_samples.count, all);
    for (u32 k = 0; k < samples_stored(); ++k) {
        for (u32 i = 0; i < THREADS; ++i) mine[i] += knc_samples.records[k].thread == ids[i];
    }
    for (u32 i = 0; i < THREADS; ++i) {
        CHECK_EQ(mine[i], samplers[i].counter[0].samples + samplers[i].counter[1].samples);
    }
}

#define CLOCKS PMU_EVENT_CPU_CLK_UNHALTED

// Each thread samples the clocks of the core at its own period; counter 1 counts the same clocks,
// without interrupts. All interrupts are the thread's own, and none is missing.
static void sample_clocks(struct thread* t) {
    struct event_sampler* s = &samplers[t->index];
    s->counter[0] = (struct event_counter){CLOCKS | PMU_USER, 3001 + 16 * t->index, 0, 0};
    s->counter[1] = (struct event_counter){CLOCKS | PMU_USER, 0, 0, 0};
    s->join = t->index != 0;
    event_sampling_start(s);
    user_call(kernel_loop, rounds(t->index));
    event_sampling_stop(s);
    const u64 clocks = pmu_read(1);
    // A round has two instructions, a clock at most two; each thread gets every fourth clock or
    // more.
    CHECK(clocks >= rounds(t->index));
    CHECK_EQ(event_sampling_total(s, 0), clocks);
    CHECK_EQ(s->counter[0].samples, clocks / s->counter[0].period);
    CHECK_EQ(s->counter[0].missed, 0);
    CHECK_EQ(s->interrupts, s->counter[0].samples);
    CHECK_EQ(s->idle, 0);
}

static void poll(struct thread* t) {
    (void)t;
    user_call(kernel_loop, rounds(0));
}

static void check_clocks(void) {
    // One thread alone, one beside three that poll, and all four at once.
    sample_clocks(this_thread());
    for (u32 i = 1; i < THREADS; ++i) begin(i, poll);
    sample_clocks(this_thread());
    for (u32 i = 1; i < THREADS; ++i) finish(i);
    for (u32 i = 1; i < THREADS; ++i) begin(i, sample_clocks);
    sample_clocks(this_thread());
    for (u32 i = 1; i < THREADS; ++i) finish(i);
}

static volatile u32 pmis[THREADS];
static volatile u8 written_lines[16][64] __attribute__((aligned(64)));

static void on_pmi(struct trap_frame* f) {
    (void)f;
    ++pmis[this_thread()->index];
    apic_eoi();
}

// Writes lines and evicts them from the L1. Each eviction is a write-back, an event of the core,
// caused while this thread is in the execution stage.
static void write_back(struct thread* t) {
    (void)t;
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    for (u32 i = 0; i < 16; ++i) {
        written_lines[i][0] = 1;
        __asm__ volatile("lock addl $0, (%%rsp)" : : : "memory", "cc");
        __asm__ volatile("clevict0 (%0)" : : "a"(written_lines[i]) : "memory");
    }
    // Wakes the owner if the interrupt went to another thread.
    apic_send_fixed(ids[0], VECTOR + 1);
}
static void on_wake(struct trap_frame* f) {
    (void)f;
    apic_eoi();
}

// Write-backs belong to no thread. The owner of the counter halts; thread 1 causes them.
static void check_contextless(bool owner) {
    trap_set_handler(VECTOR, on_pmi);
    trap_set_handler(VECTOR + 1, on_wake);
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    irq_disable();
    // The first lines that leave the L1 may be others; at least 16 write-backs are certain.
    pmu_select(0, PMU_EVENT_DATA_CACHE_LINES_WRITTEN_BACK | PMU_OS | PMU_INT, 0 - 8ul);
    pmu_start(1);
    begin(1, write_back);
    irq_enable_and_halt();
    finish(1);
    irq_enable();
    pmu_stop();
    CHECK_EQ(pmis[0], owner ? 1 : 0);
    CHECK_EQ(pmis[1], owner ? 0 : 1);
    // The bit is in the counter's own bank either way.
    CHECK_EQ(pmu_status(), 1);
}

int main(void) {
    ids[0] = apic_id();
    for (u32 i = 1; i < THREADS; ++i) {
        ids[i] = ids[0] ^ i;
        if (!CHECK(thread_boot(ids[i], serve) != NULL)) return check_summary();
    }
    irq_enable();
    check_banks();
    check_shared_tsc();
    check_any_thread();
    check_sampling();
    check_clocks();
    check_contextless(option("contextless=owner"));
    return check_summary();
}

// Gathers, scatters and pairs of VLOADUNPACK and VPACKSTORE under interrupts: of the APIC's timer,
// from another thread, of a counter that overflows. Each handler compares what the executions
// before it have done with what they must have done, uses the whole vector unit for something
// else, and restores it; now and then it empties the caches, so that the next access waits. The
// results and the events of the unit are those of a run without interrupts.
//
// Command line: last=ID (threads 1 to ID work, default 1), rounds=N (of each kernel, default 10).
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/vm.h"
#include "tests/vector_kernels.h"

#define TIMER_VECTOR 0x50
#define IPI_VECTOR 0x51
#define PMI_VECTOR 0xE0  // of event_sampling
#define BYTES (2 * VM_PAGE)

enum source { NOTHING, TIMER, IPI, OVERFLOW, SOURCES };
static const char* const source_names[SOURCES] = {"nothing", "timer", "IPI", "overflow"};

// What a thread executes, by the index of the thread.
static struct job {
    struct vector_unit interrupted;
    u8 lanes[64];  // zmm1 before the kernel
    u8 result[64];
    struct arguments arguments;
    const struct kernel* kernel;
    struct plan plan;
    u8 *area, *shadow;  // `shadow` is changed by integers, after the kernel
    volatile u64 interrupts, inside, partial;
    u64 random, random_period;
    struct event_sampler sampler;
    u64 totals[SOURCES][2][PMU_COUNTERS];
} jobs[MOST_THREADS];

static struct barrier barrier;
static volatile enum source source;
static struct counter at_work;
static u64 rounds;

// Lanes that are done where the interrupt came.
static u32 lanes_done(const struct job* j, const u8* rip, u32 k1) {
    if (kernel_sparse(j->kernel)) return j->plan.active & ~k1;
    if (rip == j->kernel->end) return j->plan.active;
    if (rip == j->kernel->at || j->plan.count == 0) return 0;
    // Between the two forms: what the first has reached.
    return j->plan.steps[0].rip == j->kernel->at ? j->plan.steps[0].served : 0;
}

// Whether another lane of those done stores to the same place.
static bool overwritten(const struct job* j, u32 done, u32 n) {
    for (u32 m = 0; m < kernel_lanes(j->kernel); ++m)
        if (m != n && (done >> m & 1) != 0 && j->plan.at[m] == j->plan.at[n]) return true;
    return false;
}

static void check_lanes(const struct job* j, u32 done) {
    const struct kernel* const k = j->kernel;
    const u64 shift = (u64)(j->shadow - j->area);
    const u8* const zmm1 = j->interrupted.bytes + 64;
    for (u32 n = 0; n < kernel_lanes(k); ++n) {
        const bool is_done = (done >> n & 1) != 0;
        const u64 lane = lane_of(k, zmm1, n), before = lane_of(k, j->lanes, n);
        if (!k->store) {
            CHECK_EQ(lane, is_done ? element_at(k, j->plan.at[n] + shift) : before);
            continue;
        }
        CHECK_EQ(lane, before);
        if ((j->plan.active >> n & 1) == 0 || overwritten(j, done, n)) continue;
        CHECK_EQ(element_at(k, j->plan.at[n]),
                 is_done ? lane & (k->bytes == 8 ? ~0ul : (1ul << 8 * k->bytes) - 1)
                         : element_at(k, j->plan.at[n] + shift));
    }
}

// What all handlers do, while no counter counts.
static void use_vector_unit(struct job* j, const struct trap_frame* f) {
    vector_save(&j->interrupted);
    vector_clobber();
    const u8* const rip = (const u8*)f->rip;
    if (rip >= j->kernel->at && rip <= j->kernel->end) {
        ++j->inside;
        u16 k1;
        memcpy(&k1, j->interrupted.bytes + 2048 + 2, sizeof k1);
        const u32 done = lanes_done(j, rip, k1);
        if (done != 0 && done != j->plan.active) ++j->partial;
        check_lanes(j, done);
    }
    if (random_below(&j->random_period, 4) == 0) __asm__ volatile("wbinvd" : : : "memory");
    vector_restore(&j->interrupted);
    ++j->interrupts;
}

static void set_timer(struct job* j) {
    apic_timer_start(TIMER_VECTOR, false, 1, 40 + random_below(&j->random_period, 400));
}

static void on_timer(struct trap_frame* f) {
    const u32 running = pmu_stop();
    struct job* const j = &jobs[this_thread()->index];
    use_vector_unit(j, f);
    apic_eoi();
    pmu_start(running);
    if (source == TIMER) set_timer(j);
}
static void on_ipi(struct trap_frame* f) {
    const u32 running = pmu_stop();
    use_vector_unit(&jobs[this_thread()->index], f);
    apic_eoi();
    pmu_start(running);
}
static trap_handler service;
static void on_overflow(struct trap_frame* f) {
    const u32 running = pmu_stop();
    use_vector_unit(&jobs[this_thread()->index], f);
    pmu_start(running);
    service(f);
}

static void run_once(struct job* j, const struct kernel* k) {
    struct arguments* const a = &j->arguments;
    // The handler sees one kernel and its plan.
    irq_disable();
    random_arguments(&j->random, k, BYTES, a);
    j->kernel = k;
    plan_kernel(&j->plan, k, (u64)j->area + a->base, a->index, a->mask);
    memcpy(j->lanes, a->lanes, 64);
    memcpy(j->result, a->lanes, 64);
    irq_enable();
    const u32 left = k->run(j->area + a->base, a->index, j->result, a->mask);
    irq_disable();
    for (u32 n = 0; n < j->plan.count; ++n)
        apply_lanes(&j->plan, k, j->plan.steps[n].served, (u64)(j->shadow - j->area), a->lanes);
    CHECK_EQ(left, kernel_sparse(k) ? 0 : a->mask);
    CHECK(memcmp(j->result, a->lanes, 64) == 0);
}

// The events of the unit, and how many of them are apart in OVERFLOW.
static const u32 events[][PMU_COUNTERS] = {
    {PMU_EVENT_VPU_INSTRUCTIONS_EXECUTED, PMU_EVENT_VPU_ELEMENTS_ACTIVE},
    {PMU_EVENT_VPU_DATA_READ, PMU_EVENT_VPU_DATA_WRITE}};
#define PAIRS (sizeof events / sizeof events[0])
static const u64 periods[PAIRS][PMU_COUNTERS] = {{17, 151}, {11, 7}};

static void run_all(struct job* j, u64 pair) {
    for (u32 n = 0; n < PMU_COUNTERS; ++n) {
        const u64 period = source == OVERFLOW ? periods[pair][n] : PMU_COUNTER_MASK + 1;
        j->sampler.counter[n] = (struct event_counter){events[pair][n] | PMU_OS, period, 0, 0};
    }
    j->sampler.join = j != &jobs[1];
    event_sampling_start(&j->sampler);
    trap_set_handler(PMI_VECTOR, on_overflow);
    if (source == TIMER) set_timer(j);
    for (u32 k = 0; k < KERNELS; ++k) run_once(j, &kernels[k]);
    event_sampling_stop(&j->sampler);
    apic_timer_stop();
    CHECK_EQ(j->sampler.idle, 0);
    for (u32 n = 0; n < PMU_COUNTERS; ++n)
        j->totals[source][pair][n] += event_sampling_total(&j->sampler, n);
}

static bool equal(const u8* a, const u8* b) {
    u64 different = 0;
    for (u32 n = 0; n < BYTES; n += 8) different |= *(const u64*)(a + n) ^ *(const u64*)(b + n);
    return different == 0;
}

// The same kernels with the same arguments for each source of interrupts.
static void work(struct thread* t) {
    struct job* const j = &jobs[t->index];
    apic_enable();
    for (u32 s = NOTHING; s < SOURCES; ++s) {
        j->random = 0x2545F4914F6CDD1Dul + t->index;
        j->interrupts = j->inside = j->partial = 0;
        barrier_wait(&barrier);
        for (u64 n = 0; n < rounds; ++n) run_all(j, n % PAIRS);
        CHECK(equal(j->area, j->shadow));
        for (u64 n = 0; n < PAIRS * PMU_COUNTERS; ++n)
            CHECK_EQ(j->totals[s][n / 2][n % 2], j->totals[NOTHING][n / 2][n % 2]);
        if (s == NOTHING) {
            CHECK_EQ(j->interrupts, 0);
        } else {
            CHECK(j->inside > rounds / 2);
            CHECK(j->partial > rounds / 8);
        }
        printf(
            "thread %u, %s: %lu interrupts, %lu inside a kernel, %lu of them between its steps\n",
            t->apic_id, source_names[s], j->interrupts, j->inside, j->partial);
        atomic_fetch_add(&at_work.value, ~0ul);
        barrier_wait(&barrier);
    }
}

static bool prepare(struct job* j) {
    j->area = heap_allocate(BYTES, VM_PAGE);
    j->shadow = heap_allocate(BYTES, VM_PAGE);
    if (j->area == NULL || j->shadow == NULL) return false;
    j->random_period = 77;
    for (u32 n = 0; n < BYTES; ++n) j->area[n] = (u8)random_below(&j->random_period, 256);
    memcpy(j->shadow, j->area, BYTES);
    return true;
}

// Interrupts each worker again when it has handled the interrupt before. An interrupt of the timer
// that was pending at the end of its part counts in place of one of them.
static void send_interrupts(u32 last) {
    static u64 sent[MOST_THREADS];
    u64 random = 99;
    for (u32 id = 1; id <= last; ++id) sent[id] = jobs[id].interrupts;
    while (at_work.value != 0) {
        platform_delay(random_below(&random, 60));
        for (u32 id = 1; id <= last; ++id) {
            const u64 handled = jobs[id].interrupts;
            if (handled < sent[id]) continue;
            sent[id] = handled + 1;
            apic_send_fixed(id, IPI_VECTOR);
        }
    }
}

// The boot thread starts each part and interrupts the others in one of them.
static void conduct(u32 last) {
    for (u32 s = NOTHING; s < SOURCES; ++s) {
        source = s;
        at_work.value = last;
        barrier_wait(&barrier);
        if (s == IPI) send_interrupts(last);
        while (at_work.value != 0) platform_delay(1000);
        barrier_wait(&barrier);
    }
}

int main(void) {
    const u32 last = (u32)option_number("last", 1);
    rounds = option_number("rounds", 10);
    if (!CHECK(last >= 1 && last < MOST_THREADS)) return check_summary();
    for (u32 n = 1; n <= last; ++n)
        if (!CHECK(prepare(&jobs[n]))) return check_summary();
    barrier.members = last + 1;
    trap_set_handler(TIMER_VECTOR, on_timer);
    trap_set_handler(IPI_VECTOR, on_ipi);
    // Takes the handler of the PMI to put another around it.
    event_sampling_start(&jobs[1].sampler);
    event_sampling_stop(&jobs[1].sampler);
    service = trap_set_handler(PMI_VECTOR, on_overflow);
    if (CHECK_EQ(thread_boot_range(1, last, work), last)) conduct(last);
    return check_summary();
}

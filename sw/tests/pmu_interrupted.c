// Counts of instructions that make several accesses and are interrupted between and before them: by
// the overflows of both counters at short periods, and by a timer whose handler empties the caches,
// so that the accesses of the next instruction, and of the next entry, all wait for memory.
//
// Every total is exact, and every interrupt has an overflow as its cause: each counter has
// floor(total / period) interrupts.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "lib/vm.h"

#define BYTES (1ul << 20)
#define WORDS (BYTES / 8)
#define TIMER_VECTOR 0x61

typedef void (*region)(u64 rounds, const void* from, void* to);
void region_move(u64, const void*, void*);
void region_move_bytes(u64, const void*, void*);
void region_store(u64, const void*, void*);
void region_load(u64, const void*, void*);
void region_compare(u64, const void*, void*);
void region_scan(u64, const void*, void*);
void region_single(u64, const void*, void*);
void region_push_pop(u64, const void*, void*);
void region_update(u64, const void*, void*);
void region_enter(u64, const void*, void*);
void region_far(u64, const void*, void*);
extern char far_target[];

static u8 *from, *to;
static u64* far_pointer;

// Reads and writes of each round of a region, in accesses of one line each; rounds with warm and
// with cold caches.
static const struct {
    const char* name;
    region code;
    u64 reads, writes;
    u64 warm_rounds, cold_rounds;
} cases[] = {
    {"rep movsq", region_move, 1, 1, WORDS, WORDS / 16},
    {"rep movsb", region_move_bytes, 1, 1, 5000, 5000},
    {"rep stosq", region_store, 0, 1, WORDS, WORDS / 16},
    {"rep lodsq", region_load, 1, 0, WORDS, WORDS / 16},
    {"repe cmpsq", region_compare, 2, 0, WORDS, WORDS / 16},
    {"repne scasq", region_scan, 1, 0, WORDS, WORDS / 16},
    // Reads: one of MOVSQ, two of CMPSQ.
    {"movsq, cmpsq", region_single, 3, 1, 20000, 4000},
    // PUSH reads its operand and writes the stack, POP reads the stack and writes its operand.
    {"push and pop of memory", region_push_pop, 2, 2, 16384, 2000},
    {"lock inc, add to memory", region_update, 2, 2, 16384, 2000},
    // ENTER of level 2 reads the frame pointer of the level above and writes three: RBP, that one,
    // and its own. LEAVE reads RBP.
    {"enter and leave", region_enter, 2, 3, 10000, 2000},
    // CALL reads the pointer and the descriptor and writes CS and RIP; RET reads both and the
    // descriptor.
    {"far call and return", region_far, 5, 2, 10000, 2000},
};
#define CASES (sizeof cases / sizeof cases[0])

// The region that ring 3 runs.
static USER_BSS struct {
    region code;
    u64 rounds;
    const void* from;
    void* to;
} job;

static u64 run_job(u64 unused) {
    job.code(job.rounds, job.from, job.to);
    return unused;
}

static volatile u32 ticks;
static bool cold;

static void on_tick(struct trap_frame* f) {
    (void)f;
    ++ticks;
    if (cold) __asm__ volatile("wbinvd" : : : "memory");
    apic_eoi();
}

static struct event_sampler sampler;

static u64 per_round(u64 n, u32 event) {
    return (event != PMU_EVENT_DATA_WRITE ? cases[n].reads : 0) +
           (event != PMU_EVENT_DATA_READ ? cases[n].writes : 0);
}

// Runs case `n`. Both counters count, armed at `period` (0: they start at 0) and `period` + 2, and
// the timer runs.
static void run(u64 n, u32 event0, u32 event1, u64 period, u32 timer) {
    const u64 rounds = cold ? cases[n].cold_rounds : cases[n].warm_rounds;
    const u64 want[PMU_COUNTERS] = {rounds * per_round(n, event0), rounds * per_round(n, event1)};
    const u64 p = period == 0 ? PMU_COUNTER_MASK + 1 : period;
    sampler.counter[0] = (struct event_counter){event0 | PMU_USER, p, 0, 0};
    sampler.counter[1] = (struct event_counter){event1 | PMU_USER, p + 2 * (period != 0), 0, 0};
    job.code = cases[n].code;
    job.rounds = rounds;
    job.from = cases[n].code == region_far ? (const void*)far_pointer : from;
    job.to = to;
    ticks = 0;
    event_sampling_start(&sampler);
    pmu_set_filter(3, false);
    apic_timer_start(TIMER_VECTOR, true, 1, timer);
    user_call(run_job, 0);
    apic_timer_stop();
    event_sampling_stop(&sampler);
    printf("%s: %u ticks, %lu and %lu overflows, %lu false interrupts\n", cases[n].name, ticks,
           sampler.counter[0].samples, sampler.counter[1].samples, sampler.idle);
    CHECK_EQ(sampler.idle, 0);
    for (unsigned c = 0; c < PMU_COUNTERS; ++c) {
        const struct event_counter* e = &sampler.counter[c];
        CHECK_EQ(event_sampling_total(&sampler, c), want[c]);
        CHECK_EQ(e->samples + e->missed, want[c] / e->period);
    }
}

int main(void) {
    from = heap_allocate(BYTES, VM_PAGE);
    to = heap_allocate(BYTES, VM_PAGE);
    far_pointer = heap_allocate(VM_PAGE, VM_PAGE);
    if (!CHECK(from != NULL && to != NULL && far_pointer != NULL)) return check_summary();
    CHECK(vm_protect(from, BYTES, VM_USER | VM_WRITE));
    CHECK(vm_protect(to, BYTES, VM_USER | VM_WRITE));
    CHECK(vm_protect(far_pointer, VM_PAGE, VM_USER | VM_WRITE));
    far_pointer[0] = (u64)far_target;
    far_pointer[1] = USER_CODE | 3;
    trap_set_handler(TIMER_VECTOR, on_tick);
    irq_enable();
    const u32 read = PMU_EVENT_DATA_READ, write = PMU_EVENT_DATA_WRITE;
    for (u64 n = 0; n < CASES; ++n) {
        cold = false;
        run(n, read, write, 0, 1500);
        run(n, read, write, 101, 1499);
        cold = true;
        run(n, read, write, 0, 12007);
        run(n, PMU_EVENT_DATA_READ_OR_WRITE, read, 97, 13001);
        run(n, write, PMU_EVENT_DATA_READ_OR_WRITE, 7001, 16001);
    }
    return check_summary();
}

#include "lib/team.h"

#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"

#define LARGE_PAGE (2ul << 20)
#define THREADS_PER_CORE 4
// From the order to begin to the begin: by then every member has seen the order.
#define START_CLOCKS 5000
#define START_CLOCKS_PER_MEMBER 250

// By the index of the thread. Each has a line of its own.
static struct {
    u64 number;  // of the member
    u64 begin, end;
} __attribute__((aligned(64))) members[MOST_THREADS + 1];

static u64 cores, size;
static bool boot_thread_too;
static struct barrier steps;

// The order: begin `work` at time `start_at`. Each member obeys one for each new `round`.
static void (*work)(u64 member);
static u64 start_at;
static struct counter round, ready, finished;

// What is not the work itself is read and written outside the time that counts.
static void obey(u32 index) {
    void (*const job)(u64 member) = work;
    const u64 number = members[index].number;
    const u64 start = start_at;
    while (rdtsc() < start) platform_delay(16);
    const u64 begin = rdtsc();
    job(number);
    memory_barrier();
    members[index].end = rdtsc();
    members[index].begin = begin;
    atomic_fetch_add(&finished.value, 1);
}

static void serve(struct thread* t) {
    atomic_fetch_add(&ready.value, 1);
    for (u64 done = 0;; ++done) {
        while (round.value == done) platform_delay(1000);
        obey(t->index);
    }
}

u64 team_start(void) {
    cores = option_number("cores", 1);
    const u64 step = option_number("step", 1);
    const u64 threads = option_number("threads", 1);
    if (!CHECK(cores >= 1 && threads >= 1 && threads <= THREADS_PER_CORE)) return 0;
    if (!CHECK(cores * threads <= MOST_THREADS)) return 0;
    u64 started = 0;
    for (u64 c = 0; c < cores; ++c)
        for (u64 t = 0; t < threads; ++t) {
            const u32 id = (u32)(c * step * THREADS_PER_CORE + t);
            const bool here = id == apic_id();
            members[here ? 0 : started + 1].number = size;
            if (here)
                boot_thread_too = true;
            else if (CHECK(thread_boot(id, serve) != NULL))
                ++started;
            else
                continue;
            ++size;
        }
    while (ready.value < started) platform_delay(1000);
    steps.members = size;
    // The threads' stacks split large pages. What is allocated from here on lies in whole ones.
    heap_allocate(0, LARGE_PAGE);
    return size;
}

u64 team_run(void (*job)(u64 member)) {
    work = job;
    finished.value = 0;
    start_at = rdtsc() + START_CLOCKS + START_CLOCKS_PER_MEMBER * size;
    memory_barrier();
    ++round.value;
    if (boot_thread_too) obey(0);
    while (finished.value < size) platform_delay(1000);
    u64 begin = ~0ul, end = 0;
    for (u64 i = !boot_thread_too; i < size + !boot_thread_too; ++i) {
        if (members[i].begin < begin) begin = members[i].begin;
        if (members[i].end > end) end = members[i].end;
    }
    return end - begin;
}

void team_wait(void) {
    barrier_wait(&steps);
}

u64 team_core_rate(u64 amount, u64 clocks) {
    return amount * 100 / (clocks * cores);
}

void team_report(const char* unit, u64 amount, u64 clocks) {
    const u64 all = amount * 100 / clocks;
    const u64 each = team_core_rate(amount, clocks);
    printf("measured %lu %s in %lu clocks: %lu.%02lu per clock, %lu.%02lu of each core\n", amount,
           unit, clocks, all / 100, all % 100, each / 100, each % 100);
}

// Bandwidth: threads that read, write or copy arrays of their own, line by line.
//
// Command line:
//   cores=N, step=S    cores that take part (default 1), distance from one to the next (default 1);
//                      the first is core 0
//   threads=T          of each of them (default 1)
//   bytes=N            of each thread's array, a multiple of 256 (default 262144)
//   passes=N           over the array that are timed (default 1)
//   warm               one untimed pass first
//   touch|write|copy   per line: one load; eight stores; eight loads and eight stores to a second
//                      array. Otherwise eight loads
//   l1=N, l2=N         prefetch into the L1 so many lines ahead, and into the L2 (default 0: none;
//                      l2 only together with l1)
//
// Exit code 0 when every requested thread took part and all stores have reached memory.
// The last line of the console is "measured N lines in M clocks", from the begin of the first
// thread to the end of the last; a copied line counts twice, as in STREAM.
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"

#define LINE 64ul
#define LARGE_PAGE (2ul << 20)
#define THREADS_PER_CORE 4
#define MOST_THREADS 248
// Clocks from the decision to begin to the begin; by then every thread knows of it.
#define START_CLOCKS 60000

typedef void kernel(const u8* from, const u8* end, u64 l1, u8* to, u64 l2);
kernel read_plain, touch_plain, write_plain, copy_plain;
kernel read_near, touch_near, write_near, copy_near;
kernel read_far, touch_far, write_far, copy_far;

static const struct {
    const char* option;
    u64 lines;  // lines counted for each line of the array
    kernel *plain, *near, *far;
} operations[] = {
    {"touch", 1, touch_plain, touch_near, touch_far},
    {"write", 1, write_plain, write_near, write_far},
    {"copy", 2, copy_plain, copy_near, copy_far},
    {NULL, 1, read_plain, read_near, read_far},
};

// Set before the threads start.
static kernel* pass;
static u64 bytes, passes, l1, l2;
static bool warm;

static struct share {
    u8* array;  // and as much again, for copies
    u64 begin, end;
} shares[MOST_THREADS] __attribute__((aligned(64)));
static volatile u64 ready __attribute__((aligned(64)));
static volatile u64 start_at __attribute__((aligned(64)));  // time stamp; 0: not known yet
static volatile u64 finished __attribute__((aligned(64)));

static void run_pass(u8* array) {
    pass(array, array + bytes, l1, array + bytes, l2);
}

static void stream(struct share* s) {
    if (warm) run_pass(s->array);
    // Brings its code into the cache.
    pass(s->array, s->array + 4 * LINE, 0, s->array + bytes, 0);
    atomic_fetch_add(&ready, 1);
    while (start_at == 0) platform_delay(1000);
    while (rdtsc() < start_at) platform_delay(16);
    s->begin = rdtsc();
    for (u64 i = 0; i < passes; ++i) run_pass(s->array);
    memory_barrier();
    s->end = rdtsc();
    atomic_fetch_add(&finished, 1);
}

static void work(struct thread* t) {
    stream(&shares[t->index]);
}

// Lines counted for each line of an array.
static u64 choose_operation(void) {
    u64 i = 0;
    while (operations[i].option != NULL && !option(operations[i].option)) ++i;
    pass = l2 != 0 ? operations[i].far : l1 != 0 ? operations[i].near : operations[i].plain;
    return operations[i].lines;
}

// The last word of what a pass reads, and of what it stores.
static u64* last_read(const struct share* s) {
    return (u64*)(s->array + bytes) - 1;
}
static bool stored_right(const struct share* s) {
    if (option("write")) return *last_read(s) == (u64)(s->array + bytes);
    if (option("copy")) return *(u64*)((u8*)last_read(s) + bytes) == *last_read(s);
    return true;
}

// Starts the threads; the boot thread takes part if it is one of those requested. Returns their
// number.
static u64 start(u64 cores, u64 step, u64 threads, bool* boot_thread_too) {
    u64 started = 0;
    for (u64 c = 0; c < cores; ++c)
        for (u64 t = 0; t < threads; ++t) {
            const u32 id = (u32)(c * step * THREADS_PER_CORE + t);
            if (id == apic_id())
                *boot_thread_too = true;
            else if (!CHECK(thread_boot(id, work) != NULL))
                continue;
            ++started;
        }
    return started;
}

int main(void) {
    const u64 cores = option_number("cores", 1);
    const u64 threads = option_number("threads", 1);
    bytes = option_number("bytes", 256 << 10);
    passes = option_number("passes", 1);
    l1 = option_number("l1", 0) * LINE;
    l2 = option_number("l2", 0) * LINE;
    warm = option("warm");
    const u64 lines = choose_operation() * bytes / LINE * passes;
    if (!CHECK(cores * threads < MOST_THREADS)) return check_summary();
    // Two arrays each, if they copy.
    for (u64 i = 0; i <= cores * threads; ++i) {
        shares[i].array = heap_allocate(2 * bytes, LARGE_PAGE);
        if (!CHECK(shares[i].array != NULL)) return check_summary();
        *last_read(&shares[i]) = i + 1;
    }
    bool boot_thread_too = false;
    const u64 taking_part = start(cores, option_number("step", 1), threads, &boot_thread_too);
    while (ready < taking_part - boot_thread_too) platform_delay(1000);
    start_at = rdtsc() + START_CLOCKS;
    if (boot_thread_too) stream(&shares[0]);
    while (finished < taking_part) platform_delay(1000);

    u64 begin = ~0ul, end = 0, clocks = 0;
    for (u64 i = 0; i <= cores * threads; ++i) {
        if (shares[i].end == 0) continue;
        CHECK(stored_right(&shares[i]));
        if (shares[i].begin < begin) begin = shares[i].begin;
        if (shares[i].end > end) end = shares[i].end;
        clocks += shares[i].end - shares[i].begin;
    }
    printf("%lu threads, on average %lu clocks each\n", taking_part, clocks / taking_part);
    printf("measured %lu lines in %lu clocks\n", lines * taking_part, end - begin);
    return check_summary();
}

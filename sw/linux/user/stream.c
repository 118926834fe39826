// stream: bandwidth of copy, scale, add and triad over float64 arrays, with the card's vector unit.
//
//   stream [-C CPUS] [-n PROCESSES] [BYTES [PASSES]]
//
//   -C CPUS        default: all that are online
//   -n PROCESSES   on each CPU, default 1
//   BYTES          of each of a process's three arrays, a multiple of 256, default 262144
//   PASSES         over the four kernels, 1 to 9, default 2; the fastest counts, after one more
//   that is not timed
//
// Bytes are counted as STREAM does: two arrays for copy and scale, three for add and triad. The
// time of a kernel is that from the first process's begin to the last one's end.
#pragma GCC optimize("no-ivopts")

#include <stdio.h>

#include "lib/float_bits.h"
#include "lib/knc_vector.h"
#include "workers.h"

const char program[] = "stream";

#define LINE 64
#define UNROLLED 4
#define SCALAR 31  // register
#define PASSES 9   // with more, the numbers of the check have too many digits

enum operation { COPY, SCALE, ADD, TRIAD, OPERATIONS };
static const struct {
    const char* name;
    u64 arrays;
} operations[OPERATIONS] = {{"copy", 2}, {"scale", 2}, {"add", 3}, {"triad", 3}};

static u64 bytes = 262144, passes = 2;
static struct cpu_list cpus;

struct span {
    u64 start, end;
};
static struct span* spans;  // [pass][operation][process]
static struct span* span_of(u64 pass, int operation, int process) {
    return &spans[(pass * OPERATIONS + (u64)operation) * (u64)cpus.count + (u64)process];
}

// to[] = x[] operated with y[]
KNC_INLINE void run(const enum operation o, const u8* x, const u8* y, u8* to) {
    static const u64 three = 0x4008000000000000;
    const u8* const end = to + bytes;
    knc_vbroadcastsd(SCALAR, &three);
    do {
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) {
            if (o == SCALE)
                knc_vmulpd_load(i, SCALAR, x + i * LINE);
            else
                knc_vmovapd_load(i, x + i * LINE);
            if (o == ADD) knc_vaddpd_load(i, i, y + i * LINE);
            if (o == TRIAD) knc_vfmadd231pd_load(i, SCALAR, y + i * LINE);
        }
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) knc_vmovapd_store(to + i * LINE, i);
        x += UNROLLED * LINE;
        y += UNROLLED * LINE;
        to += UNROLLED * LINE;
    } while (to != end);
}
__attribute__((noinline)) static void copy(u8* a, u8* b, u8* c) {
    (void)b;
    run(COPY, a, a, c);
}
__attribute__((noinline)) static void scale(u8* a, u8* b, u8* c) {
    (void)a;
    run(SCALE, c, c, b);
}
__attribute__((noinline)) static void add(u8* a, u8* b, u8* c) {
    run(ADD, a, b, c);
}
__attribute__((noinline)) static void triad(u8* a, u8* b, u8* c) {
    run(TRIAD, b, c, a);
}
static void (*const kernels[OPERATIONS])(u8*, u8*, u8*) = {copy, scale, add, triad};

// a = 1 to 100 in turn, b = 2, c = 0. A pass turns a into 15 a: c = a, b = 3 a, c = 4 a, a = 3 a +
// 12 a.
static u64 start_value(u64 n) {
    return n % 100 + 1;
}
static void fill(u8* a, u8* b, u8* c) {
    for (u64 n = 0; n < bytes / 8; ++n) {
        ((knc_8*)a)[n] = float64_bits((i64)start_value(n));
        ((knc_8*)b)[n] = float64_bits(2);
        ((knc_8*)c)[n] = 0;
    }
}
static bool check(const u8* a, const u8* b, const u8* c) {
    u64 before = 1;
    for (u64 pass = 0; pass < passes; ++pass) before *= 15;  // the pass without time comes first
    for (u64 n = 0; n < bytes / 8; ++n) {
        const i64 x = (i64)(start_value(n) * before);
        if (((const knc_8*)a)[n] != float64_bits(15 * x)) return false;
        if (((const knc_8*)b)[n] != float64_bits(3 * x)) return false;
        if (((const knc_8*)c)[n] != float64_bits(4 * x)) return false;
    }
    return true;
}

static void work(int process, struct work_result* r, struct barrier* barrier) {
    // Arrays at a power of two from each other would meet in the same sets of the caches.
    const u64 spacing = bytes + 5 * LINE;
    u8* a = allocate(3 * spacing + LINE);
    a += -(u64)a & (LINE - 1);
    u8 *const b = a + spacing, *const c = b + spacing;
    fill(a, b, c);
    for (u64 pass = 0; pass <= passes; ++pass)
        for (int o = 0; o < OPERATIONS; ++o) {
            struct span* s = span_of(pass, o, process);
            barrier_wait(barrier);
            s->start = now();
            kernels[o](a, b, c);
            s->end = now();
        }
    barrier_wait(barrier);  // nobody checks while others on the same CPU are still measured
    r->correct = check(a, b, c);
}

static void report(int o) {
    u64 best = ~0ull;
    for (u64 pass = 1; pass <= passes; ++pass) {
        struct span all = *span_of(pass, o, 0);
        for (int i = 1; i < cpus.count; ++i) {
            const struct span* s = span_of(pass, o, i);
            if (all.start > s->start) all.start = s->start;
            if (all.end < s->end) all.end = s->end;
        }
        if (best > all.end - all.start) best = all.end - all.start;
    }
    const u64 moved = operations[o].arrays * bytes * (u64)cpus.count;
    printf("%-6s %10llu MB/s   %12llu bytes in %llu ns\n", operations[o].name,
           (unsigned long long)multiply_divide(moved, 1000, best != 0 ? best : 1),
           (unsigned long long)moved, (unsigned long long)best);
}

int main(int argc, char** argv) {
    static const char usage[] = "[-C CPUS] [-n PROCESSES] [BYTES [PASSES]]";
    int next = workers_options(argc, argv, usage, 1, &cpus);
    if (next < argc) bytes = number(argv[next++], "BYTES");
    if (next < argc) passes = number(argv[next++], "PASSES");
    if (next < argc || bytes == 0 || bytes % (UNROLLED * LINE) != 0 || passes == 0 ||
        passes > PASSES)
        usage_error(usage);

    spans = allocate_shared((passes + 1) * OPERATIONS * (u64)cpus.count * sizeof *spans);
    struct work_result* results = allocate((size_t)cpus.count * sizeof *results);
    bool good = workers_run(&cpus, work, results);
    for (int process = 0; process < cpus.count; ++process) {
        if (results[process].correct) continue;
        printf("cpu %d: wrong results\n", cpus.cpu[process]);
        good = false;
    }
    for (int o = 0; o < OPERATIONS && good; ++o) report(o);
    printf("stream: %d processes, %s\n", cpus.count, good ? "all results correct" : "FAILED");
    return good ? 0 : 1;
}

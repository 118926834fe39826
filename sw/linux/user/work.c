// work: a load whose functions have known shares, checked.
//
//   work [-C CPUS] [-n PROCESSES] [ROUNDS]
//
//   -C CPUS        default: all that are online
//   -n PROCESSES   on each CPU, default 1
//   ROUNDS         default 20; a round takes about 50000 instructions
//
// The functions share_10, share_20, share_30 and share_40 execute the same loop, in the ratio of
// their names: that is their share in percent of a round's instructions, but for some ten
// instructions at calls. Each step of the loop is x = FACTOR * x + ADDEND modulo 2^64. The result
// of n steps is also computed in log2(n) steps, by squaring the step; a difference is an error.
//
// Prints a line for each process, and the sum of all results, which depends on ROUNDS and the
// number of processes alone.
#include <stdio.h>

#include "workers.h"

const char program[] = "work";

#define FACTOR 6364136223846793005ull
#define ADDEND 1442695040888963407ull
#define UNIT 1234  // steps of a tenth of a round; a round's length is no multiple of usual periods

static u64 rounds = 20;

// The statement in the loop keeps the compiler from merging steps or functions; the one before it
// makes it set up a frame, without which call chains would leave out the caller.
#define SHARE(percent)                                            \
    __attribute__((noinline)) static u64 share_##percent(u64 x) { \
        __asm__ volatile("" : : "r"(__builtin_frame_address(0))); \
        for (u64 n = UNIT * percent / 10; n != 0; --n) {          \
            x = x * FACTOR + ADDEND;                              \
            __asm__ volatile("# " #percent : "+r"(x));            \
        }                                                         \
        return x;                                                 \
    }
SHARE(10)
SHARE(20)
SHARE(30)
SHARE(40)

__attribute__((noinline)) static u64 one_round(u64 x) {
    x = share_10(x);
    x = share_20(x);
    x = share_30(x);
    x = share_40(x);
    return x;
}

// The n-th power of the step x -> a x + c, applied to x.
static u64 expected(u64 x, u64 n) {
    u64 a = FACTOR, c = ADDEND;
    for (; n != 0; n >>= 1) {
        if ((n & 1) != 0) x = a * x + c;
        c = a * c + c;
        a = a * a;
    }
    return x;
}

static void work(int process, struct work_result* r, struct barrier* b) {
    (void)process;
    const u64 seed = 1;
    u64 x = seed;
    barrier_wait(b);
    r->start = now();
    for (u64 i = 0; i < rounds; ++i) x = one_round(x);
    r->end = now();
    r->checksum = x;
    r->correct = x == expected(seed, rounds * 10 * UNIT);
}

int main(int argc, char** argv) {
    static const char usage[] = "[-C CPUS] [-n PROCESSES] [ROUNDS]";
    static struct cpu_list cpus;
    int next = workers_options(argc, argv, usage, 1, &cpus);
    if (next < argc) rounds = number(argv[next++], "ROUNDS");
    if (next < argc) usage_error(usage);

    struct work_result* results = allocate((size_t)cpus.count * sizeof *results);
    if (!workers_run(&cpus, work, results)) die("a process has failed");
    bool good = true;
    u64 sum = 0;
    for (int cpu = 0; cpu < cpus.count; ++cpu) {
        const struct work_result* r = &results[cpu];
        printf("cpu %d: %llu rounds in %llu ns, result %016llx %s\n", cpus.cpu[cpu],
               (unsigned long long)rounds, (unsigned long long)(r->end - r->start),
               (unsigned long long)r->checksum, r->correct ? "correct" : "WRONG");
        sum += r->checksum;
        good = good && r->correct;
    }
    printf("work: checksum %016llx, %s\n", (unsigned long long)sum, good ? "correct" : "FAILED");
    return good ? 0 : 1;
}

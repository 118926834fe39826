// vectors: checks that each process keeps its vector and mask registers while others use theirs.
//
//   vectors [-C CPUS] [-n PROCESSES] [ROUNDS]
//
//   -C CPUS        default: all that are online
//   -n PROCESSES   on each CPU, default 3
//   ROUNDS         default 100
//
// In a round a process fills all 32 vectors and the masks k1 to k7 with numbers of its own, yields
// its CPU to the others, in every fourth round takes a signal whose handler changes all of them,
// and compares. Interrupts come at any time.
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/knc_vector.h"
#include "workers.h"

const char program[] = "vectors";

#define VECTORS 32
#define MASKS 8
struct registers {
    u64 vector[VECTORS][8] __attribute__((aligned(64)));
    u32 mask[MASKS];
};

static u64 rounds = 100;

static inline __attribute__((always_inline)) void load(const struct registers* r) {
#pragma GCC unroll 32
    for (int i = 0; i < VECTORS; ++i) knc_vmovapd_load(i, r->vector[i]);
#pragma GCC unroll 8
    for (int i = 1; i < MASKS; ++i) knc_kmov(i, r->mask[i]);
}
static inline __attribute__((always_inline)) void store(struct registers* r) {
#pragma GCC unroll 32
    for (int i = 0; i < VECTORS; ++i) knc_vmovapd_store(r->vector[i], i);
#pragma GCC unroll 8
    for (int i = 1; i < MASKS; ++i) __asm__ volatile("kmov %%k%c1, %0" : "=r"(r->mask[i]) : "i"(i));
}

// Numbers that depend on all of process, round and register.
static void fill(struct registers* r, u64 seed) {
    for (int i = 0; i < VECTORS; ++i)
        for (int lane = 0; lane < 8; ++lane)
            r->vector[i][lane] = (seed << 16 | (u64)(i << 8 | lane)) * 0x9E3779B97F4A7C15ull;
    r->mask[0] = 0;
    for (int i = 1; i < MASKS; ++i) r->mask[i] = (u32)(r->vector[i][0] >> 40 & 0xFFFF);
}

static void disturb(int signal_number) {
    static struct registers other;
    (void)signal_number;
    fill(&other, ~0ull);
    load(&other);
}

// The first register that is not as it was.
static void complain(u64 round, const struct registers* before, const struct registers* after) {
    for (int i = 0; i < VECTORS; ++i)
        for (int lane = 0; lane < 8; ++lane)
            if (before->vector[i][lane] != after->vector[i][lane]) {
                printf("round %llu: bits %d:%d of zmm%d became %016llx\n",
                       (unsigned long long)round, 64 * lane + 63, 64 * lane, i,
                       (unsigned long long)after->vector[i][lane]);
                return;
            }
    for (int i = 1; i < MASKS; ++i)
        if (before->mask[i] != after->mask[i]) {
            printf("round %llu: k%d became %x\n", (unsigned long long)round, i, after->mask[i]);
            return;
        }
}

static void work(int process, struct work_result* r, struct barrier* b) {
    static struct registers before, after;
    signal(SIGUSR1, disturb);
    barrier_wait(b);
    for (u64 round = 0; round < rounds; ++round) {
        fill(&before, (u64)process << 32 | round);
        load(&before);
        sched_yield();
        if (round % 4 == 3) raise(SIGUSR1);
        store(&after);
        if (memcmp(&before, &after, sizeof before) == 0) {
            ++r->checksum;
            continue;
        }
        complain(round, &before, &after);
        return;
    }
    r->correct = true;
}

int main(int argc, char** argv) {
    static const char usage[] = "[-C CPUS] [-n PROCESSES] [ROUNDS]";
    static struct cpu_list cpus;
    int next = workers_options(argc, argv, usage, 3, &cpus);
    if (next < argc) rounds = number(argv[next++], "ROUNDS");
    if (next < argc) usage_error(usage);

    struct work_result* results = allocate((size_t)cpus.count * sizeof *results);
    bool good = workers_run(&cpus, work, results);
    u64 kept = 0;
    for (int i = 0; i < cpus.count; ++i) {
        kept += results[i].checksum;
        good = good && results[i].correct;
    }
    printf("vectors: %d processes kept their registers in %llu of %llu rounds, %s\n", cpus.count,
           (unsigned long long)kept, (unsigned long long)(rounds * (u64)cpus.count),
           good ? "correct" : "FAILED");
    return good ? 0 : 1;
}

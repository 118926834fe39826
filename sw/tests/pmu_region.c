// Manual instrumentation of ring 3 code with the overhead of the bracket subtracted: the rest is
// exactly what the region contains.
#include "drivers/sampling/region.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/user.h"

// Instructions and data accesses of one line, in any number; the compiler adds nothing.
#define INSTRUCTIONS 400
#define LOADS 100
#define STORES 70
#define JUMPS 50
#define DIVIDES 20

static USER_BSS u64 line[8] __attribute__((aligned(64)));
static USER_BSS struct region overhead, net[5];

#define INSTRUMENTED(n, ...)                \
    do {                                    \
        struct region r;                    \
        region_begin(&r);                   \
        __asm__ volatile(__VA_ARGS__);      \
        region_end(&r);                     \
        net[n] = region_net(&r, &overhead); \
    } while (0)

static u64 instrumented(u64 unused) {
    // The address is in a register before the region begins.
    u64* at = line;
    __asm__ volatile("" : "+r"(at));
    overhead = region_overhead();
    INSTRUMENTED(0, "");
    INSTRUMENTED(1, ".rept %c0\n\tincl %%edx\n\t.endr" ::"i"(INSTRUCTIONS) : "edx", "cc");
    INSTRUMENTED(2,
                 ".rept %c1\n\tmovq (%0), %%rdx\n\t.endr\n\t"
                 ".rept %c2\n\tmovq %%rdx, 8(%0)\n\t.endr" ::"r"(at),
                 "i"(LOADS), "i"(STORES)
                 : "rdx", "memory");
    INSTRUMENTED(3, ".rept %c0\n\tjmp 1f\n\t1:\n\t.endr" ::"i"(JUMPS));
    INSTRUMENTED(4,
                 "movl $7, %%ecx\n\t.rept %c0\n\tmovl $100, %%eax\n\txorl %%edx, %%edx\n\t"
                 "divl %%ecx\n\t.endr" ::"i"(DIVIDES)
                 : "eax", "ecx", "edx", "cc");
    return unused;
}

static void measure(u32 event0, u32 event1) {
    region_prepare(event0 | PMU_USER, event1 | PMU_USER);
    user_call(instrumented, 0);  // code and data come into the caches
    region_prepare(event0 | PMU_USER, event1 | PMU_USER);
    user_call(instrumented, 0);
    pmu_stop();
}

static void check(unsigned counter, const u64 expected[5]) {
    for (u32 i = 0; i < 5; ++i) {
        if (!CHECK_EQ(net[i].count[counter], expected[i])) printf("  region %u\n", i);
    }
}

int main(void) {
    measure(PMU_EVENT_INSTRUCTIONS_EXECUTED, PMU_EVENT_BRANCHES);
    check(0, (const u64[]){0, INSTRUCTIONS, LOADS + STORES, JUMPS, 1 + 3 * DIVIDES});
    check(1, (const u64[]){0, 0, 0, JUMPS, 0});
    // The bracket itself: SPFLT 0, and the instruction that clears its operand.
    CHECK_EQ(overhead.count[0], 2);
    CHECK_EQ(overhead.count[1], 0);
    printf("the bracket takes %lu clocks\n", overhead.clocks);
    measure(PMU_EVENT_DATA_READ, PMU_EVENT_DATA_WRITE);
    check(0, (const u64[]){0, 0, LOADS, 0, 0});
    check(1, (const u64[]){0, 0, STORES, 0, 0});
    // A chain of increments: one a clock at most, one in two clocks for a thread alone. RDTSC
    // counts a few clocks more or less at the edges.
    CHECK_RANGE(net[0].clocks, 0, 4);
    CHECK_RANGE(net[1].clocks, 2 * INSTRUCTIONS - 8, 2 * INSTRUCTIONS + 8);
    // The processor's clocks by counter and by RDTSC, of the same region.
    measure(PMU_EVENT_CPU_CLK_UNHALTED, PMU_EVENT_INSTRUCTIONS_EXECUTED);
    for (u32 i = 0; i < 5; ++i)
        CHECK_RANGE(net[i].count[0], net[i].clocks - (net[i].clocks < 4 ? net[i].clocks : 4),
                    net[i].clocks + 4);
    return check_summary();
}

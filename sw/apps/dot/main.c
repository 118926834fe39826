// Dot products of float32 arrays, each reduced to one number by swizzles and permutations of the
// lanes.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   elements=N   of each thread's two arrays, a multiple of 128 (default 16384)
//   passes=N     that are timed (default 1)
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define LANES 16ul
// Registers 0 to 7 sum; 8 to 15 hold elements of the first array.
#define SUMS 8
#define AHEAD 16  // lines that are prefetched

static u64 elements, passes;
static u32 *first, *second;  // of each member `elements`
static u32* sums;            // of each member a line, all lanes the same

static i64 first_value(u64 n) {
    return (i64)(n * 5 % 17) - 8;
}
static i64 second_value(u64 n) {
    return (i64)(n * 3 % 13) - 6;
}

// Register d = the sums in registers d and s.
#define ADD(d, s) knc_vaddps(d, d, s)

static void reduce(void) {
    ADD(0, 1), ADD(2, 3), ADD(4, 5), ADD(6, 7);
    ADD(0, 2), ADD(4, 6);
    ADD(0, 4);
    // Each lane gets the sum of itself and its neighbour, of its group of four, of two groups, of
    // all.
    knc_vaddps_cdab(0, 0, 0);
    knc_vaddps_badc(0, 0, 0);
    knc_vpermf32x4(1, 0, 0xB1);
    ADD(0, 1);
    knc_vpermf32x4(1, 0, 0x4E);
    ADD(0, 1);
}

static void product(const u32* a, const u32* b, u32* to) {
    const u64 size = elements;
#pragma GCC unroll 8
    for (int i = 0; i < SUMS; ++i) knc_vpxord(i, i, i);
    for (u64 n = 0; n < size; n += SUMS * LANES) {
#pragma GCC unroll 8
        for (int i = 0; i < SUMS; ++i) {
            knc_vmovaps_load(SUMS + i, a + n + i * LANES);
            knc_vprefetch0(a + n + (i + AHEAD) * LANES);
        }
#pragma GCC unroll 8
        for (int i = 0; i < SUMS; ++i) {
            knc_vfmadd231ps_load(i, SUMS + i, b + n + i * LANES);
            knc_vprefetch0(b + n + (i + AHEAD) * LANES);
        }
    }
    reduce();
    knc_vmovaps_store(to, 0);
}

static void work(u64 member) {
    for (u64 i = 0; i < passes; ++i)
        product(first + member * elements, second + member * elements, sums + member * LANES);
}

static void fill(u64 member) {
    for (u64 n = member * elements; n < (member + 1) * elements; ++n) {
        first[n] = float32_bits(first_value(n));
        second[n] = float32_bits(second_value(n));
    }
}

// What all members' products add up to.
static struct counter total;

static void check(u64 member) {
    i64 sum = 0;
    for (u64 n = member * elements; n < (member + 1) * elements; ++n)
        sum += first_value(n) * second_value(n);
    for (u64 lane = 0; lane < LANES; ++lane)
        CHECK_EQ(sums[member * LANES + lane], float32_bits(sum));
    atomic_fetch_add(&total.value, (u64)sum);
}

int main(void) {
    elements = option_number("elements", 16384);
    passes = option_number("passes", 1);
    // Up to 2^18 elements no partial sum reaches 2^24, so that all are exact.
    if (!CHECK_RANGE(elements, SUMS * LANES, 1ul << 18)) return check_summary();
    if (!CHECK_EQ(elements % (SUMS * LANES), 0)) return check_summary();
    const u64 members = team_start();
    first = heap_allocate(members * elements * sizeof *first, LINE);
    second = heap_allocate(members * elements * sizeof *second, LINE);
    sums = heap_allocate(members * LINE, LINE);
    if (!CHECK(members != 0 && first != NULL && second != NULL && sums != NULL))
        return check_summary();
    team_run(fill);
    team_run(work);
    const u64 clocks = team_run(work);
    team_run(check);
    printf("the products of %lu members add up to %ld\n", members, (i64)total.value);
    team_report("flops", 2 * elements * passes * members, clocks);
    team_report("bytes", 8 * elements * passes * members, clocks);
    return check_summary();
}

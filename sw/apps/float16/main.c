// Conversion of float16: loads that widen to float32, a product, stores that round to float16.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   elements=N   of each thread, a multiple of 64 (default 65536: every float16 there is)
//   passes=N     that are timed (default 1)
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define LANES 16ul
#define UNROLLED 4
#define AHEAD 256  // elements that are prefetched
#define FACTOR 3u
static const u32 factor = 0x40400000;  // 3

static u64 elements, passes;
// Of each member `elements`, and as many more as it prefetches: they must not be another's.
static u16 *from, *to;
static u64 first_of(u64 member) {
    return member * (elements + AHEAD);
}

static void scale(const u16* source, u16* dest) {
    const u64 size = elements;
    knc_vbroadcastss(31, &factor);
    for (u64 n = 0; n < size; n += UNROLLED * LANES) {
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) {
            knc_vmovaps_load_float16(i, source + n + i * LANES);
            if (i % 2 == 0) knc_vprefetch0(source + n + i * LANES + AHEAD);
        }
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) knc_vmulps(i, i, 31);
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) {
            knc_vmovaps_store_float16(dest + n + i * LANES, i);
            if (i % 2 == 0) knc_vprefetche0(dest + n + i * LANES + AHEAD);
        }
    }
}

static void work(u64 member) {
    for (u64 i = 0; i < passes; ++i) scale(from + first_of(member), to + first_of(member));
}

// The float16 nearest to three times `half`, ties to even, by integer arithmetic.
static u16 scaled(u16 half) {
    const u32 sign = half & 0x8000u, field = half >> 10 & 31, fraction = half & 0x3FFu;
    // A NaN stays itself and becomes quiet.
    if (field == 31) return fraction == 0 ? half : half | 0x200;
    // The value is significand * 2^(exponent - 25).
    u32 exponent = field == 0 ? 1 : field;
    const u32 product = FACTOR * (field == 0 ? fraction : fraction | 0x400);
    u32 shift = 0;  // bits that do not fit
    while (product >> shift >= 0x800) ++shift;
    u32 significand = product >> shift;
    const u32 rest = 2 * (product - (significand << shift)), tie = 1u << shift;
    if (shift != 0 && rest + (significand & 1) > tie) ++significand;
    exponent += shift;
    if (significand == 0x800) {
        significand = 0x400;
        ++exponent;
    }
    if (exponent >= 31) return (u16)(sign | 0x7C00);
    if (significand < 0x400) return (u16)(sign | significand);
    return (u16)(sign | exponent << 10 | (significand & 0x3FF));
}

static void fill(u64 member) {
    const u64 first = first_of(member);
    for (u64 n = 0; n < elements; ++n) from[first + n] = (u16)(member * elements + n);
}

static void check(u64 member) {
    const u16* results = to + first_of(member);
    u64 wrong = 0;
    for (u64 n = 0; n < elements; ++n) {
        const u16 half = (u16)(member * elements + n), want = scaled(half);
        if (results[n] != want && wrong++ == 0)
            printf("0x%x got 0x%x want 0x%x\n", half, results[n], want);
    }
    CHECK_EQ(wrong, 0);
}

int main(void) {
    elements = option_number("elements", 65536);
    passes = option_number("passes", 1);
    if (!CHECK_EQ(elements % (UNROLLED * LANES), 0)) return check_summary();
    const u64 members = team_start();
    const u64 all = members * elements;
    from = heap_allocate(first_of(members) * sizeof *from, LINE);
    to = heap_allocate(first_of(members) * sizeof *to, LINE);
    if (!CHECK(all != 0 && from != NULL && to != NULL)) return check_summary();
    team_run(fill);
    team_run(work);
    const u64 clocks = team_run(work);
    team_run(check);
    team_report("elements", all * passes, clocks);
    team_report("bytes", 4 * all * passes, clocks);
    return check_summary();
}

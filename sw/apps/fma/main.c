// The rate of fused multiply-adds: registers only, no memory.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   f64             float64 instead of float32
//   accumulators=N  1, 2, 4, 8 or 16 (default): an instruction depends on the Nth before it
//   rounds=N        of 128 instructions of each thread (default 200)
//   least=P, most=P  bounds of the rate of a core in percent of the peak (default 0, 100)
//
// The peak of a core is one instruction in each clock: 32 operations of float32, 16 of float64.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64
#define MOST 16    // accumulators: registers 0 to 15
#define ROUND 128  // instructions
#define A 30
#define B 31

typedef void kernel(u64 rounds);

#define KERNEL(precision, accumulators)                               \
    static void rounds_##precision##_##accumulators(u64 n) {          \
        do {                                                          \
            _Pragma("GCC unroll 128") for (int i = 0; i < ROUND; ++i) \
                knc_vfmadd231##precision(i % (accumulators), A, B);   \
        } while (--n != 0);                                           \
    }
#define KERNELS(accumulators) KERNEL(ps, accumulators) KERNEL(pd, accumulators)
KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(8)
KERNELS(16)

static const struct {
    u64 accumulators;
    kernel *ps, *pd;
} kernels[] = {
    {1, rounds_ps_1, rounds_pd_1}, {2, rounds_ps_2, rounds_pd_2},    {4, rounds_ps_4, rounds_pd_4},
    {8, rounds_ps_8, rounds_pd_8}, {16, rounds_ps_16, rounds_pd_16},
};

// Set before the team starts.
static bool f64;
static u64 accumulators, rounds;
static kernel* chosen;
static u8* results;  // of each member: MOST lines

// Small enough that the sums are exact.
static const u32 ps_factors[2] = {0x40400000, 0x40A00000};                  // 3, 5
static const u64 pd_factors[2] = {0x4008000000000000, 0x4014000000000000};  // 3, 5
#define PRODUCT 15ul

static void work(u64 member) {
    u8* to = results + member * MOST * LINE;
#pragma GCC unroll 16
    for (int i = 0; i < MOST; ++i) knc_vpxord(i, i, i);
    if (f64) {
        knc_vbroadcastsd(A, &pd_factors[0]);
        knc_vbroadcastsd(B, &pd_factors[1]);
    } else {
        knc_vbroadcastss(A, &ps_factors[0]);
        knc_vbroadcastss(B, &ps_factors[1]);
    }
    chosen(rounds);
#pragma GCC unroll 16
    for (int i = 0; i < MOST; ++i) knc_vmovaps_store(to + i * LINE, i);
}

static u64 wrong_lanes(u64 members) {
    const u64 sum = rounds * (ROUND / accumulators) * PRODUCT;
    u64 wrong = 0;
    for (u64 m = 0; m < members; ++m)
        for (u64 i = 0; i < MOST; ++i) {
            const void* line = results + (m * MOST + i) * LINE;
            const u64 want = i < accumulators ? sum : 0;
            for (u64 lane = 0; lane < (f64 ? 8 : 16); ++lane)
                wrong += !float_is(f64, line, lane, (i64)want);
        }
    return wrong;
}

int main(void) {
    f64 = option("f64");
    accumulators = option_number("accumulators", MOST);
    rounds = option_number("rounds", 200);
    for (u64 i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        if (kernels[i].accumulators == accumulators) chosen = f64 ? kernels[i].pd : kernels[i].ps;
    if (!CHECK(chosen != NULL)) return check_summary();
    // Beyond that the sums of float32 are not exact.
    const u64 most = (1ul << 24) / (ROUND / accumulators * PRODUCT);
    if (!CHECK_RANGE(rounds, 1, most)) return check_summary();
    const u64 members = team_start();
    results = heap_allocate(members * MOST * LINE, LINE);
    if (!CHECK(members != 0 && results != NULL)) return check_summary();

    team_run(work);  // brings the code into the caches
    const u64 clocks = team_run(work);
    const u64 peak = f64 ? 16 : 32;
    const u64 flops = members * rounds * ROUND * peak;
    CHECK_EQ(wrong_lanes(members), 0);
    team_report("flops", flops, clocks);
    const u64 percent = team_core_rate(flops, clocks) / peak;
    printf("%lu members, %lu accumulators each: %lu %% of the peak of %lu per clock and core\n",
           members, accumulators, percent, peak);
    CHECK_RANGE(percent, option_number("least", 0), option_number("most", 100));
    return check_summary();
}

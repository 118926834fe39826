// STREAM with the vector unit: bandwidth of copy, scale, add and triad over float64 arrays.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   bytes=N      of each of a thread's three arrays, a multiple of 256 (default 65536)
//   passes=N     over the four kernels that are timed (default 1, at most 10)
//   l1=N, l2=N   prefetch into the L1 so many lines ahead, and into the L2; both or neither
//                (default: none)
//   copy, scale, add, triad   what is reported (default: all)
//   nr           stores that fetch nothing (VMOVNRAPD); nrngo: those without order (VMOVNRNGOAPD)
//
// Bytes are counted as STREAM does: two arrays for copy and scale, three for add and triad.
// Addresses stay pointer and displacement; the compiler would keep a counter for each of them.
#pragma GCC optimize("no-ivopts")

#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define UNROLLED 4  // lines in each round of a loop
#define PASSES 10   // with more the numbers of the check have too many digits
#define SCALAR 31   // register

enum operation { COPY, SCALE, ADD, TRIAD, OPERATIONS };
enum store { USUAL, NR, NRNGO, STORES };

typedef void kernel(u64 member);

// Set before the team starts.
static u64 bytes, passes, l1, l2;
static u8* memory;
static u64 spacing;  // from one array to the next

static const u64 three = 0x4008000000000000;

// Arrays a, b and c of a member; operation c = a, b = 3 c, c = a + b, a = b + 3 c.
struct arrays {
    u8 *a, *b, *c;
};
static struct arrays arrays_of(u64 member) {
    u8* first = memory + 3 * member * spacing;
    return (struct arrays){first, first + spacing, first + 2 * spacing};
}

KNC_INLINE void store_line(const enum store kind, u8* to, const int s) {
    if (kind == USUAL) knc_vmovapd_store(to, s);
    if (kind == NR) knc_vmovnrapd_store(to, s);
    if (kind == NRNGO) knc_vmovnrngoapd_store(to, s);
}
// A prefetch issues together with the vector instruction before it.
KNC_INLINE void ahead(const bool prefetch, const u8* near, const u8* far) {
    if (!prefetch) return;
    knc_vprefetch0(near);
    knc_vprefetch1(far);
}
// to[] = x[] operated with y[]
KNC_INLINE void run(const enum operation o, const enum store kind, const bool prefetch, const u8* x,
                    const u8* y, u8* to) {
    const u8* const end = to + bytes;
    const u64 near = l1, far = l2;
    knc_vbroadcastsd(SCALAR, &three);
    do {
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) {
            if (o == SCALE)
                knc_vmulpd_load(i, SCALAR, x + i * LINE);
            else
                knc_vmovapd_load(i, x + i * LINE);
            ahead(prefetch, x + near + i * LINE, x + far + i * LINE);
            if (o != ADD && o != TRIAD) continue;
            if (o == ADD)
                knc_vaddpd_load(i, i, y + i * LINE);
            else
                knc_vfmadd231pd_load(i, SCALAR, y + i * LINE);
            ahead(prefetch, y + near + i * LINE, y + far + i * LINE);
        }
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; ++i) {
            store_line(kind, to + i * LINE, i);
            if (!prefetch || kind != USUAL) continue;
            knc_vprefetche0(to + near + i * LINE);
            knc_vprefetche1(to + far + i * LINE);
        }
        x += UNROLLED * LINE;
        y += UNROLLED * LINE;
        to += UNROLLED * LINE;
    } while (to != end);
}

#define KERNEL(name, operation, kind, prefetch, x, y, to) \
    static void name##_##kind##_##prefetch(u64 member) {  \
        const struct arrays m = arrays_of(member);        \
        run(operation, kind, prefetch, m.x, m.y, m.to);   \
    }
#define KERNELS(kind, prefetch)                   \
    KERNEL(copy, COPY, kind, prefetch, a, a, c)   \
    KERNEL(scale, SCALE, kind, prefetch, c, c, b) \
    KERNEL(add, ADD, kind, prefetch, a, b, c)     \
    KERNEL(triad, TRIAD, kind, prefetch, b, c, a)
#define ROW(kind, prefetch)                                                           \
    {                                                                                 \
        copy_##kind##_##prefetch, scale_##kind##_##prefetch, add_##kind##_##prefetch, \
            triad_##kind##_##prefetch                                                 \
    }
KERNELS(USUAL, 0)
KERNELS(USUAL, 1)
KERNELS(NR, 0)
KERNELS(NR, 1)
KERNELS(NRNGO, 0)
KERNELS(NRNGO, 1)
static kernel* const kernels[STORES][2][OPERATIONS] = {
    {ROW(USUAL, 0), ROW(USUAL, 1)}, {ROW(NR, 0), ROW(NR, 1)}, {ROW(NRNGO, 0), ROW(NRNGO, 1)}};
static const struct {
    const char* name;
    u64 arrays;
} operations[OPERATIONS] = {{"copy", 2}, {"scale", 2}, {"add", 3}, {"triad", 3}};

// a = 1 to 100 in turn, b = 2, c = 0.
static u64 start_value(u64 n) {
    return n % 100 + 1;
}
static void fill(u64 member) {
    const struct arrays m = arrays_of(member);
    for (u64 n = 0; n < bytes / 8; ++n) {
        ((knc_8*)m.a)[n] = float64_bits((i64)start_value(n));
        ((knc_8*)m.b)[n] = float64_bits(2);
        ((knc_8*)m.c)[n] = 0;
    }
}
// A pass turns a into 15 a: c = a, b = 3 a, c = 4 a, a = 3 a + 12 a.
static void check(u64 member) {
    const struct arrays m = arrays_of(member);
    u64 before = 1, wrong = 0;
    for (u64 i = 0; i < passes; ++i) before *= 15;  // the untimed pass comes first
    for (u64 n = 0; n < bytes / 8; ++n) {
        const i64 a = (i64)(start_value(n) * before);
        wrong += ((knc_8*)m.a)[n] != float64_bits(15 * a);
        wrong += ((knc_8*)m.b)[n] != float64_bits(3 * a);
        wrong += ((knc_8*)m.c)[n] != float64_bits(4 * a);
    }
    CHECK_EQ(wrong, 0);
}

int main(void) {
    bytes = option_number("bytes", 65536);
    passes = option_number("passes", 1);
    l1 = option_number("l1", 0) * LINE;
    l2 = option_number("l2", 0) * LINE;
    const enum store kind = option("nr") ? NR : option("nrngo") ? NRNGO : USUAL;
    if (!CHECK(bytes != 0 && bytes % (UNROLLED * LINE) == 0)) return check_summary();
    if (!CHECK((l1 == 0) == (l2 == 0))) return check_summary();
    if (!CHECK_RANGE(passes, 1, PASSES)) return check_summary();
    const u64 members = team_start();
    // Prefetches behind the end of an array must not take lines of the next one, and arrays at a
    // power of two from each other would meet in the same sets of the caches.
    spacing = bytes + (l1 > l2 ? l1 : l2) + 5 * LINE;
    memory = heap_allocate(3 * members * spacing, LINE);
    if (!CHECK(members != 0 && memory != NULL)) return check_summary();
    team_run(fill);

    u64 clocks[OPERATIONS] = {0};
    for (u64 pass = 0; pass <= passes; ++pass)
        for (int o = 0; o < OPERATIONS; ++o) {
            const u64 taken = team_run(kernels[kind][l1 != 0][o]);
            if (pass != 0) clocks[o] += taken;
        }
    team_run(check);
    bool chosen = false;
    for (int o = 0; o < OPERATIONS; ++o) chosen |= option(operations[o].name);
    for (int o = 0; o < OPERATIONS; ++o) {
        if (chosen && !option(operations[o].name)) continue;
        printf("%s: ", operations[o].name);
        team_report("bytes", operations[o].arrays * bytes * members * passes, clocks[o]);
    }
    return check_summary();
}

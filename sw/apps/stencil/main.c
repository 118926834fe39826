// A stencil of five points over a plane of float32: each step replaces a point by the sum of its
// four neighbours less four times itself. Around the plane is a border of zeros.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   width=W    of the plane, a multiple of 32 (default 128)
//   height=H   (default 64)
//   steps=N    1 to 6 (default 4); all members meet after each
//   align      left and right neighbours by VALIGND from the aligned vectors beside them; otherwise
//   by
//              unaligned loads (VLOADUNPACKLPS, VLOADUNPACKHPS)
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/team.h"

#define LINE 64ul
#define LANES 16
#define MOST_STEPS 6  // a step multiplies the largest value by at most 8: 2^4 * 8^6 < 2^24
#define CENTRE 31     // register: -4 in each lane
static const u32 minus_four = 0xC0800000;

// Set before the team starts.
static u64 width, height, steps;
static u64 pitch;  // elements from one row to the next: the border is one vector on each side
static bool align;
static u64 members;
// Row 0 and row height + 1 are border too.
static u32* planes[2];
static i32* integers[2];  // for the check: borders of one point

// A round of the loops has VECTORS vectors of points side by side, so that no instruction waits for
// the one before it. Registers of vector i: sum, left and right neighbours.
#define VECTORS 2
#define SUM(i) (3 * (i))
#define LEFT(i) (3 * (i) + 1)
#define RIGHT(i) (3 * (i) + 2)
#define EACH _Pragma("GCC unroll 2") for (int i = 0; i < VECTORS; ++i)

// The neighbours on both sides are in registers; the next row is `down` elements further on. What
// is `ahead` elements further on is prefetched.
KNC_INLINE void finish(const u32* from, u32* to, u64 down, u64 ahead) {
    EACH {
        knc_vmovaps_load(SUM(i), from + i * LANES - down);
        knc_vprefetch0(from + i * LANES + down + ahead);
    }
    EACH knc_vaddps(LEFT(i), LEFT(i), RIGHT(i));
    EACH knc_vaddps_load(SUM(i), SUM(i), from + i * LANES + down);
    EACH {
        knc_vaddps(SUM(i), SUM(i), LEFT(i));
        knc_vprefetche0(to + i * LANES + ahead);
    }
    EACH knc_vfmadd231ps_load(SUM(i), CENTRE, from + i * LANES);
    EACH knc_vmovaps_store(to + i * LANES, SUM(i));
}

static void row_by_unaligned_loads(const u32* from, u32* to, u64 ahead) {
    const u32* const end = from + width;
    const u64 down = pitch;
    do {
        EACH knc_vloadunpacklps(LEFT(i), from + i * LANES - 1);
        EACH knc_vloadunpacklps(RIGHT(i), from + i * LANES + 1);
        EACH knc_vloadunpackhps(LEFT(i), from + i * LANES - 1);
        EACH knc_vloadunpackhps(RIGHT(i), from + i * LANES + 1);
        finish(from, to, down, ahead);
        from += VECTORS * LANES;
        to += VECTORS * LANES;
    } while (from != end);
}
// Registers HERE hold the vectors themselves and the one after them.
#define HERE(i) (3 * VECTORS + (i))
static void row_by_alignment(const u32* from, u32* to, u64 ahead) {
    const u32* const end = from + width;
    const u64 down = pitch;
    do {
        EACH knc_vmovaps_load(HERE(i), from + i * LANES);
        knc_vmovaps_load(HERE(VECTORS), from + VECTORS * LANES);
        EACH knc_valignd_load(LEFT(i), HERE(i), from + (i - 1) * LANES, LANES - 1);
        EACH knc_valignd_load(RIGHT(i), HERE(i + 1), from + i * LANES, 1);
        finish(from, to, down, ahead);
        from += VECTORS * LANES;
        to += VECTORS * LANES;
    } while (from != end);
}

// The first point of a row; rows and columns count from 0, borders left out.
static u32* row(u32* plane, u64 y) {
    return plane + (y + 1) * pitch + LANES;
}

// Members have bands of rows.
static u64 first_row(u64 member) {
    return height * member / members;
}

static void work(u64 member) {
    knc_vbroadcastss(CENTRE, &minus_four);
    const u64 first = first_row(member), end = first_row(member + 1);
    for (u64 step = 0; step < steps; ++step) {
        for (u64 y = first; y < end; ++y) {
            const u32* from = row(planes[step % 2], y);
            u32* to = row(planes[(step + 1) % 2], y);
            // The row behind the band is another member's.
            const u64 ahead = y + 1 < end ? pitch : 0;
            if (align)
                row_by_alignment(from, to, ahead);
            else
                row_by_unaligned_loads(from, to, ahead);
        }
        team_wait();
    }
}

static i64 start_value(u64 x, u64 y) {
    return (i64)((x * 7 + y * 13) % 31) - 15;
}
static void fill(u64 member) {
    for (u64 y = first_row(member); y < first_row(member + 1); ++y)
        for (u64 x = 0; x < width; ++x) row(planes[0], y)[x] = float32_bits(start_value(x, y));
}

// The same with integers.
static void integer_step(const i32* from, i32* to, u64 first, u64 end) {
    const u64 w = width + 2;
    for (u64 y = first + 1; y <= end; ++y)
        for (u64 x = 1; x <= width; ++x) {
            const i32* p = from + y * w + x;
            to[y * w + x] = p[-1] + p[1] + p[-(i64)w] + p[w] - 4 * *p;
        }
}
static void check(u64 member) {
    const u64 first = first_row(member), end = first_row(member + 1);
    const u64 w = width + 2;
    for (u64 y = first; y < end; ++y)
        for (u64 x = 0; x < width; ++x) integers[0][(y + 1) * w + x + 1] = (i32)start_value(x, y);
    for (u64 step = 0; step < steps; ++step) {
        team_wait();
        integer_step(integers[step % 2], integers[(step + 1) % 2], first, end);
    }
    const i32* last = integers[steps % 2];
    u64 wrong = 0;
    for (u64 y = first; y < end; ++y)
        for (u64 x = 0; x < width; ++x)
            wrong += row(planes[steps % 2], y)[x] != float32_bits(last[(y + 1) * w + x + 1]);
    CHECK_EQ(wrong, 0);
}

static void* allocate_zeros(size_t bytes) {
    void* memory = heap_allocate(bytes, LINE);
    if (CHECK(memory != NULL)) memset(memory, 0, bytes);
    return memory;
}

int main(void) {
    width = option_number("width", 128);
    height = option_number("height", 64);
    steps = option_number("steps", 4);
    align = option("align");
    if (!CHECK(width != 0 && width % (VECTORS * LANES) == 0)) return check_summary();
    if (!CHECK_RANGE(steps, 1, MOST_STEPS) || !CHECK(height != 0)) return check_summary();
    members = team_start();
    if (!CHECK(members != 0)) return check_summary();
    pitch = width + 2 * LANES;
    for (int i = 0; i < 2; ++i) {
        planes[i] = allocate_zeros((height + 2) * pitch * sizeof(u32));
        integers[i] = allocate_zeros((height + 2) * (width + 2) * sizeof(i32));
        if (planes[i] == NULL || integers[i] == NULL) return check_summary();
    }
    team_run(fill);
    team_run(work);
    team_run(fill);
    const u64 clocks = team_run(work);
    team_run(check);
    const u64 points = width * height * steps;
    printf("%lu x %lu points, %lu steps, %lu members\n", width, height, steps, members);
    team_report("points", points, clocks);
    team_report("flops", 5 * points, clocks);
    return check_summary();
}

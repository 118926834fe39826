// The Mandelbrot set: 16 points at a time, a mask for those that have not escaped. The image, one
// byte per point, says after how many steps a point was found outside.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   unit=N     points per unit, a power of two from 16 on (default 32): the image is 3 N by 2 N
//   steps=N    at most, 1 to 255 (default 100)
//   picture    prints the image, one character for each second point of each fourth row
//
// The x87, which rounds each result to 24 bits too, computes the same image for comparison.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define LANES 16
// Registers.
#define X 0
#define Y 1
#define CX 2
#define CY 3
#define XX 4
#define YY 5
#define T 6
#define COUNT 7
#define ONE 8
#define FOUR 9
#define INSIDE 1  // mask register: points that have not escaped

// Steps of the point (*cx, *cy), as the vector unit counts them (x87.S).
u32 steps_x87(const u32* cx, const u32* cy, u32 most);

static const u32 one = 1, four = 0x40800000;  // an integer, 4.0

// Set before the team starts.
static u64 unit, width, height, steps;
static u64 members;
static u32 *xs, *ys;  // coordinates of the columns and rows
static u8* image;
static struct counter next_row;

static void sixteen(const u32* cx, const u32* cy, u8* to) {
    knc_vmovaps_load(CX, cx);
    knc_vbroadcastss(CY, cy);
    knc_vpxord(X, X, X);
    knc_vpxord(Y, Y, Y);
    knc_vpxord(COUNT, COUNT, COUNT);
    knc_kmov(INSIDE, 0xFFFF);
    for (u64 n = steps; n != 0; --n) {
        knc_vmulps_mask(XX, INSIDE, X, X);
        knc_vmulps_mask(YY, INSIDE, Y, Y);
        knc_vmulps_mask(Y, INSIDE, X, Y);
        knc_vaddps_mask(T, INSIDE, XX, YY);
        knc_vsubps_mask(X, INSIDE, XX, YY);
        knc_vaddps_mask(Y, INSIDE, Y, Y);
        knc_vcmpleps_mask(INSIDE, INSIDE, T, FOUR);
        knc_vaddps_mask(X, INSIDE, X, CX);
        knc_vaddps_mask(Y, INSIDE, Y, CY);
        knc_vpaddd_mask(COUNT, INSIDE, COUNT, ONE);
        if (!knc_jknzd(INSIDE)) break;
    }
    knc_vmovdqa32_store_uint8(to, COUNT);
}

// Rows take different times, so each member takes the next one that is left.
static void work(u64 member) {
    (void)member;
    knc_vbroadcastss(FOUR, &four);
    knc_vpbroadcastd(ONE, &one);
    u64 y;
    while ((y = atomic_fetch_add(&next_row.value, 1)) < height)
        for (u64 x = 0; x < width; x += LANES) sixteen(xs + x, ys + y, image + y * width + x);
}

static struct counter total;  // steps of all points

static void check(u64 member) {
    (void)member;
    u64 y, wrong = 0, sum = 0;
    while ((y = atomic_fetch_add(&next_row.value, 1)) < height)
        for (u64 x = 0; x < width; ++x) {
            const u64 n = image[y * width + x];
            wrong += n != steps_x87(xs + x, ys + y, (u32)steps);
            sum += n;
        }
    CHECK_EQ(wrong, 0);
    atomic_fetch_add(&total.value, sum);
}

static void print_image(void) {
    for (u64 y = 0; y < height; y += 4) {
        for (u64 x = 0; x < width; x += 2) {
            const u64 n = image[y * width + x];
            printf("%c", n == steps ? '#' : " .:-=+*%"[n < 16 ? n / 2 : 7]);
        }
        printf("\n");
    }
}

int main(void) {
    unit = option_number("unit", 32);
    steps = option_number("steps", 100);
    if (!CHECK(unit >= LANES && (unit & (unit - 1)) == 0)) return check_summary();
    if (!CHECK_RANGE(steps, 1, 255)) return check_summary();
    width = 3 * unit;
    height = 2 * unit;
    members = team_start();
    xs = heap_allocate(width * sizeof *xs, LINE);
    ys = heap_allocate(height * sizeof *ys, LINE);
    image = heap_allocate(width * height, LINE);
    if (!CHECK(members != 0 && xs != NULL && ys != NULL && image != NULL)) return check_summary();
    // From -2 to 1 and from -1 to 1.
    const int scale = -__builtin_ctzl(unit);
    for (u64 i = 0; i < width; ++i) xs[i] = float32_scaled((i64)(i - 2 * unit), scale);
    for (u64 i = 0; i < height; ++i) ys[i] = float32_scaled((i64)(i - unit), scale);

    team_run(work);
    next_row.value = 0;
    const u64 clocks = team_run(work);
    if (option("picture")) print_image();
    next_row.value = 0;
    team_run(check);
    printf("%lu x %lu points, %lu members\n", width, height, members);
    team_report("steps", total.value, clocks);
    // Those of the points that had not escaped, and the comparison of each step.
    team_report("flops", 9 * total.value, clocks);
    return check_summary();
}

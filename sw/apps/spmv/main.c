// Sparse matrix times vector. The rows lie in slices of one vector (sliced ELLPACK): a lane has a
// row, and what a slice reads one after the other are the columns' numbers and the values of its
// rows. The elements of the vector x are gathered from all over it, which takes most of the time.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   f64          float64 instead of float32
//   rows=N       of each thread, a multiple of 16 (default 512); x has as many elements as all rows
//   width=W      elements that are not zero in each row, even (default 16)
//   band=B       they lie in the B columns that follow the diagonal, in turn (default: anywhere)
//   passes=N     that are timed (default 1)
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
// Registers.
#define SUM 0
#define INDEX 1
#define ELEMENTS 2
// Mask registers: the lanes still to gather, all lanes.
#define LEFT 1
#define ALL 2
#define AHEAD 512  // bytes of the columns' numbers and values that are prefetched

// Set before the team starts.
static bool f64;
static u64 element, lanes;  // bytes of one; elements in a vector
static u64 rows, width, band, passes;
static u64 columns;
static u32* numbers;  // of columns: of each slice `width` times `lanes`
static u8* values;    // likewise
static u8 *x, *y;

KNC_INLINE void gather(const bool wide, const u8* from) {
    knc_kmov_k(LEFT, ALL);
    do {
        if (wide)
            knc_vgatherdpd(ELEMENTS, LEFT, from, INDEX);
        else
            knc_vgatherdps(ELEMENTS, LEFT, from, INDEX);
    } while (knc_jknzd(LEFT));
}

static void multiply_32(u64 slice) {
    const u64 size = width;
    const u8* const from = x;
    const u32* column = numbers + slice * size * 16;
    const u8* value = values + slice * size * LINE;
    knc_vpxord(SUM, SUM, SUM);
    for (u64 n = 0; n < size; ++n) {
        knc_vmovdqa32_load(INDEX, column);
        knc_vprefetch0((const u8*)column + AHEAD);
        knc_vprefetch0(value + AHEAD);
        gather(false, from);
        knc_vfmadd231ps_load(SUM, ELEMENTS, value);
        column += 16;
        value += LINE;
    }
    knc_vmovaps_store(y + slice * LINE, SUM);
}
// One vector of numbers serves for two of values.
static void multiply_64(u64 slice) {
    const u64 size = width;
    const u8* const from = x;
    const u32* column = numbers + slice * size * 8;
    const u8* value = values + slice * size * LINE;
    knc_vpxord(SUM, SUM, SUM);
    for (u64 n = 0; n < size; n += 2) {
        knc_vmovdqa32_load(INDEX, column);
        knc_vprefetch0((const u8*)column + AHEAD);
        knc_vprefetch0(value + AHEAD);
        gather(true, from);
        knc_vfmadd231pd_load(SUM, ELEMENTS, value);
        knc_vprefetch0(value + AHEAD + LINE);
        knc_vpermf32x4(INDEX, INDEX, 0x4E);  // the upper half becomes the lower
        gather(true, from);
        knc_vfmadd231pd_load(SUM, ELEMENTS, value + LINE);
        column += 16;
        value += 2 * LINE;
    }
    knc_vmovapd_store(y + slice * LINE, SUM);
}

static void work(u64 member) {
    const u64 slices = rows / lanes;
    knc_kmov(ALL, f64 ? 0xFF : 0xFFFF);
    for (u64 pass = 0; pass < passes; ++pass)
        for (u64 s = member * slices; s < (member + 1) * slices; ++s)
            if (f64)
                multiply_64(s);
            else
                multiply_32(s);
}

static i64 x_value(u64 n) {
    return (i64)(n * 7 % 17) - 8;
}
// The nth element of a row that is not zero: its column and value.
static u64 column_of(u64 row, u64 n) {
    if (band != 0) return (row + n % band) % columns;
    const u64 mixed = (row * width + n) * 0x9E3779B97F4A7C15;
    return (mixed >> 32) * columns >> 32;
}
static i64 value_of(u64 row, u64 n) {
    return (i64)((row * 3 + n * 5) % 9) - 4;
}

static void fill(u64 member) {
    for (u64 row = member * rows; row < (member + 1) * rows; ++row) {
        float_set(f64, x, row, x_value(row));
        for (u64 n = 0; n < width; ++n) {
            const u64 at = (row / lanes * width + n) * lanes + row % lanes;
            numbers[at] = (u32)column_of(row, n);
            float_set(f64, values, at, value_of(row, n));
        }
    }
}
static void check(u64 member) {
    u64 wrong = 0;
    for (u64 row = member * rows; row < (member + 1) * rows; ++row) {
        i64 sum = 0;
        for (u64 n = 0; n < width; ++n) sum += value_of(row, n) * x_value(column_of(row, n));
        wrong += !float_is(f64, y, row, sum);
    }
    CHECK_EQ(wrong, 0);
}

int main(void) {
    f64 = option("f64");
    element = f64 ? 8 : 4;
    lanes = LINE / element;
    rows = option_number("rows", 512);
    width = option_number("width", 16);
    passes = option_number("passes", 1);
    band = option_number("band", 0);
    if (!CHECK(rows != 0 && rows % 16 == 0)) return check_summary();
    // The sum of a row stays below 2^24.
    if (!CHECK_RANGE(width, 2, 1ul << 18)) return check_summary();
    if (!CHECK_EQ(width % 2, 0)) return check_summary();
    const u64 members = team_start();
    columns = members * rows;
    numbers = heap_allocate(columns * width * sizeof *numbers, LINE);
    values = heap_allocate(columns * width * element, LINE);
    x = heap_allocate(columns * element, LINE);
    y = heap_allocate(columns * element, LINE);
    if (!CHECK(members != 0 && numbers != NULL && values != NULL && x != NULL && y != NULL))
        return check_summary();
    team_run(fill);

    team_run(work);
    const u64 clocks = team_run(work);
    team_run(check);
    const u64 elements = columns * width * passes;
    printf("%lu rows of %lu elements, %lu members\n", columns, width, members);
    team_report("elements", elements, clocks);
    team_report("flops", 2 * elements, clocks);
    team_report("bytes", elements * (element + sizeof *numbers), clocks);
    return check_summary();
}

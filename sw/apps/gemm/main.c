// Matrix product C = A B, in panels: A has panels of 30 rows, B panels of one vector of columns.
// One panel of each gives a block of C, whose 30 rows stay in registers meanwhile.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   f64          float64 instead of float32
//   depth=K      columns of A and rows of B, a multiple of 4 (default 64)
//   rows=R       panels of A (default 4)
//   columns=C    panels of B for each thread (default 4)
//   passes=N     that are timed (default 1)
//   prefetch     the panels into the L1, 8 columns of A ahead
//   check=N      every Nth element of C is compared with the integer result (default 1)
//   least=P      the rate of a core is at least P percent of the peak (default 0)
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/float_bits.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define ROWS 30     // of a panel of A: registers 0 to 29
#define B 30        // registers 30 and 31 in turn: rows of a panel of B
#define UNROLLED 4  // columns of A in each round of the loop
#define AHEAD 8     // columns of A

// Set before the team starts.
static bool f64;
static u64 element, lanes;  // bytes of one; elements in a vector
static u64 depth, row_panels, column_panels, passes;
static void (*block)(const u8* a, const u8* b, u8* c);
static u64 members;
static u64 stride;  // from one element of C that is checked to the next
// A: panel, column, row in the panel. B: panel, row, lane. C: panel of A, panel of B, row, lane.
static u8 *a_panels, *b_panels, *c_blocks;
// The same numbers for the check: rows of A, columns of B.
static i32 *a_rows, *b_columns;

// One column of A times one row of B, in register `b`.
KNC_INLINE void one_column(const u64 size, const bool prefetch, const int b, const u8* a) {
#pragma GCC unroll 30
    for (int row = 0; row < ROWS; ++row) {
        if (size == 8)
            knc_vfmadd231pd_1to8(row, b, a + row * size);
        else
            knc_vfmadd231ps_1to16(row, b, a + row * size);
        // At most a line from one to the next, so that none is left out.
        if (prefetch && row * size % LINE == 0) knc_vprefetch0(a + (AHEAD * ROWS + row) * size);
    }
}
KNC_INLINE void product(const u64 size, const bool prefetch, const u8* a, const u8* b, u8* c) {
#pragma GCC unroll 30
    for (int row = 0; row < ROWS; ++row) {
        knc_vpxord(row, row, row);
    }
    const u8* const end = b + depth * LINE;
    do {
#pragma GCC unroll 4
        for (int k = 0; k < UNROLLED; ++k) {
            knc_vmovaps_load(B + k % 2, b + k * LINE);
            if (prefetch) knc_vprefetch0(b + (AHEAD + k) * LINE);
            one_column(size, prefetch, B + k % 2, a + k * ROWS * size);
        }
        a += UNROLLED * ROWS * size;
        b += UNROLLED * LINE;
    } while (b != end);
#pragma GCC unroll 30
    for (int row = 0; row < ROWS; ++row) knc_vmovaps_store(c + row * LINE, row);
}

static void block_32(const u8* a, const u8* b, u8* c) {
    product(4, false, a, b, c);
}
static void block_64(const u8* a, const u8* b, u8* c) {
    product(8, false, a, b, c);
}
static void block_32_prefetch(const u8* a, const u8* b, u8* c) {
    product(4, true, a, b, c);
}
static void block_64_prefetch(const u8* a, const u8* b, u8* c) {
    product(8, true, a, b, c);
}

static u8* c_block(u64 row_panel, u64 column_panel) {
    return c_blocks + (row_panel * column_panels + column_panel) * ROWS * LINE;
}

// Threads of one core work with the same panel of A at about the same time.
static void work(u64 member) {
    for (u64 pass = 0; pass < passes; ++pass)
        for (u64 j = member; j < column_panels; j += members)
            for (u64 i = 0; i < row_panels; ++i)
                block(a_panels + i * depth * ROWS * element, b_panels + j * depth * LINE,
                      c_block(i, j));
}

static void fill(void) {
    u64 n = 0;
    for (u64 panel = 0; panel < row_panels; ++panel)
        for (u64 k = 0; k < depth; ++k)
            for (u64 row = panel * ROWS; row < (panel + 1) * ROWS; ++row) {
                a_rows[row * depth + k] = (i32)((row * 7 + k * 5) % 15) - 7;
                float_set(f64, a_panels, n++, a_rows[row * depth + k]);
            }
    n = 0;
    for (u64 panel = 0; panel < column_panels; ++panel)
        for (u64 k = 0; k < depth; ++k)
            for (u64 column = panel * lanes; column < (panel + 1) * lanes; ++column) {
                b_columns[column * depth + k] = (i32)((k * 3 + column * 11) % 13) - 6;
                float_set(f64, b_panels, n++, b_columns[column * depth + k]);
            }
}

static bool right(u64 row, u64 column) {
    const i32 *a = a_rows + row * depth, *b = b_columns + column * depth;
    i32 sum = 0;
    for (u64 k = 0; k < depth; ++k) sum += a[k] * b[k];
    const u8* line = c_block(row / ROWS, column / lanes) + row % ROWS * LINE;
    return float_is(f64, line, column % lanes, sum);
}
static void check(u64 member) {
    const u64 columns = column_panels * lanes;
    u64 wrong = 0;
    for (u64 n = member * stride; n < row_panels * ROWS * columns; n += members * stride)
        wrong += !right(n / columns, n % columns);
    CHECK_EQ(wrong, 0);
}

int main(void) {
    f64 = option("f64");
    element = f64 ? 8 : 4;
    lanes = LINE / element;
    depth = option_number("depth", 64);
    row_panels = option_number("rows", 4);
    passes = option_number("passes", 1);
    stride = option_number("check", 1);
    if (option("prefetch"))
        block = f64 ? block_64_prefetch : block_32_prefetch;
    else
        block = f64 ? block_64 : block_32;
    // Up to that depth no sum reaches 2^24.
    if (!CHECK_RANGE(depth, UNROLLED, 1ul << 18)) return check_summary();
    if (!CHECK_EQ(depth % UNROLLED, 0)) return check_summary();
    members = team_start();
    column_panels = option_number("columns", 4) * members;
    a_panels = heap_allocate(row_panels * depth * ROWS * element, LINE);
    b_panels = heap_allocate(column_panels * depth * LINE, LINE);
    c_blocks = heap_allocate(row_panels * column_panels * ROWS * LINE, LINE);
    a_rows = heap_allocate(row_panels * ROWS * depth * sizeof *a_rows, LINE);
    b_columns = heap_allocate(column_panels * lanes * depth * sizeof *b_columns, LINE);
    if (!CHECK(column_panels * row_panels * stride != 0)) return check_summary();
    if (!CHECK(a_panels != NULL && b_panels != NULL && c_blocks != NULL)) return check_summary();
    if (!CHECK(a_rows != NULL && b_columns != NULL)) return check_summary();
    fill();

    team_run(work);
    const u64 clocks = team_run(work);
    team_run(check);

    const u64 rows = row_panels * ROWS, columns = column_panels * lanes;
    const u64 flops = 2 * rows * columns * depth * passes;
    const u64 peak = 2 * lanes;
    printf("%lu x %lu of depth %lu, %lu members\n", rows, columns, depth, members);
    team_report("flops", flops, clocks);
    const u64 percent = team_core_rate(flops, clocks) / peak;
    printf("%lu %% of the peak of %lu per clock and core\n", percent, peak);
    CHECK_RANGE(percent, option_number("least", 0), 100);
    return check_summary();
}

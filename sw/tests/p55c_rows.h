// Measurements with the counters of a Pentium with MMX: kernels of exact counts, and tables of what
// they count. Each kernel (p55c_kernel.inc) is called with the value of CESR.
#ifndef TESTS_P55C_ROWS_H
#define TESTS_P55C_ROWS_H

#include "drivers/p55c/p55c.h"
#include "tests/protected32/support.h"

typedef void kernel(u32 control);

// Whether the command line has the word.
int asked_for(const char* word);

// What the counters count of a kernel that has run once before; both fields are as in CESR, for
// counters 0 and 1.
void measure(kernel*, u32 field0, u32 field1, u64 v[P55C_COUNTERS]);
// Two events of one run, in clocks.
void measure_clocks(kernel*, u32 first, u32 second, u64 v[P55C_COUNTERS]);
// What counter `n` counts while the other one is off.
u64 count(kernel*, u32 event, u32 n, u32 cc);

struct row {
    int line;
    u32 event, counters;  // bit n: counter n has it
    u32 cc;
    kernel* k;
    u32 expected;
};
#define BOTH 3
#define ROW(event, counters, cc, k, expected) \
    { __LINE__, event, counters, cc, k, expected }
// The instructions that end a measurement, of which the WRMSR serializes: it is a taken branch of
// events 12H, 14H, 32H/1.
#define CLOSING 4
#define CLOSING_BRANCH 1

// Checks each row: the counters that have the event count what is expected, and the others, unless
// they have another event of that code, nothing.
void check_rows(const struct row*, u32 rows);

#endif

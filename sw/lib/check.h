// Checks of a self-checking firmware test. A failed check prints one line and the test goes on:
//   FAIL file:line: expression got 0x.. want 0x..
// check_summary() ends the output with "N checks, M failed" and gives the exit code.
#ifndef KNC_SW_LIB_CHECK_H
#define KNC_SW_LIB_CHECK_H

#include "lib/types.h"

#define CHECK(condition) check_true(__FILE__, __LINE__, #condition, (condition))
#define CHECK_EQ(got, want) check_equal(__FILE__, __LINE__, #got, (u64)(got), (u64)(want))
// low <= got <= high
#define CHECK_RANGE(got, low, high) \
    check_range(__FILE__, __LINE__, #got, (u64)(got), (u64)(low), (u64)(high))

// All return whether the check held.
bool check_true(const char* file, int line, const char* expression, bool holds);
bool check_equal(const char* file, int line, const char* expression, u64 got, u64 want);
bool check_range(const char* file, int line, const char* expression, u64 got, u64 low, u64 high);
// Prints the summary line; 0 when every check held and there was at least one, else 1.
int check_summary(void);

#endif

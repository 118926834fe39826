// Loads of the test sample_all, with frame pointers; ring 3.
#ifndef KNC_SW_TESTS_SAMPLE_ALL_H
#define KNC_SW_TESTS_SAMPLE_ALL_H

#include "lib/types.h"

#define LOADS 4

// Low 8 bits of `what`: the load, 0 to LOADS - 1; above: how much of it.
u64 load(u64 what);

#endif

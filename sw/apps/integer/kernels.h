// Integer work as a compiled program does it. Each kernel makes its input from `seed`, computes,
// and checks its result by another method; it returns whether the result is right. Ring 3.
#ifndef KNC_SW_APPS_INTEGER_KERNELS_H
#define KNC_SW_APPS_INTEGER_KERNELS_H

#include "lib/types.h"

bool kernel_compress(u32 seed);   // byte loads and stores, unpredictable branches
bool kernel_sort(u32 seed);       // calls, compares, exchanges
bool kernel_multiply(u32 seed);   // wide multiplication, carries
bool kernel_tree(u32 seed);       // pointers, recursion
bool kernel_decimal(u32 seed);    // division, strings
bool kernel_interpret(u32 seed);  // indirect jumps
bool kernel_bits(u32 seed);       // shifts, rotates, masks

#endif

// Code with a known count of events for each instruction (kernels.S).
#ifndef KNC_SW_TESTS_KERNELS_H
#define KNC_SW_TESTS_KERNELS_H

#include "lib/types.h"

// A loop of n rounds, n > 0; any ring. Returns 0.
u64 kernel_loop(u64 n);
#define KERNEL_LOOP_INSTRUCTIONS(n) (2 * (n) + 2)
// The instructions that user_call() adds at ring 3 around the called function, with the final INT.
#define USER_CALL_INSTRUCTIONS 6

// The loop between SPFLT 1 and SPFLT 0; any ring. Under SPFLT control the instructions after the
// first SPFLT count, up to and including the second.
u64 region_loop(u64 n);
#define REGION_LOOP_INSTRUCTIONS(n) (2 * (n) + 3)
#define REGION_LOOP_BRANCHES(n) (n)

// n rounds of a load and a store of 8 bytes in one line at `at` (16 bytes), between SPFLT 1 and
// SPFLT 0.
u64 region_memory(u64 n, void* at);
#define REGION_MEMORY_INSTRUCTIONS(n) (4 * (n) + 3)
#define REGION_MEMORY_READS(n) (n)
#define REGION_MEMORY_WRITES(n) (n)

// REP STOSB of n bytes at `at` between SPFLT 1 and SPFLT 0: one instruction, whatever n is.
u64 region_rep(u64 n, void* at);
#define REGION_REP_INSTRUCTIONS 4

// The loop between WRMSR GLOBAL_CTRL = 3 and WRMSR GLOBAL_CTRL = 0; ring 0. As with SPFLT, the
// second WRMSR counts and the first does not.
u64 supervisor_loop(u64 n);
#define SUPERVISOR_LOOP_INSTRUCTIONS(n) (2 * (n) + 3)

// SPFLT with each general register that is free to use: bit 0 of `value`.
u64 spflt_rax(u64 value);
u64 spflt_rcx(u64 value);
u64 spflt_rdx(u64 value);
u64 spflt_rbx(u64 value);
u64 spflt_rsi(u64 value);
u64 spflt_rdi(u64 value);
u64 spflt_rbp(u64 value);
u64 spflt_r8(u64 value);
u64 spflt_r15(u64 value);
u64 spflt_eax(u64 value);

// Clocks that RDTSC_CHAIN_COUNT RDTSC instructions in a row took.
u64 rdtsc_chain(u64 unused);
#define RDTSC_CHAIN_COUNT 64

#endif

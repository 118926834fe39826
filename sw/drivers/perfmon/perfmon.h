// Driver of architectural performance monitoring: each call acts on the calling thread's bank.
// Ring 0. The machine has it if CPUID leaf 1 ECX bit 15 is set (preset perfmon).
#ifndef KNC_SW_DRIVERS_PERFMON_PERFMON_H
#define KNC_SW_DRIVERS_PERFMON_PERFMON_H

#include "lib/types.h"

#define PERFMON_GENERAL 4u
#define PERFMON_FIXED 3u

#define MSR_PMC 0xC1          // + counter
#define MSR_PERFEVTSEL 0x186  // + counter
#define MSR_MISC_ENABLE 0x1A0
#define MSR_DEBUGCTL 0x1D9
#define MSR_FIXED_CTR 0x309  // + counter
#define MSR_PERF_CAPABILITIES 0x345
#define MSR_FIXED_CTR_CTRL 0x38D
#define MSR_GLOBAL_STATUS 0x38E
#define MSR_GLOBAL_CTRL 0x38F
#define MSR_GLOBAL_OVF_CTRL 0x390
#define MSR_A_PMC 0x4C1  // + counter

// Event and umask of an event select.
#define PERFMON_CORE_CYCLES 0x003Cu
#define PERFMON_INSTRUCTIONS 0x00C0u
#define PERFMON_REFERENCE_CYCLES 0x013Cu
#define PERFMON_LLC_REFERENCES 0x4F2Eu
#define PERFMON_LLC_MISSES 0x412Eu
#define PERFMON_BRANCHES 0x00C4u
#define PERFMON_BRANCH_MISSES 0x00C5u
// The other bits of an event select.
#define PERFMON_USER (1u << 16)
#define PERFMON_OS (1u << 17)
#define PERFMON_EDGE (1u << 18)
#define PERFMON_INT (1u << 20)
#define PERFMON_ANY (1u << 21)
#define PERFMON_ENABLE (1u << 22)
#define PERFMON_INVERT (1u << 23)
#define PERFMON_CMASK(n) ((u32)(n) << 24)
// Four bits of a fixed counter in FIXED_CTR_CTRL.
#define PERFMON_FIXED_OS 1u
#define PERFMON_FIXED_USER 2u
#define PERFMON_FIXED_ANY 4u
#define PERFMON_FIXED_INT 8u

// Bits of GLOBAL_CTRL, GLOBAL_STATUS and GLOBAL_OVF_CTRL.
#define PERFMON_BIT(n) (1ul << (n))
#define PERFMON_FIXED_BIT(n) (1ul << (32 + (n)))
#define PERFMON_ALL (0xful | 7ul << 32)

#define PERFMON_MASK ((1ul << 48) - 1)
#define PERFMON_FREEZE (1ul << 12)  // DEBUGCTL

// ECX of RDPMC for a fixed counter.
#define PERFMON_RDPMC_FIXED(n) (1u << 30 | (n))

// Selects what general counter 0-3 counts: event and the bits above; the driver adds
// PERFMON_ENABLE. The counter starts from `from`, modulo 2^48.
void perfmon_select(unsigned counter, u32 select, u64 from);
// Sets the four bits of fixed counter 0-2, and the counter.
void perfmon_select_fixed(unsigned counter, u32 bits, u64 from);
// Lets the counters of the mask count, and no others.
void perfmon_start(u64 mask);
void perfmon_stop(void);
u64 perfmon_read(unsigned counter);
u64 perfmon_read_fixed(unsigned counter);
u64 perfmon_status(void);
void perfmon_clear_status(u64 mask);
// Everything off and 0.
void perfmon_reset(void);

#endif

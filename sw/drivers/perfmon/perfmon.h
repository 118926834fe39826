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
#define MSR_PEBS_ENABLE 0x3F1
#define MSR_PEBS_DATA_CFG 0x3F2
#define MSR_A_PMC 0x4C1  // + counter
#define MSR_DS_AREA 0x600

// Event and umask of an event select.
#define PERFMON_CORE_CYCLES 0x003Cu
#define PERFMON_INSTRUCTIONS 0x00C0u
#define PERFMON_REFERENCE_CYCLES 0x013Cu
#define PERFMON_LLC_REFERENCES 0x4F2Eu
#define PERFMON_LLC_MISSES 0x412Eu
#define PERFMON_BRANCHES 0x00C4u
#define PERFMON_BRANCH_MISSES 0x00C5u
// Retired loads, by where their data came from.
#define PERFMON_LOADS_L1_HIT 0x01D1u
#define PERFMON_LOADS_L2_HIT 0x02D1u
#define PERFMON_LOADS_L1_MISS 0x08D1u
#define PERFMON_LOADS_L2_MISS 0x10D1u
#define PERFMON_LOADS_FB_HIT 0x40D1u
// The other bits of an event select.
#define PERFMON_USER (1u << 16)
#define PERFMON_OS (1u << 17)
#define PERFMON_EDGE (1u << 18)
#define PERFMON_INT (1u << 20)
#define PERFMON_ANY (1u << 21)
#define PERFMON_ENABLE (1u << 22)
#define PERFMON_INVERT (1u << 23)
#define PERFMON_CMASK(n) ((u32)(n) << 24)
#define PERFMON_ADAPTIVE (1ul << 34)
// Four bits of a fixed counter in FIXED_CTR_CTRL.
#define PERFMON_FIXED_OS 1u
#define PERFMON_FIXED_USER 2u
#define PERFMON_FIXED_ANY 4u
#define PERFMON_FIXED_INT 8u
#define PERFMON_FIXED_ADAPTIVE (1ul << 32)

// Bits of GLOBAL_CTRL, GLOBAL_STATUS and GLOBAL_OVF_CTRL.
#define PERFMON_BIT(n) (1ul << (n))
#define PERFMON_FIXED_BIT(n) (1ul << (32 + (n)))
#define PERFMON_ALL (0xful | 7ul << 32)

#define PERFMON_MASK ((1ul << 48) - 1)
// DEBUGCTL: TF stops after taken branches only; a PMI stops the counters.
#define PERFMON_BRANCH_STEPS (1ul << 1)
#define PERFMON_FREEZE (1ul << 12)

// GLOBAL_STATUS: the records have reached their threshold.
#define PERFMON_BUFFER_FULL (1ul << 62)
// PERF_CAPABILITIES: the format of PEBS records, 0 without PEBS.
#define PERFMON_PEBS_FORMAT(capabilities) ((capabilities) >> 8 & 15)

// ECX of RDPMC for a fixed counter.
#define PERFMON_RDPMC_FIXED(n) (1u << 30 | (n))

// ---- records of instructions (PEBS)
// The DS area of a thread, as the processor reads and writes it.
struct perfmon_ds_area {
    u64 bts[4];
    u64 base, index, maximum, threshold;  // linear addresses in the buffer of records
    u64 reset[8];                         // general counters start from here after a record
    u64 reset_fixed[4];
};
// Groups of an adaptive record (PEBS_DATA_CFG), and their bytes.
#define PEBS_MEMORY 1ul
#define PEBS_REGISTERS 2ul
#define PEBS_XMM 4ul
#define PEBS_LBR(entries) (8ul | (u64)((entries)-1) << 24)
#define PEBS_BASIC_BYTES 32ul
#define PEBS_MEMORY_BYTES 32ul
#define PEBS_REGISTERS_BYTES 144ul
#define PEBS_XMM_BYTES 256ul
#define PEBS_LBR_BYTES 24ul  // an entry

struct pebs_basic {
    u64 format;  // 47:0 PEBS_DATA_CFG of the record, 63:48 its bytes
    u64 ip;
    u64 counters;  // those whose record it is
    u64 tsc;
};
struct pebs_memory {
    u64 address;
    u64 source;  // 1 L1, 2 under way to it, 3 L2, 4 L3, 0xC memory
    u64 latency;
    u64 transaction;
};
struct pebs_registers {
    u64 flags, ip, ax, cx, dx, bx, sp, bp, si, di, r8_to_r15[8];
};
static inline u64 pebs_bytes(const struct pebs_basic* r) {
    return r->format >> 48;
}

// Bytes of a record with these groups.
u64 pebs_record_bytes(u64 config);
// The area of the calling thread: records go to [buffer, buffer + bytes), and a PMI comes when
// `threshold` bytes of them are there; counters of the mask make records. Their resets are 0.
void pebs_start(struct perfmon_ds_area* area, void* buffer, u64 bytes, u64 threshold, u64 config,
                u64 mask);
void pebs_stop(void);
// The next record behind `r`; `r` NULL: the first one. NULL: there is none.
const struct pebs_basic* pebs_next(const struct perfmon_ds_area* area, const struct pebs_basic* r);
// A group of the record, NULL if it has none.
const struct pebs_memory* pebs_memory_of(const struct pebs_basic* r);
const struct pebs_registers* pebs_registers_of(const struct pebs_basic* r);

// Selects what general counter 0-3 counts: event and the bits above; the driver adds
// PERFMON_ENABLE. The counter starts from `from`, modulo 2^48.
void perfmon_select(unsigned counter, u64 select, u64 from);
// Sets the bits of fixed counter 0-2, and the counter.
void perfmon_select_fixed(unsigned counter, u64 bits, u64 from);
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

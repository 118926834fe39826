// Gathers, scatters and pairs of VLOADUNPACK and VPACKSTORE of vector_kernels.S, and what each of
// their executions does, computed with integers and one element at a time.
#ifndef KNC_SW_TESTS_VECTOR_KERNELS_H
#define KNC_SW_TESTS_VECTOR_KERNELS_H

#include "lib/types.h"

#define LANES 16
#define LINE 64ul

struct kernel {
    const char* name;
    // Returns what is left of the mask. `lanes` is zmm1 before and after; `index` has offsets from
    // `base` in bytes. Both are vectors at multiples of 64 bytes.
    u32 (*run)(u8* base, const i32* index, u8* lanes, u32 mask);
    // The instruction, or the L and the H form of a pair; the one behind the last.
    const u8 *at, *high, *end;
    bool store;
    u32 lane_bytes, bytes;  // of a lane, of its element in memory
};

#define KERNELS 12
extern const struct kernel kernels[KERNELS];

static inline u32 kernel_lanes(const struct kernel* k) {
    return 64 / k->lane_bytes;
}
static inline bool kernel_sparse(const struct kernel* k) {
    return k->high == NULL;
}

// One execution that accesses memory.
struct step {
    const u8* rip;
    u32 mask;    // k1 before it
    u32 served;  // lanes
    u64 first;   // the lowest address
};
struct plan {
    u64 at[LANES];  // where the element of each active lane is
    u32 active;
    u32 count;
    struct step steps[LANES];
};
// All executions, in their order, that `run` makes with these arguments.
void plan_kernel(struct plan* p, const struct kernel* k, u64 base, const i32* index, u32 mask);
// Does in `lanes` and in memory what the lanes of `served` do; their elements are `shift` bytes
// behind where the plan says.
void apply_lanes(const struct plan* p, const struct kernel* k, u32 served, u64 shift, u8* lanes);

// Lane n of a register, the element of it in memory.
u64 lane_of(const struct kernel* k, const u8* lanes, u32 n);
u64 element_at(const struct kernel* k, u64 address);

// A pseudorandom number below `n` (xorshift64; the state is not 0).
u32 random_below(u64* state, u32 n);
// Random arguments: offsets in `bytes` from 0, many in few lines, some at the borders of pages;
// contents of zmm1; a mask.
struct arguments {
    i32 index[LANES];
    u8 lanes[64];
    u64 base;  // of a pair: where it begins; else 0
    u32 mask;
} __attribute__((aligned(64)));
void random_arguments(u64* state, const struct kernel* k, u32 bytes, struct arguments* a);

// All of the unit: 32 registers, 8 masks of 16 bits, MXCSR.
struct vector_unit {
    u8 bytes[2112];
} __attribute__((aligned(64)));
void vector_save(struct vector_unit* to);
void vector_clobber(void);
void vector_restore(const struct vector_unit* from);

#endif

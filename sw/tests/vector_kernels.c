#include "tests/vector_kernels.h"

#include "lib/string.h"
#include "lib/vm.h"

#define DECLARE(name)                                                   \
    u32 vector_run_##name(u8* base, const i32* i, u8* lanes, u32 mask); \
    extern const u8 vector_at_##name[], vector_end_##name[];
#define DECLARE_PAIR(name) DECLARE(name) extern const u8 vector_high_##name[];
DECLARE(gather32)
DECLARE(gather64)
DECLARE(gather8)
DECLARE(scatter32)
DECLARE(scatter64)
DECLARE(scatter8)
DECLARE_PAIR(unpack32)
DECLARE_PAIR(unpack64)
DECLARE_PAIR(unpack8)
DECLARE_PAIR(pack32)
DECLARE_PAIR(pack64)
DECLARE_PAIR(pack8)

#define ROW(name, store, lane, bytes) \
    { #name, vector_run_##name, vector_at_##name, NULL, vector_end_##name, store, lane, bytes }
#define PAIR(name, store, lane, bytes)                                                            \
    {                                                                                             \
#name, vector_run_##name, vector_at_##name, vector_high_##name, vector_end_##name, store, \
            lane, bytes                                                                           \
    }
const struct kernel kernels[KERNELS] = {
    ROW(gather32, false, 4, 4),  ROW(gather64, false, 8, 8),  ROW(gather8, false, 4, 1),
    ROW(scatter32, true, 4, 4),  ROW(scatter64, true, 8, 8),  ROW(scatter8, true, 4, 1),
    PAIR(unpack32, false, 4, 4), PAIR(unpack64, false, 8, 8), PAIR(unpack8, false, 4, 1),
    PAIR(pack32, true, 4, 4),    PAIR(pack64, true, 8, 8),    PAIR(pack8, true, 4, 1),
};

void plan_kernel(struct plan* p, const struct kernel* k, u64 base, const i32* index, u32 mask) {
    p->active = mask & ((1u << kernel_lanes(k)) - 1);
    u32 rank = 0;
    for (u32 n = 0; n < kernel_lanes(k); ++n) {
        if ((p->active >> n & 1) == 0) continue;
        p->at[n] = base + (kernel_sparse(k) ? (u64)(i64)index[n] : (u64)rank++ * k->bytes);
    }
    p->count = 0;
    u32 left = p->active;
    for (u32 n = 0; n < kernel_lanes(k); ++n) {
        if ((left >> n & 1) == 0) continue;
        // A pair's L form reaches no further than the line of `base`.
        const bool beyond = !kernel_sparse(k) && p->at[n] / LINE != base / LINE;
        struct step s = {beyond ? k->high : k->at, mask, 0, p->at[n]};
        if (kernel_sparse(k)) s.mask = mask & ~(p->active & ~left);
        for (u32 m = n; m < kernel_lanes(k); ++m) {
            if ((left >> m & 1) == 0 || p->at[m] / LINE != p->at[n] / LINE) continue;
            s.served |= 1u << m;
            if (p->at[m] < s.first) s.first = p->at[m];
        }
        left &= ~s.served;
        p->steps[p->count++] = s;
    }
}

static u64 get(const u8* at, u32 bytes) {
    u64 value = 0;
    for (u32 n = 0; n < bytes; ++n) value |= (u64)at[n] << 8 * n;
    return value;
}
static void put(u8* at, u32 bytes, u64 value) {
    for (u32 n = 0; n < bytes; ++n) at[n] = (u8)(value >> 8 * n);
}

u64 lane_of(const struct kernel* k, const u8* lanes, u32 n) {
    return get(lanes + n * k->lane_bytes, k->lane_bytes);
}
u64 element_at(const struct kernel* k, u64 address) {
    return get((const u8*)address, k->bytes);
}

void apply_lanes(const struct plan* p, const struct kernel* k, u32 served, u64 shift, u8* lanes) {
    for (u32 n = 0; n < kernel_lanes(k); ++n) {
        if ((served >> n & 1) == 0) continue;
        if (k->store)
            put((u8*)(p->at[n] + shift), k->bytes, lane_of(k, lanes, n));
        else
            put(lanes + n * k->lane_bytes, k->lane_bytes, element_at(k, p->at[n] + shift));
    }
}

u32 random_below(u64* state, u32 n) {
    u64 x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (u32)((x >> 16) % n);
}

void random_arguments(u64* state, const struct kernel* k, u32 bytes, struct arguments* a) {
    u32 few[4];
    for (u32 n = 0; n < 4; ++n) few[n] = random_below(state, bytes / LINE) * (u32)LINE;
    for (u32 n = 0; n < LANES; ++n) {
        const u32 line = random_below(state, 3) == 0 ? random_below(state, bytes / LINE) * (u32)LINE
                                                     : few[n % 4];
        a->index[n] = (i32)(line + random_below(state, (u32)LINE / k->bytes) * k->bytes);
    }
    // A store to an element of fewer bytes than the lane's saturates; these numbers need not.
    for (u32 n = 0; n < kernel_lanes(k); ++n)
        put(a->lanes + n * k->lane_bytes, k->lane_bytes,
            k->bytes == 1 ? random_below(state, 256)
                          : (u64)random_below(state, ~0u) << 32 | random_below(state, ~0u));
    a->base = 0;
    if (!kernel_sparse(k)) {
        // Around a line's border, which often is a page's.
        const u64 unit = random_below(state, 2) == 0 ? VM_PAGE : LINE;
        const u64 border = (1 + random_below(state, (u32)(bytes / unit - 1))) * unit;
        a->base = border - random_below(state, (u32)LINE / k->bytes) * k->bytes;
        if (a->base + LINE > bytes) a->base = bytes - LINE;
    }
    a->mask = random_below(state, 4) == 0 ? 0xFFFF : random_below(state, 0x10000);
    // The loop ends when all bits of the mask are 0, also those that belong to no lane.
    if (kernel_sparse(k)) a->mask &= (1u << kernel_lanes(k)) - 1;
}

#include "apps/metrics/loads.h"

#include "lib/float_bits.h"
#include "lib/knc_vector.h"

const char* const load_names[LOADS] = {"integer", "chase", "vector"};

// Of a unit, about as long as each other on a core with four threads.
#define INTEGER_PASSES 12
#define CHASE_STEPS 512
#define LINE_FLOATS 16
#define FACTOR 31  // register

static u64 random(u64* x) {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

// One cycle through all nodes (Sattolo's algorithm).
static void link_nodes(struct load_node* nodes, u64 seed) {
    for (u64 i = 0; i < LOAD_NODES; ++i) nodes[i].next = &nodes[i];
    for (u64 i = LOAD_NODES - 1; i > 0; --i) {
        const u64 other = (random(&seed) >> 32) * i >> 32;
        struct load_node* const kept = nodes[i].next;
        nodes[i].next = nodes[other].next;
        nodes[other].next = kept;
    }
}

void load_prepare(struct load_data* d, u64 seed) {
    link_nodes(d->nodes, seed);
    for (u32 i = 0; i < LOAD_FLOATS; ++i) d->x[i] = d->y[i] = float32_bits(1);
    for (u32 i = 0; i < LOAD_INTEGERS; ++i) d->integers[i] = i;
    d->passes = 0;
    d->at = d->nodes;
}

static void run_integer(struct load_data* d) {
    u32 sum = 0;
    for (u32 pass = 0; pass < INTEGER_PASSES; ++pass)
        for (u32 i = 0; i < LOAD_INTEGERS; ++i) d->integers[i] = sum += d->integers[i] ^ pass;
}

static void run_chase(struct load_data* d) {
    struct load_node* at = d->at;
    for (u32 i = 0; i < CHASE_STEPS; ++i) at = at->next;
    d->at = at;
}

// y += 1 * x, all 16 lanes.
static void run_vector(struct load_data* d) {
    knc_vbroadcastss(FACTOR, d->x);
    const u32* x = d->x;
    for (u32* y = d->y; y != d->y + LOAD_FLOATS; x += LINE_FLOATS, y += LINE_FLOATS) {
        knc_vmovaps_load(0, y);
        knc_vprefetch1(x + LOAD_FAR * LINE_FLOATS);
        knc_vfmadd231ps_load(0, FACTOR, x);
        knc_vprefetch0(x + LOAD_NEAR * LINE_FLOATS);
        knc_vmovaps_store(y, 0);
    }
    ++d->passes;
}

u64 load_run(u64 data) {
    static void (*const runs[LOADS])(struct load_data*) = {run_integer, run_chase, run_vector};
    struct load_data* d = (struct load_data*)data;
    for (u32 l = 0; l < LOADS; ++l)
        for (u64 i = 0; (d->sets >> l & 1) != 0 && i < d->amount; ++i) runs[l](d);
    return 0;
}

bool load_is_right(const struct load_data* d) {
    u32 wrong = 0;
    for (u32 i = 0; i < LOAD_FLOATS; ++i) wrong += d->y[i] != float32_bits(1 + d->passes);
    return wrong == 0;
}

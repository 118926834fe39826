// Three loads of known character for a thread, each with data of its own.
#ifndef KNC_SW_APPS_METRICS_LOADS_H
#define KNC_SW_APPS_METRICS_LOADS_H

#include "lib/types.h"

enum load { INTEGER, CHASE, VECTOR, LOADS };
extern const char* const load_names[LOADS];

#define LOAD_INTEGERS 512             // 2 KB: four of them fit into an L1
#define LOAD_NODES 3072               // 192 KB: four of them exceed an L2
#define LOAD_FLOATS (LOAD_NODES * 8)  // 96 KB, twice
// Lines between a prefetch and its load.
#define LOAD_NEAR 4
#define LOAD_FAR 16

struct load_node {
    struct load_node* next;
    u64 unused[7];
};
struct load_data {
    struct load_node nodes[LOAD_NODES];
    u32 x[LOAD_FLOATS], y[LOAD_FLOATS];  // float32
    u32 integers[LOAD_INTEGERS];
    u32 passes;  // over x and y so far
    u32 sets;    // bit N: load_run() runs load N
    u64 amount;
    struct load_node* at;
} __attribute__((aligned(4096)));

// `seed`: not 0; makes the order of the nodes.
void load_prepare(struct load_data* d, u64 seed);
// Runs `amount` units of each load that `sets` has, one load after the other. Any ring. A
// user_function.
u64 load_run(u64 data);
// Whether y is what the passes make of it.
bool load_is_right(const struct load_data* d);

#endif

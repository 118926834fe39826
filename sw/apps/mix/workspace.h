// Data of the integer kernels, a set for each thread, which r15 points to while a kernel runs.
#ifndef KNC_SW_APPS_MIX_WORKSPACE_H
#define KNC_SW_APPS_MIX_WORKSPACE_H

#include "lib/types.h"

// Smaller than those of apps/integer, so that the data of four threads fit into an L1.
#define PLAIN 350
#define HASHES 256
#define ITEMS 110
#define NODES 90

struct item {
    u32 key, tag;
};
struct node {
    struct node *left, *right;
    u32 key, count;
};
struct workspace {
    u8 plain[PLAIN], packed[2 * PLAIN], unpacked[PLAIN];
    u16 last_place[HASHES];
    struct item items[ITEMS];
    struct node nodes[NODES];
    u32 used;
};

register struct workspace* workspace __asm__("r15");

#define KNC_KERNEL_WORKSPACE
#define plain (workspace->plain)
#define packed (workspace->packed)
#define unpacked (workspace->unpacked)
#define last_place (workspace->last_place)
#define items (workspace->items)
#define nodes (workspace->nodes)
#define used (workspace->used)

#endif

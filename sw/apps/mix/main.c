// Integer work on any number of threads, each with data of its own, to measure how fast the
// platform simulates. Every thread verifies each of its results.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   passes=N     over the kernels (default 1)
//   kernels=SET  bit n: kernel n of the list below takes part (default: all of them)
#include "apps/mix/workspace.h"

#include "apps/integer/kernels.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul

typedef bool (*kernel)(u32 seed);
static const kernel kernels[] = {kernel_compress, kernel_sort,      kernel_multiply, kernel_tree,
                                 kernel_decimal,  kernel_interpret, kernel_bits};
#define KERNELS (sizeof kernels / sizeof kernels[0])

// Of each member, a line of its own.
struct part {
    struct workspace* data;
    u64 tried, right;
} __attribute__((aligned(64)));

static struct part* parts;
static u64 passes, chosen;

static __attribute__((noinline)) void run(struct part* p, u32 seed) {
    for (u64 pass = 0; pass < passes; ++pass)
        for (u32 i = 0; i < KERNELS; ++i) {
            if ((chosen >> i & 1) == 0) continue;
            ++p->tried;
            p->right += kernels[i]((u32)(pass * KERNELS) + i + seed);
        }
}

static void work(u64 member) {
    struct workspace* const kept = workspace;
    workspace = parts[member].data;
    run(&parts[member], 1 + 77 * (u32)member);
    workspace = kept;
}

int main(void) {
    passes = option_number("passes", 1);
    chosen = option_number("kernels", (1u << KERNELS) - 1);
    const u64 members = team_start();
    parts = heap_allocate(members * sizeof *parts, LINE);
    if (!CHECK(members != 0 && parts != NULL)) return check_summary();
    for (u64 m = 0; m < members; ++m) {
        // Not all at the same place of their pages: they would share sets of a cache.
        const u64 shift = m % 8 * LINE;
        u8* const at = heap_allocate(sizeof(struct workspace) + shift, LINE);
        if (!CHECK(at != NULL)) return check_summary();
        parts[m] = (struct part){.data = (struct workspace*)(at + shift)};
    }
    const u64 clocks = team_run(work);
    u64 tried = 0;
    for (u64 m = 0; m < members; ++m) {
        tried += parts[m].tried;
        CHECK_EQ(parts[m].right, parts[m].tried);
    }
    team_report("results", tried, clocks);
    return check_summary();
}

// Cache monitoring: a noisy neighbour. One core works on a quarter of the L3 again and again, under
// ID 1. Another one first works on an eighth (ID 2), then streams through four times the L3 (ID 3),
// then works on a sixteenth (ID 4). The table tells who has how much. For the preset perfmon.
//
// Command line: kb=N   KB of the L3 (l3.bytes times the tiles)
#include "drivers/cmt/cmt.h"

#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"

#define LINE 64ul
#define OTHER 4  // APIC ID of the other core's first thread
#define IDS 4

static u8 *own, *large, *small;
static struct cmt_info info;

// ---- the neighbour walks an array until it gets another one

static volatile u64 bytes;
static const u8* volatile array;
static volatile u32 rmid, passes;

static u64 walk(const u8* from, u64 size) {
    const u64 begin = rdtsc();
    for (u64 n = 0; n < size; n += LINE) (void)*(const volatile u8*)(from + n);
    return rdtsc() - begin;
}

static void other_main(struct thread* t) {
    (void)t;
    for (;;) {
        const u64 size = bytes;
        if (size == 0) {
            platform_delay(64);
            continue;
        }
        cmt_associate(rmid);
        for (u64 n = 0; n < size && bytes == size; n += 4096) walk(array + n, 4096);
        if (bytes == size) ++passes;
    }
}

static void neighbour(u32 id, const u8* from, u64 size) {
    bytes = 0;
    platform_delay(1000);  // it is in the middle of a page
    rmid = id;
    array = from;
    passes = 0;
    memory_barrier();
    bytes = size;
}

// ---- the table

static u64 kb(u32 id) {
    u64 b = 0;
    CHECK_EQ(cmt_read(&info, CMT_OCCUPANCY, id, 1000, &b), CMT_OK);
    return b / 1024;
}

static u64 has[IDS + 1];

// Passes over the own array until the neighbour has made `least` of its own, with a line for each.
static u64 share(const char* what, u32 least, u64 quarter) {
    u64 last = 0, clocks = 0;
    for (u32 n = 0; n < 3 || passes < least; ++n) {
        cmt_associate(1);
        clocks = walk(own, quarter);
        cmt_associate(0);
        for (u32 id = 1; id <= IDS; ++id) has[id] = kb(id);
        if (n < 3 || passes != last)
            printf("%s  %lu  %lu  %lu  %lu  %lu\n", what, has[1], has[2], has[3], has[4],
                   clocks * LINE / quarter);
        last = passes;
    }
    return clocks;
}

int main(void) {
    const u64 l3 = option_number("kb", 2048) * 1024, quarter = l3 / 4;
    if (!CHECK(cmt_find(&info))) return check_summary();
    own = heap_allocate(quarter, 4096);
    large = heap_allocate(4 * l3, 4096);
    small = heap_allocate(l3 / 16, 4096);
    if (!CHECK(own != NULL && large != NULL && small != NULL && info.rmids > IDS))
        return check_summary();
    CHECK(thread_boot(OTHER, other_main) != NULL);
    printf(
        "KB of the L3 with ID 1 (this core), 2, 3, 4 (its neighbour); clocks for a line of ID 1\n");

    platform_marker(1);
    neighbour(2, large, l3 / 8);
    const u64 alone = share("an eighth  ", 2, quarter);
    // What fits stays, but for lines that share a set with too many others.
    CHECK_RANGE(has[1], l3 / 4096 * 9 / 10, l3 / 4096);
    CHECK_RANGE(has[2], l3 / 8192 * 9 / 10, l3 / 8192);

    platform_marker(2);
    neighbour(3, large, 4 * l3);
    const u64 beside = share("a stream   ", 1, quarter);
    // The stream has most of the L3, and the lines of ID 2 have gone with nobody to use them.
    CHECK_RANGE(has[3], l3 / 2048, l3 / 1024);
    CHECK_EQ(has[2], 0);
    CHECK(beside > alone);

    platform_marker(3);
    neighbour(4, small, l3 / 16);
    const u64 again = share("a sixteenth", 2, quarter);
    CHECK_RANGE(has[1], l3 / 4096 * 9 / 10, l3 / 4096);
    CHECK_RANGE(has[4], l3 / 16384 * 9 / 10, l3 / 16384);
    // The stream has ended, but nobody needs its lines: the ID keeps them.
    CHECK(has[3] > 0);
    CHECK(again < beside);
    platform_marker(4);
    return check_summary();
}

// Memory bandwidth of more and more cores: in each step twice as many members of a team read an
// array of their own for the first time, with prefetches into both caches.
//
// Command line: cores= (lib/team.h), bytes=N (of each array, a multiple of 256, default 32768).
// Marks 2n + 1 and 2n + 2: around the step with 2^n members.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define LARGE_PAGE (2ul << 20)
#define NEAR 4ul
#define FAR 16ul

// apps/stream/kernels.S
void read_far(const u8* from, const u8* end, u64 l1, u8* to, u64 l2);

static u64 bytes, active;
static u8* next;  // array of member 0

// Brings the code into the caches, and the translation into the TLB.
static void prepare(u64 member) {
    (void)member;
    read_far(next, next + 4 * LINE, 0, NULL, 0);
}

static void work(u64 member) {
    const u8* array = next + member * bytes;
    if (member < active) read_far(array, array + bytes, NEAR * LINE, NULL, FAR * LINE);
}

int main(void) {
    bytes = option_number("bytes", 32 << 10);
    const u64 members = team_start();
    u32 mark = 1;
    next = heap_allocate(2 * members * bytes + 2 * LARGE_PAGE, LARGE_PAGE);
    if (!CHECK(members != 0 && next != NULL)) return check_summary();
    team_run(prepare);
    next += LARGE_PAGE;
    u64 last = 0;
    for (active = 1; active <= members; active *= 2) {
        platform_marker(mark++);
        const u64 clocks = team_run(work);
        platform_marker(mark++);
        const u64 lines = active * bytes / LINE;
        const u64 rate = lines * 1000 / clocks;
        printf("%lu cores: %lu lines in %lu clocks, %lu.%03lu a clock\n", active, lines, clocks,
               rate / 1000, rate % 1000);
        CHECK(rate > last);
        last = rate;
        next += active * bytes;
    }
    return check_summary();
}

// False sharing: every member of a team increments a number of its own. First all numbers lie in
// one line, which moves from core to core; then each has a line.
//
// Command line: cores=, step=, threads= (lib/team.h), rounds=N (default 500). The increments are at
// ring 3, and nothing else of ring 3 writes outside a thread's own stack. Marks 1 and 2: around the
// first part, 3 and 4: around the second.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/team.h"
#include "lib/thread.h"
#include "lib/user.h"

#define LINE 64
#define IN_A_LINE (LINE / sizeof(u64))

static USER_BSS volatile u64 shared_line[IN_A_LINE] __attribute__((aligned(LINE)));
static USER_BSS volatile u64 lines[MOST_THREADS][IN_A_LINE] __attribute__((aligned(LINE)));
static USER_BSS u64 rounds;

static u64 increment(u64 number) {
    volatile u64* const at = (volatile u64*)number;
    u64 n = rounds;
    // One instruction that loads and stores.
    __asm__ volatile("1: incq %0\n\tdecq %1\n\tjnz 1b" : "+m"(*at), "+r"(n) : : "cc");
    return 0;
}

static void share(u64 member) {
    user_call(increment, (u64)&shared_line[member]);
}
static void stay(u64 member) {
    user_call(increment, (u64)&lines[member][0]);
}

static u64 measure(void (*work)(u64), u32 first_mark) {
    platform_marker(first_mark);
    const u64 clocks = team_run(work);
    platform_marker(first_mark + 1);
    return clocks;
}

int main(void) {
    rounds = option_number("rounds", 500);
    const u64 members = team_start();
    if (!CHECK(members != 0 && members <= IN_A_LINE)) return check_summary();
    team_run(stay);  // code and lines come into the caches
    const u64 shared = measure(share, 1), padded = measure(stay, 3);
    for (u64 m = 0; m < members; ++m) {
        CHECK_EQ(shared_line[m], rounds);
        CHECK_EQ(lines[m][0], 2 * rounds);
    }
    printf("%lu increments of each of %lu members: %lu clocks in one line, %lu in a line each\n",
           rounds, members, shared, padded);
    CHECK(shared > 2 * padded);
    return check_summary();
}

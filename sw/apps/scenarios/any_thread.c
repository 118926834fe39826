// One counter of all threads of a core: counter 0 of thread 0 counts the instructions that any
// thread executes at ring 3, counter 1 those of thread 0 alone. Thread t runs (t + 1) * rounds
// rounds of a loop.
//
// Command line: threads=T (lib/team.h), rounds=N (default 1000). Marks 1 and 2: before and after
// the work.
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/team.h"
#include "lib/user.h"
#include "tests/kernels.h"

static u64 rounds;

static void work(u64 member) {
    user_call(kernel_loop, (member + 1) * rounds);
}

static u64 instructions(u64 member) {
    return USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS((member + 1) * rounds);
}

int main(void) {
    rounds = option_number("rounds", 1000);
    const u64 members = team_start();
    const u32 select = PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER;
    pmu_select(0, select | PMU_ANY_THREAD, 0);
    pmu_select(1, select, 0);
    pmu_start(3);
    platform_marker(1);
    team_run(work);
    platform_marker(2);
    pmu_stop();
    u64 all = 0;
    for (u64 m = 0; m < members; ++m) all += instructions(m);
    printf("any thread: %lu instructions, this thread: %lu\n", pmu_read(0), pmu_read(1));
    CHECK_EQ(pmu_read(0), all);
    CHECK_EQ(pmu_read(1), instructions(0));
    return check_summary();
}

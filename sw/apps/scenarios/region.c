// A region by SPFLT: both counters count only what ring 3 executes between SPFLT 1 and SPFLT 0,
// although the same loop also runs outside of it.
//
// Command line: outside=N, inside=N (rounds, defaults 3000 and 1000). Each is run twice.
// Marks 1 and 2: around the program.
#include "drivers/sampling/region.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "tests/kernels.h"

static USER_BSS u64 outside, inside;

static u64 program(u64 unused) {
    for (u32 i = 0; i < 2; ++i) {
        kernel_loop(outside);
        region_loop(inside);
    }
    return unused;
}

int main(void) {
    outside = option_number("outside", 3000);
    inside = option_number("inside", 1000);
    region_prepare(PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER, PMU_EVENT_BRANCHES | PMU_USER);
    platform_marker(1);
    user_call(program, 0);
    platform_marker(2);
    pmu_stop();
    printf("in the region: %lu instructions, %lu branches\n", pmu_read(0), pmu_read(1));
    CHECK_EQ(pmu_read(0), 2 * REGION_LOOP_INSTRUCTIONS(inside));
    CHECK_EQ(pmu_read(1), 2 * REGION_LOOP_BRANCHES(inside));
    return check_summary();
}

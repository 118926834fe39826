// Integer work at ring 3 of any length, to measure how fast the platform simulates. Runs several
// kernels in turn and verifies each.
//
// Command line: millions=N, approximate number of instructions to execute (default 2). armed=LAST:
// on threads with APIC IDs 0 to LAST both counters count meanwhile; all except the working thread
// halt.
#include "apps/integer/kernels.h"
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/user.h"

// Approximate number of instructions in one pass over the kernels.
#define PASS_INSTRUCTIONS 193000u

typedef bool (*kernel)(u32 seed);
static const kernel kernels[] = {kernel_compress, kernel_sort,      kernel_multiply, kernel_tree,
                                 kernel_decimal,  kernel_interpret, kernel_bits};
#define KERNELS (sizeof kernels / sizeof kernels[0])

static volatile u64 ready;

static void arm(void) {
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER | PMU_OS, 0);
    pmu_select(1, PMU_EVENT_CPU_CLK_UNHALTED | PMU_USER | PMU_OS, 0);
    pmu_start(3);
}

static void arm_and_rest(struct thread* t) {
    (void)t;
    arm();
    atomic_fetch_add(&ready, 1);
}

// Threads that count, this one included.
static u64 arm_all(u32 last) {
    const u64 others = thread_boot_range(0, last, arm_and_rest);
    while (ready < others) platform_delay(1000);
    arm();
    return others + 1;
}

// Number of right results in `passes` passes.
static u64 run(u64 passes) {
    u64 right = 0;
    for (u64 pass = 0; pass < passes; ++pass)
        for (u32 i = 0; i < KERNELS; ++i) right += kernels[i]((u32)(pass * KERNELS + i + 1));
    return right;
}

int main(void) {
    const u64 passes = option_number("millions", 2) * 1000000u / PASS_INSTRUCTIONS;
    const u32 none = ~0u;
    const u32 last = (u32)option_number("armed", none);
    const u64 armed = last == none ? 0 : arm_all(last);
    const u64 right = user_call(run, passes);
    if (armed != 0) {
        pmu_stop();
        printf("%lu threads counted; here %lu instructions in %lu clocks\n", armed, pmu_read(0),
               pmu_read(1));
        CHECK(pmu_read(0) > passes * (PASS_INSTRUCTIONS / 2));
        CHECK(pmu_read(1) > pmu_read(0));
    }
    printf("%lu passes over %lu kernels, %lu results right\n", passes, KERNELS, right);
    CHECK(passes > 0);
    CHECK_EQ(right, passes * KERNELS);
    return check_summary();
}

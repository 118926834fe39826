// A program's worth of integer work at ring 3, as long as wanted: for measuring how fast the
// platform simulates. Several kernels in turn, each verified.
//
// Command line: millions=N, instructions to execute, about (default 2).
#include "apps/integer/kernels.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/printf.h"
#include "lib/user.h"

// Instructions of one pass over the kernels, about.
#define PASS_INSTRUCTIONS 193000u

typedef bool (*kernel)(u32 seed);
static const kernel kernels[] = {kernel_compress, kernel_sort,      kernel_multiply, kernel_tree,
                                 kernel_decimal,  kernel_interpret, kernel_bits};
#define KERNELS (sizeof kernels / sizeof kernels[0])

// Right results of `passes` passes.
static u64 run(u64 passes) {
    u64 right = 0;
    for (u64 pass = 0; pass < passes; ++pass)
        for (u32 i = 0; i < KERNELS; ++i) right += kernels[i]((u32)(pass * KERNELS + i + 1));
    return right;
}

int main(void) {
    const u64 passes = option_number("millions", 2) * 1000000u / PASS_INSTRUCTIONS;
    const u64 right = user_call(run, passes);
    printf("%lu passes over %lu kernels, %lu results right\n", passes, KERNELS, right);
    CHECK(passes > 0);
    CHECK_EQ(right, passes * KERNELS);
    return check_summary();
}

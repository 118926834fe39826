// The example of docs/firmware.md: counts the instructions that a function executes at ring 3.
#include "drivers/pmu/pmu.h"
#include "lib/printf.h"
#include "lib/user.h"

static u64 work(u64 n) {
    u64 sum = 0;
    for (volatile u64 i = 0; i < n; ++i) sum += i;
    return sum;
}

int main(void) {
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER, 0);
    pmu_start(1);
    user_call(work, 1000);
    pmu_stop();
    printf("%lu instructions at ring 3\n", pmu_read(0));
    return 0;
}

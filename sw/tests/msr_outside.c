// Waits until something outside this program changes counter 0 of its thread, and prints the value.
//
// No counter is enabled, so the program alone never ends.
#include "drivers/pmu/pmu.h"
#include "lib/cpu.h"
#include "lib/printf.h"

int main(void) {
    printf("waiting\n");
    u64 value;
    do {
        value = rdmsr(MSR_PERF_COUNTER);
    } while (value == 0);
    printf("counter 0 is 0x%lx, event select 0 is 0x%lx\n", value, rdmsr(MSR_PERF_EVENT_SELECT));
    return 0;
}

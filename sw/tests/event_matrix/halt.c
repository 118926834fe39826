// Clocks of a halted core are none of CPU_CLK_UNHALTED: two times to halt, one count.
#include "drivers/apic/apic.h"
#include "lib/check.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "tests/event_matrix/matrix.h"

// Their gates are in one line.
#define REHEARSED 0x52
#define MEASURED 0x53
#define GATE_RING0 0x8E
// HLT, then entry and IRETQ of the timer's interrupt, SPFLT 0 of the frame.
#define AWAKE (1 + 40 + 10 + 4)

extern const char matrix_iretq[];

static u32 ticks;

static void on_rehearsed(struct trap_frame* f) {
    (void)f;
    apic_eoi();
    apic_timer_start(MEASURED, false, 1, ticks);
}

static void prepare(u64 at) {
    (void)at;
    apic_timer_start(REHEARSED, false, 1, 1000);
}

void check_halt(void) {
    static const struct half half = {.run = kernel_halt, .prepare = prepare};
    trap_set_handler(REHEARSED, on_rehearsed);
    trap_set_code(MEASURED, matrix_iretq, GATE_RING0);
    u64 clocks[2];
    for (u32 i = 0; i < 2; ++i) {
        ticks = 15000 + 5000 * i;
        CHECK_EQ(measure_alone(&half, PMU_EVENT_CPU_CLK_UNHALTED | PMU_OS, &clocks[i]), AWAKE);
        apic_eoi();
    }
    CHECK(clocks[0] > 3000 && clocks[1] > clocks[0] + 4000);
    printf("halt|%u\n", AWAKE);
}

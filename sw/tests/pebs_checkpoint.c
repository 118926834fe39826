// PEBS across a fast-forward, at which a checkpoint can be written: a counter is armed, and the
// buffer has some records. For the preset perfmon.
#include "drivers/perfmon/perfmon.h"
#include "lib/check.h"
#include "lib/platform.h"

#define PERIOD 1000ul
#define RECORDS 16ul

static u8 buffer[RECORDS * PEBS_BASIC_BYTES] __attribute__((aligned(4096)));
static struct perfmon_ds_area area;
extern const u8 rounds_begin[], rounds_end[];

// Two instructions a round.
static __attribute__((noinline)) void rounds(u64 n) {
    __asm__ volatile(
        "rounds_begin: decq %0\n\tjnz rounds_begin\n"
        ".globl rounds_begin, rounds_end\nrounds_end:"
        : "+r"(n)
        :
        : "cc");
}

static u64 records(void) {
    return (area.index - area.base) / PEBS_BASIC_BYTES;
}

int main(void) {
    perfmon_reset();
    // The threshold is the end of the buffer, which is not reached.
    pebs_start(&area, buffer, sizeof buffer, sizeof buffer, 0, PERFMON_BIT(0));
    area.reset[0] = -PERIOD & PERFMON_MASK;
    perfmon_select(0, PERFMON_INSTRUCTIONS | PERFMON_OS, -PERIOD);
    perfmon_start(PERFMON_BIT(0));
    rounds(1750);
    CHECK_EQ(records(), 3);
    // Nothing counts meanwhile.
    platform_fast_forward(true);
    rounds(5000);
    platform_fast_forward(false);
    CHECK_EQ(records(), 3);
    // 7000 instructions in the loops, and less than a hundred around them.
    rounds(1750);
    perfmon_stop();
    CHECK_EQ(records(), 7);
    CHECK_RANGE(perfmon_read(0), (-PERIOD & PERFMON_MASK) + 1, (-PERIOD & PERFMON_MASK) + 100);
    u64 inside = 0;
    const struct pebs_basic* r = NULL;
    while ((r = pebs_next(&area, r)) != NULL) {
        CHECK_EQ(r->counters, PERFMON_BIT(0));
        inside += r->ip >= (u64)rounds_begin && r->ip < (u64)rounds_end;
    }
    CHECK_EQ(inside, 7);
    pebs_stop();
    return check_summary();
}

// Producer and consumer on two cores. In each turn the producer writes every line of a buffer, and
// the consumer then reads them. Writing and reading are at ring 3, waiting for the turn at ring 0.
//
// Command line: producer=ID (APIC ID, default 4; the consumer is the boot thread), lines=N (default
// 64), turns=N (default 20). Marks 1 and 2: around all turns.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/user.h"

#define MOST_LINES 256
#define WORDS 8

static USER_BSS u64 buffer[MOST_LINES][WORDS] __attribute__((aligned(64)));
static USER_BSS u64 lines;
static u64 turns;
static struct counter turn;  // even: the producer's

// One store per line.
static u64 produce(u64 number) {
    for (u64 l = 0; l < lines; ++l) *(volatile u64*)&buffer[l][0] = number + l;
    return 0;
}
// One load per line.
static u64 consume(u64 number) {
    (void)number;
    u64 sum = 0;
    for (u64 l = 0; l < lines; ++l) sum += *(volatile u64*)&buffer[l][0];
    return sum;
}

static void producer(struct thread* t) {
    (void)t;
    for (u64 n = 0; n < turns; ++n) {
        while (turn.value != 2 * n) platform_delay(16);
        user_call(produce, n);
        memory_barrier();
        turn.value = 2 * n + 1;
    }
}

int main(void) {
    lines = option_number("lines", 64);
    turns = option_number("turns", 20);
    if (!CHECK(lines >= 1 && lines <= MOST_LINES)) return check_summary();
    platform_marker(1);
    if (!CHECK(thread_boot((u32)option_number("producer", 4), producer) != NULL))
        return check_summary();
    for (u64 n = 0; n < turns; ++n) {
        while (turn.value != 2 * n + 1) platform_delay(16);
        CHECK_EQ(user_call(consume, n), n * lines + lines * (lines - 1) / 2);
        turn.value = 2 * n + 2;
    }
    platform_marker(2);
    printf("%lu lines went from producer to consumer\n", turns * lines);
    return check_summary();
}

// Work of known character between marks, for the metrics of a phase: every second phase, from an
// odd mark to the next even one, is one kind of work.
//
// Command line: none: loads from 16 KB, 256 KB and 2 MB that were read before (marks 1-2, 3-4,
// 5-6);
//                     half of the time halted (7-8); lines that another core has written (9-10)
//               threads: the same loop on 1, 2, 3, 4 threads of the first core (1-2, ... 7-8)
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "tests/kernels.h"

#define LINE 64ul
#define LARGE_PAGE (2ul << 20)
#define TIMER_VECTOR 0x40
#define HALF 20000u  // clocks
#define SHARED_LINES 64ul
#define ROUNDS 50u

static u32 next_mark = 1;
static void mark(void) {
    platform_marker(next_mark++);
}

static void read_lines(const u8* at, u64 bytes) {
    for (const u8* p = at; p != at + bytes; p += LINE) (void)*(const volatile u64*)p;
}

static void loads(const u8* array) {
    static const u64 sizes[] = {16 << 10, 256 << 10, 2 << 20};
    for (u32 i = 0; i < 3; ++i) {
        read_lines(array, sizes[i]);
        mark();
        read_lines(array, sizes[i]);
        mark();
    }
}

static volatile u32 ticks;
static void tick(struct trap_frame* frame) {
    (void)frame;
    ++ticks;
    apic_eoi();
}

static void half_halted(void) {
    trap_set_handler(TIMER_VECTOR, tick);
    mark();
    for (u32 i = 0; i < 20; ++i) {
        const u64 begin = rdtsc();
        apic_timer_start(TIMER_VECTOR, false, 1, 2 * HALF);
        while (rdtsc() - begin < HALF) {
        }
        while (ticks == i) irq_enable_and_halt();
        irq_disable();
    }
    mark();
}

static u8 shared[SHARED_LINES * LINE] __attribute__((aligned(64)));
static volatile u32 turn __attribute__((aligned(64)));  // even: the writer's

static void write_turns(struct thread* t) {
    (void)t;
    for (u32 n = 0; n < ROUNDS; ++n) {
        while (turn != 2 * n) {
        }
        for (u64 l = 0; l < SHARED_LINES; ++l) *(volatile u64*)(shared + l * LINE) = n + l;
        turn = 2 * n + 1;
    }
}

static void read_turns(void) {
    if (!CHECK(thread_boot(4, write_turns) != NULL)) return;
    u64 wrong = 0;
    mark();
    for (u32 n = 0; n < ROUNDS; ++n) {
        while (turn != 2 * n + 1) {
        }
        for (u64 l = 0; l < SHARED_LINES; ++l)
            wrong += *(volatile u64*)(shared + l * LINE) != n + l;
        turn = 2 * n + 2;
    }
    mark();
    CHECK_EQ(wrong, 0);
}

static volatile bool stop;
static void loop_until_stop(struct thread* t) {
    (void)t;
    while (!stop) kernel_loop(1000);
}

static void loops_on_threads(void) {
    for (u32 threads = 1; threads <= 4; ++threads) {
        if (threads > 1) CHECK(thread_boot(threads - 1, loop_until_stop) != NULL);
        kernel_loop(1000);
        mark();
        kernel_loop(50000);
        mark();
    }
    stop = true;
}

int main(void) {
    if (option("threads")) {
        loops_on_threads();
    } else {
        u8* array = heap_allocate(LARGE_PAGE, LARGE_PAGE);
        if (!CHECK(array != NULL)) return check_summary();
        loads(array);
        half_halted();
        read_turns();
    }
    CHECK_EQ(next_mark, option("threads") ? 9 : 11);
    return check_summary();
}

// The threads that work for the measuring thread: another thread of its core, which sleeps between
// orders so that it takes no clock from the kernels, and one of another tile.
//
// Command line: other=N, the thread of the core (default 1)
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "tests/event_matrix/matrix.h"

#define OTHER_TILE 4
#define WAKE 0x50

static u32 other_thread;

static struct {
    void (*volatile order)(void);
    volatile u32 given, done;
} thread __attribute__((aligned(64)));

static struct {
    kernel run;
    u64 at, start, target;
    volatile u32 given, taken, done;
} tile __attribute__((aligned(64)));

static void on_wake(struct trap_frame* f) {
    (void)f;
    apic_eoi();
}

static void serve_core(struct thread* t) {
    (void)t;
    for (;;) {
        irq_enable_and_halt();
        irq_disable();
        if (thread.given == thread.done) continue;
        thread.order();
        thread.done = thread.given;
    }
}

void other_thread_begin(void (*order)(void)) {
    thread.order = order;
    ++thread.given;
    apic_send_fixed(other_thread, WAKE);
}

void other_thread_wait(void) {
    while (thread.done != thread.given) platform_delay(500);
}

// `taken` says that the order has come to this tile. Behind the kernel nothing moves until all
// windows are closed.
static void serve_tile(struct thread* t) {
    static struct job job;
    (void)t;
    for (;;) {
        while (tile.given == tile.done) platform_delay(200);
        const kernel run = tile.run;
        const u64 start = tile.start;
        job.start = start;
        job.target = tile.target;
        job.real = tile.at;
        job.rehearsal = memory_at(AREA_OTHER_TILE);
        tile.taken = tile.given;
        run((u64)&job);
        while (start != 0 && rdtsc() < start + 3500) platform_delay(500);
        tile.done = tile.taken;
    }
}

void other_tile_begin(kernel run, u64 at, u64 start, u64 target) {
    tile.run = run;
    tile.at = at;
    tile.start = start;
    tile.target = target;
    ++tile.given;
    while (tile.taken != tile.given) platform_delay(200);
}

void other_tile_wait(void) {
    while (tile.done != tile.given) platform_delay(500);
}

void other_tile_now(kernel run, u64 at) {
    other_tile_begin(run, at, 0, 0);
    other_tile_wait();
}

bool others_start(void) {
    trap_set_handler(WAKE, on_wake);
    other_thread = (u32)option_number("other", 1);
    return CHECK(thread_boot(other_thread, serve_core) != NULL) &&
           CHECK(thread_boot(OTHER_TILE, serve_tile) != NULL);
}

// Code that one thread writes and others execute, on its own core and on another: in place while
// they run it, and under a flag with a serializing instruction as the manual prescribes.
//
// Command line: first=ID last=ID (threads that execute, default 1 to 5).
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/vm.h"

#define VERSIONS 40

typedef u32 (*function)(void);

static u8* code;
static u32 runners;
static struct barrier barrier;
static volatile u32 seen[MOST_THREADS];  // by thread index
static volatile u64 wrong;
static volatile bool stop;

// nops; mov eax, value; ret
static void put_return(u8* at, u32 nops, u32 value) {
    memset(at, 0x90, nops);
    at[nops] = 0xB8;
    memcpy(at + nops + 1, &value, 4);
    at[nops + 5] = 0xC3;
}
static u32 call(const u8* at) {
    return ((function)(u64)at)();
}

// One aligned store replaces the operand of a MOV while the others execute it without pause. They
// may see an old value for a while, but never one older than a value they have seen.
static void run_freely(u32 self) {
    while (!stop) {
        const u32 value = call(code + 3);
        if (value < seen[self] || value > VERSIONS) atomic_fetch_add(&wrong, 1);
        seen[self] = value;
    }
}
static bool all_see(u32 version) {
    for (u32 patience = 0; patience < 10000; ++patience) {
        u32 up_to_date = 0;
        for (u32 i = 1; i <= runners; ++i) up_to_date += seen[i] == version;
        if (up_to_date == runners) return true;
        platform_delay(200);
    }
    return false;
}
static void write_freely(void) {
    for (u32 version = 1; version <= VERSIONS; ++version) {
        *(volatile u32*)(code + 4) = version;
        CHECK(all_see(version));
    }
    stop = true;
}

// The function moves to another place, changes its length and may lie in two pages; between the
// barriers nobody executes it.
static u8* place(u32 version) {
    return code + VM_PAGE - 12 + version % 12;
}
static void run_in_turn(void) {
    for (u32 version = 1; version <= VERSIONS; ++version) {
        barrier_wait(&barrier);
        cpuid(0);
        if (call(place(version)) != version) atomic_fetch_add(&wrong, 1);
        barrier_wait(&barrier);
    }
}
static void write_in_turn(void) {
    for (u32 version = 1; version <= VERSIONS; ++version) {
        put_return(place(version), version % 9, version);
        barrier_wait(&barrier);
        barrier_wait(&barrier);
    }
}

static void runner(struct thread* t) {
    while (barrier.members == 0) platform_delay(100);
    barrier_wait(&barrier);
    run_freely(t->index);
    barrier_wait(&barrier);
    run_in_turn();
    barrier_wait(&barrier);
}

int main(void) {
    code = heap_allocate(2 * VM_PAGE, VM_PAGE);
    if (!CHECK(code != NULL)) return check_summary();
    CHECK(vm_protect(code, 2 * VM_PAGE, VM_WRITE));
    put_return(code + 3, 0, 0);
    runners =
        thread_boot_range((u32)option_number("first", 1), (u32)option_number("last", 5), runner);
    CHECK(runners > 0);
    barrier.members = runners + 1;
    barrier_wait(&barrier);
    write_freely();
    barrier_wait(&barrier);
    CHECK_EQ(wrong, 0);
    write_in_turn();
    barrier_wait(&barrier);
    CHECK_EQ(wrong, 0);
    printf("%u threads saw %u versions\n", runners, 2 * VERSIONS);
    return check_summary();
}

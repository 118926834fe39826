// Latency of a level of the memory hierarchy: a chain of loads, each of which gives the address of
// the next, through all lines of an array in random order.
//
// Command line:
//   bytes=N     the array, a multiple of `stride` (default 8192)
//   stride=N    bytes from one line of the chain to the next in memory, 64 and up (default 64)
//   loads=N     loads that are timed, a multiple of 16 (default 8192)
//   cold        the array leaves this core's caches first; otherwise one untimed walk comes first
//   pages=4     4 KB pages instead of 2 MB ones
//   owners=N    other cores that hold the lines, equal parts of the array each (default 0), the
//   first=C     first of them and the distance to the next (defaults 0 and 1)
//   step=S
//   read        the owners have read the lines; otherwise they have written them
//
// The last line of the console is "measured N loads in M clocks". Exit code 0 when the chain has
// ended at the right node.
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/vm.h"

#define LARGE_PAGE (2ul << 20)
#define THREADS_PER_CORE 4
#define UNROLLED 16

// The start of each line. The address of the next one has 32 bits, so the load needs no REX prefix.
struct node {
    u32 next;
    u32 written;
};

static u64 array, stride, nodes;
static u32* successor;  // number of each node's successor
static u64 owners;
static bool owners_read;
static volatile u64 ready, touched;
static volatile bool go;
static volatile u64 sink;

static struct node* node(u64 n) {
    return (struct node*)(array + n * stride);
}

// xorshift64
static u64 random(void) {
    static u64 x = 0x9E3779B97F4A7C15ul;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

// One cycle through all nodes (Sattolo's algorithm); the multiplication takes a random number below
// `i` without a division.
static bool link_nodes(void) {
    successor = heap_allocate(nodes * sizeof *successor, LARGE_PAGE);
    if (successor == NULL) return false;
    for (u64 i = 0; i < nodes; ++i) successor[i] = (u32)i;
    for (u64 i = nodes - 1; i > 0; --i) {
        const u64 other = (random() >> 32) * i >> 32;
        const u32 kept = successor[i];
        successor[i] = successor[other];
        successor[other] = kept;
    }
    for (u64 i = 0; i < nodes; ++i) *node(i) = (struct node){(u32)(u64)node(successor[i]), 0};
    return true;
}

// Follows the chain for `loads` steps. The last two loads pair with the loop's own instructions,
// which therefore cost no extra time.
static u32 follow(u32 at, u64 loads) {
    u32 rounds = (u32)(loads / UNROLLED);
    __asm__ volatile(
        "1:\n\t"
        ".rept 14\n\t"
        "movl (%%rax), %%eax\n\t"
        ".endr\n\t"
        "movl (%%rax), %%eax\n\t"
        "decl %1\n\t"
        "movl (%%rax), %%eax\n\t"
        "jnz 1b"
        : "+a"(at), "+r"(rounds)
        :
        : "memory", "cc");
    return at;
}

// The node which that many steps from the first node reach.
static u32 destination(u64 loads) {
    u64 n = 0;
    for (u64 i = loads % nodes; i > 0; --i) n = successor[n];
    return (u32)(u64)node(n);
}

// An owner takes every owners-th line.
static void own(struct thread* t) {
    const u64 first = t->index - 1;
    atomic_fetch_add(&ready, 1);
    while (!go) platform_delay(1000);
    for (u64 i = first; i < nodes; i += owners) {
        if (owners_read)
            sink = node(i)->next;
        else
            node(i)->written = 1;
    }
    memory_barrier();
    atomic_fetch_add(&touched, 1);
}

static bool start_owners(void) {
    const u64 first = option_number("first", 0);
    const u64 step = option_number("step", 1);
    for (u64 i = 0; i < owners; ++i)
        if (!CHECK(thread_boot((u32)((first + i * step) * THREADS_PER_CORE), own) != NULL))
            return false;
    while (ready < owners) platform_delay(1000);
    return true;
}

static void flush_caches(void) {
    __asm__ volatile("wbinvd" : : : "memory");
}

int main(void) {
    const u64 bytes = option_number("bytes", 8192);
    const u64 loads = option_number("loads", 8192) / UNROLLED * UNROLLED;
    stride = option_number("stride", 64);
    owners = option_number("owners", 0);
    owners_read = option("read");
    nodes = bytes / stride;
    array = (u64)heap_allocate(bytes, LARGE_PAGE);
    if (!CHECK(array != 0 && nodes > 1)) return check_summary();
    if (option_number("pages", 0) == 4) CHECK(vm_protect((void*)array, bytes, VM_WRITE));
    if (!start_owners() || !CHECK(link_nodes())) return check_summary();

    u64 steps = UNROLLED + loads;
    if (owners != 0 || option("cold")) flush_caches();
    if (owners != 0) {
        go = true;
        while (touched < owners) platform_delay(1000);
    }
    u32 at = (u32)array;
    if (owners == 0 && !option("cold")) {
        at = follow(at, nodes / UNROLLED * UNROLLED);
        steps += nodes / UNROLLED * UNROLLED;
    }
    at = follow(at, UNROLLED);  // brings its code into the cache
    const u64 begin = rdtsc();
    at = follow(at, loads);
    const u64 clocks = rdtsc() - begin;
    CHECK_EQ(at, destination(steps));
    printf("measured %lu loads in %lu clocks\n", loads, clocks);
    return check_summary();
}

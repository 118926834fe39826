// The instruction FIFO (event 33), false entries of the branch target buffer (3A) and locked
// accesses of a Pentium with MMX. For the preset p55c.
//
// Command line: manual when the events that only the SDM has exist (p55c.manual_events).
#include "tests/p55c_rows.h"

extern kernel kernel_singles, kernel_prefixes, kernel_prefix_and_pairs, kernel_turns, kernel_wrong,
    kernel_cold, kernel_no_entry, kernel_false_entry, kernel_locked, kernel_unlocked, kernel_walk;

#define CLOCKS (P55C_ALL | P55C_CLOCKS)

// Clocks of the bus (p55c.*_clocks, p55c.bus_ratio).
enum { READ = 6, MORE = 2, WRITE = 3, RATIO = 2 };

static u64 empty(kernel* k) {
    return count(k, 0x33, 0, P55C_ALL);
}
static u64 single(kernel* k) {
    return count(k, 0x33, 1, P55C_ALL);
}
static u64 clocks_of(kernel* k) {
    return count(k, 0x30, 0, CLOCKS);
}

static void check_fifo(void) {
    // Before the first one, a WRMSR: F has filled the FIFO meanwhile.
    CHECK(empty(kernel_singles) == 0);
    CHECK(single(kernel_singles) == 0);
    // Three are there when WRMSR leaves the FIFO, and the fourth two clocks later. From then on F
    // finds one in two clocks, and D1 could take one a clock: the fifth comes as it is needed, each
    // of the other eleven a clock too late.
    CHECK(empty(kernel_prefixes) == 11);
    CHECK(clocks_of(kernel_prefixes) == clocks_of(kernel_singles) + 11);
    // From the fifth on none finds another one in the FIFO.
    CHECK(single(kernel_prefixes) == 12);
    // An occurrence is a clock, so both kinds of code count the same.
    CHECK(count(kernel_prefixes, 0x33, 0, CLOCKS) == empty(kernel_prefixes));
    // The last prefix has delayed the NOPs behind it: the first pairs find one of two.
    CHECK(single(kernel_prefix_and_pairs) > single(kernel_singles));
    // The target of a branch comes a clock after the branch, as D1 needs it; the last branch is
    // wrong in V, which costs five clocks, of which the target spends two between D1 and its issue.
    CHECK(empty(kernel_turns) == 5 - 2);
    // In U a wrong branch costs four clocks.
    CHECK(empty(kernel_wrong) == 2);
    // A wait for a line of code is one for the FIFO.
    CHECK(empty(kernel_cold) == 0);
}

static void check_cold(void) {
    // The line that begins at `cold` is absent at the first call only.
    u64 v[2];
    p55c_start(0, 0, 0);
    __asm__ volatile("wbinvd" : : : "memory");
    kernel_cold(p55c_control(p55c_field(0x33, CLOCKS, 0), p55c_field(0x0E, P55C_ALL, 0)));
    p55c_stop(v);
    CHECK(v[1] != 0);
    // Each miss takes its burst, from the bus's next clock on, and a clock before that.
    const u32 fill = (READ + 3 * MORE) * RATIO;
    CHECK(v[0] >= v[1] * (fill + 1) && v[0] <= v[1] * (fill + RATIO) + 20);
}

static void check_false_entries(void) {
    CHECK(count(kernel_no_entry, 0x3A, 0, P55C_ALL) == 0);
    CHECK(count(kernel_no_entry, 0x15, 0, P55C_ALL) == 0);
    CHECK(count(kernel_false_entry, 0x3A, 0, P55C_ALL) == 1);
    CHECK(count(kernel_false_entry, 0x15, 0, P55C_ALL) == 1);
    CHECK(count(kernel_false_entry, 0x35, 0, P55C_ALL) == 0);
    CHECK(count(kernel_false_entry, 0x33, 0, P55C_ALL) != 0);
}

static void check_locked(void) {
    // The line is in the cache, but a locked access goes to memory, and the line leaves.
    CHECK(count(kernel_unlocked, 0x18, 0, CLOCKS) == 0);
    CHECK(count(kernel_unlocked, 0x05, 0, P55C_ALL) == 2);
    CHECK(count(kernel_locked, 0x18, 0, CLOCKS) == 2 * (READ + WRITE) * RATIO);
    CHECK(count(kernel_locked, 0x03, 0, P55C_ALL) == 1);  // of XCHG, when the line has left
    CHECK(count(kernel_locked, 0x04, 0, P55C_ALL) == 2);
    CHECK(count(kernel_locked, 0x05, 0, P55C_ALL) == 0);
}

static void check_manual(void) {
    const int there = asked_for("manual");
    CHECK(count(kernel_locked, 0x1C, 0, P55C_ALL) == (there ? 2u : 0u));
    CHECK(count(kernel_locked, 0x1C, 1, P55C_ALL) == (there ? 2u : 0u));
    CHECK(count(kernel_unlocked, 0x1C, 0, P55C_ALL) == 0);
    CHECK(count(kernel_locked, 0x2E, 0, CLOCKS) ==
          (there ? count(kernel_locked, 0x18, 0, CLOCKS) : 0));
    CHECK((count(kernel_walk, 0x30, 1, CLOCKS) != 0) == there);
    CHECK(count(kernel_locked, 0x30, 1, CLOCKS) == 0);
}

static u32 directory[1024] __attribute__((aligned(4096)));
static void set_up_pages(void) {
    for (u32 i = 0; i < 1024; ++i) directory[i] = i << 22 | 0x83;
    u32 cr0, cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 0x10));
    __asm__ volatile("movl %0, %%cr3" : : "r"(directory) : "memory");
    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movl %0, %%cr0" : : "r"(cr0 | 0x80000000) : "memory");
}

void test(void);
void test(void) {
    set_up();
    set_up_pages();
    check_fifo();
    check_cold();
    check_false_entries();
    check_locked();
    check_manual();
    finish();
}

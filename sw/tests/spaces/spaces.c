// Programs at the same addresses in different address spaces, on every hardware thread: for a
// simulator that has to know which program runs.
//
// A round of a thread is kernel_work(), and each of three programs twice:
// - shared: each program has its page tables, which all threads use, and its pages;
// - private: the thread has one set of page tables and of pages, into which the next program is
//   copied: the same value of CR3, the same linear and physical addresses, another program.
//
// Command line: last=ID, the last local APIC ID (default 7); stay=P: the boot thread stays in
// program P for as long as anyone waits; down: the higher the level of a page table, the higher its
// address.
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "lib/vm.h"

enum { PROGRAMS = 3, PAGES = 2, ROUNDS = 4, STEPS = 500, KERNEL_STEPS = 300, ENTRIES = 512 };
#define PROGRAM_BASE 0x40000000ul

extern u8 program0_start[], program1_start[], program2_start[];
extern u64 boot_pml4[ENTRIES], boot_pdpt[ENTRIES];
void kernel_work(u64 steps);

static u8* const programs[PROGRAMS] = {program0_start, program1_start, program2_start};
static u64 shared[PROGRAMS];  // values of CR3
static volatile u64 done, wrong;
static volatile u32 go;

// Page tables as the boot's, but for the second gigabyte, which has the PAGES pages at `code`.
static u64 make_space(const u8* code) {
    u64* table[4];
    const bool down = option("down");
    for (int n = 0; n < 4; ++n) {
        u64* const page = heap_allocate(VM_PAGE, VM_PAGE);
        if (page == NULL) panic(NULL, "no memory for page tables");
        memset(page, 0, VM_PAGE);
        table[down ? 3 - n : n] = page;
    }
    const u64 rights = VM_PRESENT | VM_WRITE | VM_USER;
    memcpy(table[0], boot_pml4, VM_PAGE);
    memcpy(table[1], boot_pdpt, VM_PAGE);
    table[0][0] = (u64)table[1] | rights;
    table[1][PROGRAM_BASE >> 30] = (u64)table[2] | rights;
    table[2][0] = (u64)table[3] | rights;
    for (u64 n = 0; n < PAGES; ++n) table[3][n] = (u64)(code + n * VM_PAGE) | VM_PRESENT | VM_USER;
    return (u64)table[0];
}

// The rounds of program p add p for each step.
static void run(u64 space, u64 program, u64 steps) {
    write_cr3(space);
    const u64 sum = user_call((user_function)PROGRAM_BASE, steps);
    if (sum != program * steps) __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
}

static void run_rounds(void) {
    u8* const code = heap_allocate(PAGES * VM_PAGE, VM_PAGE);
    if (code == NULL) panic(NULL, "no memory for a program");
    const u64 private = make_space(code);
    const u64 before = read_cr3();
    for (u64 round = 0; round < ROUNDS; ++round) {
        kernel_work(KERNEL_STEPS);
        for (u64 p = 0; p < PROGRAMS; ++p) run(shared[p], p, STEPS);
        for (u64 p = 0; p < PROGRAMS; ++p) {
            memcpy(code, programs[p], PAGES * VM_PAGE);
            run(private, p, STEPS);
        }
    }
    write_cr3(before);
    __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
}

static void secondary(struct thread* t) {
    (void)t;
    while (go == 0) platform_delay(100);
    run_rounds();
}

int main(void) {
    const u32 last = (u32)option_number("last", 7);
    for (u64 p = 0; p < PROGRAMS; ++p) shared[p] = make_space(programs[p]);
    const u64 stay = option_number("stay", PROGRAMS);
    if (stay < PROGRAMS) run(shared[stay], stay, ~0ul);
    const u64 threads = 1 + thread_boot_range(0, last, secondary);
    CHECK_EQ(threads, last + 1);
    go = 1;
    run_rounds();
    while (done != threads) platform_delay(100);
    CHECK_EQ(wrong, 0);
    return check_summary();
}

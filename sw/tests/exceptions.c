// Every exception that ring 0 can raise in long mode, with its error code; instructions that the
// profile refuses.
//
// Command line: compat when the platform runs profile compat (which has some of the refused ones).
#include "boot/layout.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/probe.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define NON_CANONICAL 0x8000000000000000ul

// Code as data: the checked image must not contain it.
struct code {
    const char* name;
    u8 bytes[12];
};

static void divide(void* by) {
    __asm__ volatile("xorl %%edx, %%edx\n\tmovl $1, %%eax\n\tdivl %0"
                     :
                     : "m"(*(u32*)by)
                     : "eax", "edx", "cc");
}
static void divide_overflow(void* by) {
    __asm__ volatile("movl $2, %%edx\n\tmovl $0, %%eax\n\tdivl %0"
                     :
                     : "m"(*(u32*)by)
                     : "eax", "edx", "cc");
}
static void undefined(void* unused) {
    (void)unused;
    __asm__ volatile("ud2");
}
static void load_data_segment(void* selector) {
    __asm__ volatile("movl %0, %%ds" : : "r"((u32)(u64)selector));
}
static void load_stack_segment(void* selector) {
    __asm__ volatile("movl %0, %%ss" : : "r"((u32)(u64)selector));
}
static void push_far_away(void* unused) {
    (void)unused;
    __asm__ volatile("movq %%rsp, %%rcx\n\tmovq %0, %%rsp\n\tpushq %%rax\n\tmovq %%rcx, %%rsp"
                     :
                     : "r"(NON_CANONICAL)
                     : "rcx", "memory");
}
static void read_by_rbp(void* unused) {
    (void)unused;
    __asm__ volatile("pushq %%rbp\n\tmovq %0, %%rbp\n\tmovq (%%rbp), %%rax\n\tpopq %%rbp"
                     :
                     : "r"(NON_CANONICAL)
                     : "rax", "memory");
}
static void interrupt_50(void* unused) {
    (void)unused;
    __asm__ volatile("int $0x50");
}
static void write_cr0_reserved(void* unused) {
    (void)unused;
    // Paging needs protected mode.
    write_cr0(read_cr0() & ~1ul);
}

static u32 zero = 0, one = 1;

static void expect(void (*fn)(void*), void* argument, unsigned vector, u64 error) {
    const struct fault f = trap_catch(fn, argument);
    if (!CHECK(fault_is(&f, vector, error))) {
        printf("  raised %d vector %u error 0x%lx, want %u 0x%lx\n", f.raised, f.vector, f.error,
               vector, error);
    }
    CHECK_EQ(f.cpl, 0);
}

static void check_simple(void) {
    expect(divide, &zero, TRAP_DE, 0);
    expect(divide_overflow, &one, TRAP_DE, 0);
    expect(undefined, NULL, TRAP_UD, 0);
    expect(write_cr0_reserved, NULL, TRAP_GP, 0);
    const struct fault f = probe_read((void*)NON_CANONICAL);
    CHECK(fault_is(&f, TRAP_GP, 0));
    // The stack fault has no valid stack for its delivery: the frame goes where the push went.
    expect(push_far_away, NULL, TRAP_DF, 0);
    expect(read_by_rbp, NULL, TRAP_SS, 0);
    CHECK(!trap_catch(divide, &one).raised);
}

static void check_segments(void) {
    struct thread* t = this_thread();
    // Beyond the table; error code: the selector without its RPL.
    expect(load_data_segment, (void*)0x1003ul, TRAP_GP, 0x1000);
    expect(load_stack_segment, (void*)0x1000ul, TRAP_GP, 0x1000);
    // The null selector is valid in SS at ring 0, but not with RPL 3.
    expect(load_stack_segment, (void*)3ul, TRAP_GP, 0);
    const u64 descriptor = t->gdt[USER_DATA_SEGMENT / 8];
    t->gdt[USER_DATA_SEGMENT / 8] = descriptor & ~(1ul << 47);  // not present
    expect(load_data_segment, (void*)(USER_DATA_SEGMENT + 3ul), TRAP_NP, USER_DATA_SEGMENT);
    t->gdt[USER_DATA_SEGMENT / 8] = descriptor & ~(1ul << 47) & ~(3ul << 45);
    expect(load_stack_segment, (void*)(u64)USER_DATA_SEGMENT, TRAP_SS, USER_DATA_SEGMENT);
    t->gdt[USER_DATA_SEGMENT / 8] = descriptor;
    // A code segment cannot be a stack.
    expect(load_stack_segment, (void*)(u64)KERNEL_CODE, TRAP_GP, KERNEL_CODE);
}

static void check_gates(void) {
    trap_set_gate(0x50, 0x0E, 0);  // not present
    expect(interrupt_50, NULL, TRAP_NP, 0x50 << 3 | 2);
    trap_set_gate(0x50, 0x85, 0);  // a task gate: none in long mode
    expect(interrupt_50, NULL, TRAP_GP, 0x50 << 3 | 2);
    trap_set_gate(0x50, 0x8E, 0);
    // A fault in delivering a page fault is a double fault, taken on its own stack.
    trap_set_gate(TRAP_PF, 0x0E, 0);
    const struct fault f = probe_read((void*)0x7000000000ul);
    trap_set_gate(TRAP_PF, 0x8E, 0);
    CHECK(fault_is(&f, TRAP_DF, 0));
    // After a benign exception the fault is delivered in turn; no double fault.
    trap_set_gate(TRAP_UD, 0x0E, 0);
    expect(undefined, NULL, TRAP_NP, TRAP_UD << 3 | 2 | 1);
    trap_set_gate(TRAP_UD, 0x8E, 0);
}

static volatile u32 traps;
static volatile u64 trap_rip;

static void count_trap(struct trap_frame* f) {
    ++traps;
    trap_rip = f->rip;
    f->rflags &= ~RFLAGS_TF;
}

static void check_debug(void) {
    trap_set_handler(TRAP_BP, count_trap);
    trap_set_handler(TRAP_DB, count_trap);
    extern char after_breakpoint[], after_step[];
    __asm__ volatile(
        "int3\n"
        ".globl after_breakpoint\n"
        "after_breakpoint:");
    CHECK_EQ(traps, 1);
    CHECK_EQ(trap_rip, (u64)after_breakpoint);
    // The trap comes after the instruction that follows the one that set TF.
    write_dr6(0);
    __asm__ volatile(
        "pushfq\n\t"
        "orq $0x100, (%%rsp)\n\t"
        "popfq\n\t"
        "movl $1, %%eax\n"
        ".globl after_step\n"
        "after_step:\n\t"
        "movl $2, %%eax"
        :
        :
        : "eax", "memory", "cc");
    CHECK_EQ(traps, 2);
    CHECK_EQ(trap_rip, (u64)after_step);
    CHECK_EQ(read_dr6() >> 14 & 1, 1);  // BS
    trap_set_handler(TRAP_BP, NULL);
    trap_set_handler(TRAP_DB, NULL);
}

// Profile compat has the first nine.
static const struct code refused[] = {
    {"cmovne ecx, eax", {0x0F, 0x45, 0xC8, 0xC3}},
    {"pause", {0xF3, 0x90, 0xC3}},
    {"mfence", {0x0F, 0xAE, 0xF0, 0xC3}},
    {"lfence", {0x0F, 0xAE, 0xE8, 0xC3}},
    {"sfence", {0x0F, 0xAE, 0xF8, 0xC3}},
    {"rdtscp", {0x0F, 0x01, 0xF9, 0xC3}},
    {"clflush [rsp]", {0x0F, 0xAE, 0x3C, 0x24, 0xC3}},
    {"in al, 0x80", {0xE4, 0x80, 0xC3}},
    {"prefetcht0 [rsp]", {0x0F, 0x18, 0x0C, 0x24, 0xC3}},
    {"movaps xmm0, xmm1", {0x0F, 0x28, 0xC1, 0xC3}},
    {"movq mm0, mm1", {0x0F, 0x6F, 0xC1, 0xC3}},
    {"popcnt eax, eax", {0xF3, 0x0F, 0xB8, 0xC0, 0xC3}},
    {"movbe eax, [rsp]", {0x0F, 0x38, 0xF0, 0x04, 0x24, 0xC3}},
    {"sysenter", {0x0F, 0x34, 0xC3}},
    {"monitor", {0x0F, 0x01, 0xC8, 0xC3}},
    {"push es", {0x06, 0xC3}},
    {"into", {0xCE, 0xC3}},
    {"lock nop", {0xF0, 0x90, 0xC3}},
};
#define COMPAT_HAS 9

static void check_refused(void) {
    for (u32 i = option("compat") ? COMPAT_HAS : 0; i < sizeof refused / sizeof refused[0]; ++i) {
        const struct fault f = probe_call(refused[i].bytes);
        if (!CHECK(fault_is(&f, TRAP_UD, 0))) printf("  %s\n", refused[i].name);
        if (f.raised) CHECK_EQ(f.rip, (u64)refused[i].bytes);
    }
}

// FNINIT, refused while CR0.TS or CR0.EM is set.
static void check_no_fpu(void) {
    static const struct code fninit = {"fninit", {0xDB, 0xE3, 0xC3}};
    const u64 cr0 = read_cr0();
    write_cr0(cr0 | 1ul << 3);
    struct fault f = probe_call(fninit.bytes);
    CHECK(fault_is(&f, TRAP_NM, 0));
    write_cr0((cr0 & ~(1ul << 3)) | 1ul << 2);
    f = probe_call(fninit.bytes);
    CHECK(fault_is(&f, TRAP_NM, 0));
    write_cr0(cr0);
}

int main(void) {
    check_simple();
    check_segments();
    check_gates();
    check_debug();
    check_refused();
    check_no_fpu();
    return check_summary();
}

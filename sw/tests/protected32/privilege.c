// Privilege in 32-bit protected mode: instructions that ring 3 may not execute, the effect of IOPL,
// flags that POPF and IRET may change, gates of interrupts, rings 1 and 2, returns to outer rings.
#include "support.h"

#define FLAG_IF 0x200u
#define FLAG_IOPL 0x3000u
#define IOPL(n) ((u32)(n) << 12)

enum {
    RING1_CODE = (FREE_SELECTOR + 0) | 1,
    RING1_DATA = (FREE_SELECTOR + 8) | 1,
    TO_RING1 = FREE_SELECTOR + 16  // call gate for ring 3
};

extern u8 ring1_procedure[];
extern volatile u32 ring1_cs, ring1_ss;

static u32 flags(void) {
    u32 f;
    __asm__ volatile("pushfl\n\tpopl %0" : "=r"(f));
    return f;
}
static void set_flags(u32 f) {
    __asm__ volatile("pushl %0\n\tpopfl" : : "r"(f) : "memory", "cc");
}

// ---- instructions of ring 0

#define INSTRUCTION(name, text)                                                     \
    static u32 name(void) {                                                         \
        __asm__ volatile(text : : "S"(room) : "eax", "ecx", "edx", "memory", "cc"); \
        return 0;                                                                   \
    }
static u8 room[16];
INSTRUCTION(do_hlt, "hlt")
INSTRUCTION(do_clts, "clts")
INSTRUCTION(do_lmsw, "xorl %%eax, %%eax\n\tlmsw %%ax")
INSTRUCTION(do_read_cr0, "movl %%cr0, %%eax")
INSTRUCTION(do_write_cr0, "movl $1, %%eax\n\tmovl %%eax, %%cr0")
INSTRUCTION(do_read_cr2, "movl %%cr2, %%eax")
INSTRUCTION(do_read_cr3, "movl %%cr3, %%eax")
INSTRUCTION(do_write_cr3, "xorl %%eax, %%eax\n\tmovl %%eax, %%cr3")
INSTRUCTION(do_read_cr4, "movl %%cr4, %%eax")
INSTRUCTION(do_read_dr7, "movl %%dr7, %%eax")
INSTRUCTION(do_write_dr0, "movl %%eax, %%dr0")
INSTRUCTION(do_lgdt, "lgdt (%0)")
INSTRUCTION(do_lidt, "lidt (%0)")
INSTRUCTION(do_lldt, "xorl %%eax, %%eax\n\tlldt %%ax")
INSTRUCTION(do_ltr, "movl $0x30, %%eax\n\tltr %%ax")
INSTRUCTION(do_invlpg, "invlpg (%0)")
INSTRUCTION(do_invd, "invd")
INSTRUCTION(do_wbinvd, "wbinvd")
INSTRUCTION(do_rdmsr, "movl $0x10, %%ecx\n\trdmsr")
INSTRUCTION(do_wrmsr, "movl $0x10, %%ecx\n\twrmsr")
INSTRUCTION(do_rdpmc, "xorl %%ecx, %%ecx\n\trdpmc")
INSTRUCTION(do_rdtsc, "rdtsc")
INSTRUCTION(do_cli, "cli")
INSTRUCTION(do_sti, "sti\n\tcli")
// Instructions that every ring may execute.
INSTRUCTION(do_smsw, "smsw %%eax")
INSTRUCTION(do_sgdt, "sgdt (%0)")
INSTRUCTION(do_sidt, "sidt (%0)")
INSTRUCTION(do_sldt, "sldt %%eax")
INSTRUCTION(do_str, "str %%eax")

static u32 (*const privileged[])(void) = {
    do_hlt,       do_clts,     do_lmsw,     do_read_cr0,  do_write_cr0, do_read_cr2, do_read_cr3,
    do_write_cr3, do_read_cr4, do_read_dr7, do_write_dr0, do_lgdt,      do_lidt,     do_lldt,
    do_ltr,       do_invlpg,   do_invd,     do_wbinvd,    do_rdmsr,     do_wrmsr,    do_rdpmc};
static u32 (*const free_for_all[])(void) = {do_smsw, do_sgdt, do_sidt, do_sldt, do_str, do_rdtsc};

static u32 run_unharmed(u32 (*fn)(void)) {
    fault_vector = ~0u;
    run_user(fn);
    return fault_vector == ~0u;
}

static void check_instructions(void) {
    // IOPL affects only the interrupt flag.
    for (u32 level = 0; level <= 3; level += 3) {
        set_flags(2 | IOPL(level));
        for (u32 i = 0; i < sizeof privileged / sizeof privileged[0]; ++i)
            EXPECT_USER(privileged[i], GP, 0);
        for (u32 i = 0; i < sizeof free_for_all / sizeof free_for_all[0]; ++i)
            CHECK(run_unharmed(free_for_all[i]));
    }
    u32 cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 4));  // TSD
    EXPECT_USER(do_rdtsc, GP, 0);
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4));
    CHECK(run_unharmed(do_rdtsc));
}

// ---- IOPL

static u32 user_flags(void) {
    return flags();
}
// The flags after an attempt to change all of them.
static u32 user_sets_flags(void) {
    set_flags(0x00003ED7);  // IOPL 3, IF, DF, and the arithmetic ones, not TF
    const u32 after = flags();
    __asm__ volatile("cld");
    return after;
}
static u32 user_clears_flags(void) {
    set_flags(2);
    return flags();
}
static u32 user_sti(void) {
    __asm__ volatile("sti");
    const u32 after = flags();
    __asm__ volatile("cli");
    return after;
}

static void check_iopl(void) {
    set_flags(2);
    EXPECT_USER(do_cli, GP, 0);
    EXPECT_USER(do_sti, GP, 0);
    CHECK((run_user(user_flags) & (FLAG_IOPL | FLAG_IF)) == 0);
    // POPF does not fault; it keeps IF and IOPL.
    CHECK((run_user(user_sets_flags) & 0x3ED5) == 0x0CD5);
    // With IOPL 3, ring 3 may change IF, but not IOPL.
    set_flags(2 | IOPL(3));
    CHECK(run_unharmed(do_cli));
    CHECK((run_user(user_sti) & FLAG_IF) != 0);
    CHECK((run_user(user_clears_flags) & FLAG_IOPL) == IOPL(3));
    CHECK((run_user(user_sets_flags) & FLAG_IF) != 0);
    set_flags(2 | IOPL(1));
    EXPECT_USER(do_cli, GP, 0);
    CHECK((run_user(user_sets_flags) & (FLAG_IF | FLAG_IOPL)) == IOPL(1));
    // Ring 0 may change all of them.
    set_flags(2 | IOPL(2));
    CHECK((flags() & FLAG_IOPL) == IOPL(2));
    set_flags(2);
    CHECK((flags() & FLAG_IOPL) == 0);
}

// ---- gates

static u32 user_int_0x82(void) {
    __asm__ volatile("int $0x82");
    return 0;
}
static u32 user_int3(void) {
    __asm__ volatile("int3");
    return 0;
}
static u32 user_int_13(void) {
    __asm__ volatile("int $13");
    return 0;
}
static u32 user_int_absent(void) {
    __asm__ volatile("int $0x83");
    return 0;
}
static u32 user_divides(void) {
    __asm__ volatile("xorl %%ecx, %%ecx\n\tdivl %%ecx" : : : "eax", "ecx", "edx", "cc");
    return 0;
}
// An interrupt and a trap handler: they note flags and stack and return.
extern u8 note_flags[];
extern volatile u32 noted_flags, noted_esp;

static u32 user_int_0x84(void) {
    __asm__ volatile("int $0x84");
    return flags();
}

static void check_gates(void) {
    set_gate(0x82, note_flags, 0x8E);
    EXPECT_USER(user_int_0x82, GP, 0x82 << 3 | 2);
    EXPECT_USER(user_int3, GP, BP << 3 | 2);  // its gate is ring 0's
    EXPECT_USER(user_int_13, GP, 13 << 3 | 2);
    set_gate(0x83, note_flags, 0x6E);
    EXPECT_USER(user_int_absent, NP, 0x83 << 3 | 2);
    // An exception that the processor raises passes any gate.
    EXPECT_USER(user_divides, DE, 0);
    // Interrupt gate: IF is off in the handler, as before it.
    set_flags(2 | IOPL(3) | FLAG_IF);
    set_gate(0x84, note_flags, 0xEE);
    const u32 after = run_user(user_int_0x84);
    CHECK((noted_flags & FLAG_IF) == 0);
    CHECK((after & FLAG_IF) != 0);
    // SS, ESP, EFLAGS, CS, EIP on the task's stack for ring 0.
    CHECK(noted_esp == task[1] - 20);
    // Trap gate: IF stays on.
    set_flags(2 | IOPL(3) | FLAG_IF);
    set_gate(0x84, note_flags, 0xEF);
    run_user(user_int_0x84);
    CHECK((noted_flags & FLAG_IF) != 0);
    set_flags(2);
    set_gate(BP, note_flags, 0xEE);
    CHECK(run_unharmed(user_int3));
}

// ---- the other rings

static u32 user_calls_ring1(void) {
    u32 result;
    __asm__ volatile("lcall %1, $0"
                     : "=a"(result)
                     : "i"(TO_RING1 | 3)
                     : "ecx", "edx", "memory", "cc");
    return result;
}

static void check_ring1(void) {
    static u32 stack1[64];
    task[3] = (u32)(stack1 + 64);
    task[4] = RING1_DATA;
    set_segment(RING1_CODE, 0, 0xFFFFF, 0xBA, 0xC0);
    set_segment(RING1_DATA, 0, 0xFFFFF, 0xB2, 0xC0);
    set_call_gate(TO_RING1, RING1_CODE, ring1_procedure, 0xEC, 0);
    // Ring 1 with IOPL 1 may use CLI; it has its own stack and goes back by RET.
    set_flags(2 | IOPL(1));
    CHECK(run_user(user_calls_ring1) == 0x51);
    CHECK(ring1_cs == RING1_CODE);
    CHECK(ring1_ss == RING1_DATA);
    // With IOPL 0 it may not; the fault comes from ring 1.
    set_flags(2);
    fault_vector = ~0u;
    run_user(user_calls_ring1);
    CHECK(fault_vector == GP && fault_error == 0 && fault_cs == RING1_CODE);
    // A stack segment of the wrong level in the task: invalid task state.
    task[4] = DATA_SELECTOR;
    fault_vector = ~0u;
    run_user(user_calls_ring1);
    CHECK(fault_vector == TS && fault_error == DATA_SELECTOR);
    task[4] = 0;
    fault_vector = ~0u;
    run_user(user_calls_ring1);
    CHECK(fault_vector == TS && fault_error == 0);
}

// ---- returns

static u32 return_cs, return_ss, return_flags;
static void iret_to(void) {
    __asm__ volatile(
        "pushl %0\n\t"
        "pushl %%esp\n\t"
        "pushl %1\n\t"
        "pushl %2\n\t"
        "pushl $1f\n\t"
        "iret\n"
        "1:\tint $0x80"
        :
        : "r"(return_ss), "r"(return_flags), "r"(return_cs)
        : "memory");
}
static void expect_return(int line, u32 cs, u32 ss, u32 error) {
    return_cs = cs;
    return_ss = ss;
    return_flags = 2;
    expect(line, iret_to, GP, error);
}

static void check_returns(void) {
    // Returns to an inner level, to data, to a null selector, and with a stack of another level.
    expect_return(__LINE__, RING1_CODE & ~3u, RING1_DATA, RING1_CODE & ~3u);
    expect_return(__LINE__, USER_DATA, USER_DATA, USER_DATA & ~3u);
    expect_return(__LINE__, 0, USER_DATA, 0);
    expect_return(__LINE__, USER_CODE, DATA_SELECTOR, DATA_SELECTOR);
    expect_return(__LINE__, USER_CODE, 0, 0);
}

void main(void) {
    set_up();
    check_instructions();
    check_iopl();
    check_gates();
    check_ring1();
    check_returns();
    finish();
}

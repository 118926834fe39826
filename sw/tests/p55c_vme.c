// Virtual interrupts of a Pentium: virtual-8086 mode extensions with the redirection bitmap, and
// protected-mode virtual interrupts. Each program of virtual-8086 mode runs until its monitor gets
// a #GP. For the preset p55c.
#include "tests/p55c_rows.h"

void enter_v86(u32 eflags, u32 ip);
extern u8 v86_fault[], v86_counted[], programs[], programs_end[];
extern volatile u32 v86_error, v86_ip, v86_flags, v86_sp, v86_interrupts;
// Offsets in the segment of the programs.
extern u8 v86_cli[], v86_sti[], v86_pushf[], v86_pushfl[], v86_popf_on[], v86_popf_off[],
    v86_popf_step[], v86_popfl[], v86_iret[], v86_after[], v86_iretl[], v86_int[], v86_other_int[],
    v86_handler[];
u32 user_cli(void), user_sti(void), user_pushf(void);

enum { CF = 1, ALWAYS = 2, TF = 0x100, IF = 0x200, IOPL3 = 0x3000, VM = 1 << 17 };
enum { VIF = 1 << 19, VIP = 1 << 20 };
enum { VME = 1, PVI = 2 };
#define PROGRAM 0x20000
#define STACK_TOP 0x31000u

// A task state segment with a redirection bitmap: 104 bytes, the bitmap, one byte of I/O map.
static struct {
    u32 words[26];
    u8 redirection[32];
    u8 io[4];
} state_segment;

static void set_cr4(u32 bits) {
    __asm__ volatile("movl %0, %%cr4" : : "r"(bits));
}

static void run(u32 flags, const u8* program) {
    v86_interrupts = 0;
    enter_v86(VM | ALWAYS | flags, (u32)program);
}
// It has reached its HLT, or has not, and its flags among VIF, VIP, IF and CF are these.
#define CHECK_END(at, flags) check_end(__LINE__, (u32)(at), flags)
static void check_end(int line, u32 ip, u32 flags) {
    check(line, "where it ends", v86_ip == ip);
    check(line, "no error code", v86_error == 0);
    check(line, "its flags", (v86_flags & (VIF | VIP | IF | CF)) == (u32)flags);
}
static u32 pushed(void) {
    return *(volatile u16*)(STACK_TOP - 2);
}

static void check_flags_of_programs(void) {
    set_cr4(VME);
    run(IF | VIF, v86_cli);
    CHECK_END(v86_cli + 1, IF);
    run(IF, v86_sti);
    CHECK_END(v86_sti + 1, IF | VIF);
    // An interrupt waits for it.
    run(IF | VIP, v86_sti);
    CHECK_END(v86_sti, IF | VIP);
    run(IF | VIF, v86_pushf);
    CHECK_END(v86_pushf + 1, IF | VIF);
    CHECK((pushed() & (IF | IOPL3)) == (IF | IOPL3));
    run(IF, v86_pushf);
    CHECK((pushed() & (IF | IOPL3)) == IOPL3);
    run(VIF, v86_pushf);
    CHECK((pushed() & (IF | IOPL3)) == (IF | IOPL3));
    run(IF, v86_pushfl);
    CHECK_END(v86_pushfl, IF);
    run(IF, v86_popf_on);
    CHECK_END(v86_popf_on + 4, IF | VIF | CF);
    CHECK((v86_flags & IOPL3) == 0);
    run(IF | VIF | CF, v86_popf_off);
    CHECK_END(v86_popf_off + 3, IF);
    run(IF | VIP, v86_popf_off);
    CHECK_END(v86_popf_off + 3, IF | VIP);
    run(IF | VIP, v86_popf_on);
    CHECK_END(v86_popf_on + 3, IF | VIP);
    run(IF, v86_popf_step);
    CHECK_END(v86_popf_step + 3, IF);
    run(IF, v86_popfl);
    CHECK_END(v86_popfl + 2 + 1, IF);
    run(IF, v86_iret);
    CHECK_END(v86_after, IF | VIF | CF);
    CHECK(v86_sp == 0x1000);
    run(IF | VIP, v86_iret);
    CHECK_END(v86_iret + 7, IF | VIP);
    run(IF, v86_iretl);
    CHECK_END(v86_iretl + 9, IF);
    // At IOPL 3 it is IF itself.
    run(IF | VIF | IOPL3, v86_cli);
    CHECK_END(v86_cli + 1, VIF);
    run(IOPL3 | VIP, v86_sti);
    CHECK_END(v86_sti + 1, IF | VIP);
    run(VIF | IOPL3, v86_pushf);
    CHECK((pushed() & IF) == 0);
    // Without the extensions all of them are the monitor's.
    set_cr4(PVI);
    static const u8* const sensitive[] = {v86_cli, v86_sti, v86_pushf, v86_int};
    for (u32 i = 0; i < sizeof sensitive / sizeof sensitive[0]; ++i) {
        run(IF, sensitive[i]);
        CHECK_END(sensitive[i], IF);
    }
}

static void redirect(u32 vector, int to_program) {
    u8* const byte = &state_segment.redirection[vector / 8];
    *byte = (u8)(to_program ? *byte & ~(1 << vector % 8) : *byte | 1 << vector % 8);
}

static u32 seen_by_handler(u32 n) {
    return *(volatile u16*)(PROGRAM + 0x800 + 2 * n);
}

static void check_interrupts_of_programs(void) {
    // Vector 21H is the handler in the program, by the table at address 0.
    volatile u16* const table = (volatile u16*)(4 * 0x21);
    volatile u16* hidden = table;
    __asm__("" : "+r"(hidden));
    hidden[0] = (u16)(u32)v86_handler;
    hidden[1] = PROGRAM >> 4;
    set_cr4(VME);
    redirect(0x21, 1);
    redirect(0x22, 0);
    run(IF | VIF | CF, v86_int);
    CHECK_END(v86_int + 2, IF | VIF | CF);
    CHECK((seen_by_handler(0) & (IF | IOPL3 | CF)) == (IF | IOPL3 | CF));
    CHECK((seen_by_handler(1) & (IF | IOPL3)) == IOPL3);  // it began with VIF = 0
    CHECK(v86_interrupts == 0);
    run(IF, v86_int);
    CHECK_END(v86_int + 2, IF);
    CHECK((seen_by_handler(0) & IF) == 0);
    run(IF | VIF, v86_other_int);
    CHECK_END(v86_other_int, IF | VIF);
    // At IOPL 3 the handler begins with IF = 0, and the other one is the monitor's.
    run(IF | VIF | IOPL3, v86_int);
    CHECK_END(v86_int + 2, IF | VIF);
    CHECK((seen_by_handler(0) & IF) != 0 && (seen_by_handler(1) & IF) == 0);
    CHECK(v86_interrupts == 0);
    run(IF | IOPL3, v86_other_int);
    CHECK_END(v86_other_int + 2, IF);
    CHECK(v86_interrupts == 1);
    // Without the extensions there is no bitmap.
    set_cr4(0);
    run(IF | IOPL3, v86_int);
    CHECK_END(v86_int + 2, IF);
    CHECK(v86_interrupts == 1);
    // A task state segment that ends before its bitmap redirects nothing.
    set_cr4(VME);
    set_segment(FREE_SELECTOR, (u32)&state_segment, 103 + 31, TASK, 0);
    __asm__ volatile("ltr %w0" : : "r"(FREE_SELECTOR));
    run(IF, v86_int);
    CHECK_END(v86_int, IF);
}

static u32 eflags(void) {
    u32 f;
    __asm__ volatile("pushfl\n\tpopl %0" : "=r"(f));
    return f;
}

// Ring 3 runs with the flags of the caller; VIF and VIP come by IRET.
static u32 user_with(u32 flags, u32 (*fn)(void)) {
    // An IRET to the same level loads them.
    __asm__ volatile("pushl %0\n\tpushl %%cs\n\tpushl $1f\n\tiret\n1:"
                     :
                     : "r"((eflags() & ~(u32)(VIF | VIP)) | flags)
                     : "memory", "cc");
    return run_user(fn);
}

static void check_ring3(void) {
    set_cr4(PVI);
    fault_vector = ~0u;
    CHECK((user_with(VIF, user_cli) & (VIF | VIP)) == 0);
    CHECK((user_with(0, user_sti) & (VIF | VIP)) == VIF);
    CHECK((user_with(VIF, user_pushf) & VIF) == VIF);
    CHECK(fault_vector == ~0u);
    user_with(VIP, user_sti);
    CHECK(fault_vector == GP);
    // Not so with VME only, or with nothing.
    for (u32 bits = 0; bits < 2; ++bits) {
        set_cr4(bits);
        EXPECT_USER(user_cli, GP, 0);
        EXPECT_USER(user_sti, GP, 0);
    }
}

void test(void);
void test(void) {
    set_up();
    set_gate(0x22, v86_counted, 0xEE);
    set_gate(0x21, v86_counted, 0xEE);
    for (u32 n = 0; programs + n < programs_end; ++n) *(volatile u8*)(PROGRAM + n) = programs[n];
    check_ring3();
    set_gate(GP, v86_fault, 0x8E);
    static u32 stack[256];
    state_segment.words[1] = (u32)(stack + 256);
    state_segment.words[2] = DATA_SELECTOR;
    state_segment.words[25] = (u32) __builtin_offsetof(__typeof__(state_segment), io) << 16;
    set_segment(FREE_SELECTOR, (u32)&state_segment, sizeof state_segment - 1, TASK, 0);
    __asm__ volatile("ltr %w0" : : "r"(FREE_SELECTOR));
    check_flags_of_programs();
    check_interrupts_of_programs();
    finish();
}

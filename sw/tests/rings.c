// Transfers between ring 0 and ring 3: calls by gate and by SYSCALL, interrupts, exceptions and
// privileged instructions at ring 3, stacks.
#include "boot/layout.h"
#include "drivers/apic/apic.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/probe.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/user.h"

#define SELECTORS (USER_CODE | 3)

static u64 add_one(u64 n) {
    return n + 1;
}
static u64 by_gate(u64 unused) {
    return user_probe() + unused;
}
static u64 by_syscall(u64 unused) {
    return user_probe_syscall() + unused;
}

// All bits are 0 when SYSCALL has kept RSP, the registers that a call keeps and the flags, and has
// put the return address into RCX and the flags into R11.
u64 syscall_damage(u64 unused);
__asm__(
    ".pushsection .text.syscall_damage, \"ax\"\n"
    "syscall_damage:\n\t"
    "pushq %rbx\n\t"
    "pushq %rbp\n\t"
    "movl $0x1111, %ebx\n\t"
    "movl $0x2222, %ebp\n\t"
    "movq %rsp, %rdi\n\t"
    "movl $4, %eax\n\t"  // the probe
    "stc\n\t"
    "pushfq\n\t"
    "popq %rsi\n\t"
    "syscall\n"
    "1:\tpushfq\n\t"
    "popq %rax\n\t"
    "xorq %rsi, %rax\n\t"
    "xorq %rsi, %r11\n\t"
    "orq %r11, %rax\n\t"
    "xorq $1b, %rcx\n\t"
    "orq %rcx, %rax\n\t"
    "xorq %rsp, %rdi\n\t"
    "orq %rdi, %rax\n\t"
    "xorq $0x1111, %rbx\n\t"
    "orq %rbx, %rax\n\t"
    "xorq $0x2222, %rbp\n\t"
    "orq %rbp, %rax\n\t"
    "popq %rbp\n\t"
    "popq %rbx\n\t"
    "ret\n"
    ".popsection");

static void check_calls(void) {
    CHECK_EQ(user_call(add_one, 41), 42);
    CHECK_EQ(user_call(add_one, ~0ul), 0);
    CHECK_EQ(user_call(by_gate, 0), SELECTORS | SYSCALL_VECTOR << 16);
    CHECK_EQ(user_call(by_syscall, 0), SELECTORS | SYSCALL_INSTRUCTION << 16);
    CHECK_EQ(user_call(syscall_damage, 0), 0);
}

static u64 user_flags(u64 unused) {
    return read_rflags() + unused;
}
static u64 user_segments(u64 unused) {
    u32 cs, ss;
    __asm__ volatile("movl %%cs, %0\n\tmovl %%ss, %1" : "=r"(cs), "=r"(ss));
    return cs + (ss << 16) + unused;
}

static void check_state(void) {
    irq_disable();
    CHECK((user_call(user_flags, 0) & RFLAGS_IF) != 0);
    CHECK((read_rflags() & RFLAGS_IF) == 0);
    irq_enable();
    user_call(add_one, 0);
    CHECK((read_rflags() & RFLAGS_IF) != 0);
    irq_disable();
    CHECK_EQ(user_call(user_segments, 0), SELECTORS | (USER_DATA_SEGMENT | 3) << 16);
}

static volatile u64 interrupted_cs, interrupted_rsp, handler_rsp;
static volatile u32 interrupts;

static void on_tick(struct trap_frame* f) {
    interrupted_cs = f->cs;
    interrupted_rsp = f->rsp;
    handler_rsp = (u64)f;
    ++interrupts;
    apic_timer_stop();
    apic_eoi();
}

static USER_DATA volatile u64 go_on;

static u64 spin(u64 rounds) {
    u64 sum = 0;
    for (u64 i = 0; i < rounds; ++i) sum += i + go_on;
    return sum;
}

// An interrupt at ring 3 uses the stack of the task state segment and changes no register.
static void check_interrupt(void) {
    trap_set_handler(0x50, on_tick);
    apic_timer_start(0x50, false, 1, 20000);
    const u64 rounds = 50000;
    CHECK_EQ(user_call(spin, rounds), rounds * (rounds - 1) / 2);
    CHECK_EQ(interrupts, 1);
    CHECK_EQ(interrupted_cs, SELECTORS);
    const struct thread* t = this_thread();
    CHECK(interrupted_rsp <= t->user_stack_top && interrupted_rsp > t->user_stack_top - USER_STACK);
    CHECK_EQ((handler_rsp + sizeof(struct trap_frame)), t->tss.rsp[0]);
}

struct code {
    const char* name;
    u8 bytes[8];
};
// Refused at ring 3 with #GP(0).
static USER_DATA struct code privileged[] = {
    {"cli", {0xFA, 0xC3}},
    {"sti", {0xFB, 0xC3}},
    {"hlt", {0xF4, 0xC3}},
    {"lgdt [rsp]", {0x0F, 0x01, 0x14, 0x24, 0xC3}},
    {"lidt [rsp]", {0x0F, 0x01, 0x1C, 0x24, 0xC3}},
    {"ltr ax", {0x0F, 0x00, 0xD8, 0xC3}},
    {"lldt ax", {0x0F, 0x00, 0xD0, 0xC3}},
    {"mov rax, cr0", {0x0F, 0x20, 0xC0, 0xC3}},
    {"mov cr3, rax", {0x0F, 0x22, 0xD8, 0xC3}},
    {"mov rax, dr7", {0x0F, 0x21, 0xF8, 0xC3}},
    {"clts", {0x0F, 0x06, 0xC3}},
    {"wbinvd", {0x0F, 0x09, 0xC3}},
    {"invd", {0x0F, 0x08, 0xC3}},
    {"invlpg [rsp]", {0x0F, 0x01, 0x3C, 0x24, 0xC3}},
    {"lmsw ax", {0x0F, 0x01, 0xF0, 0xC3}},
    {"swapgs", {0x0F, 0x01, 0xF8, 0xC3}},
    {"sysretq", {0x48, 0x0F, 0x07, 0xC3}},
    {"rdmsr", {0x0F, 0x32, 0xC3}},
    {"wrmsr", {0x0F, 0x30, 0xC3}},
};

static u64 run_code(u64 code) {
    ((void (*)(void))code)();
    return 0;
}
static u64 interrupt_40(u64 unused) {
    __asm__ volatile("int $0x40");
    return unused;
}
static u64 breakpoint(u64 unused) {
    __asm__ volatile("int3");
    return unused;
}
static u64 overflow(u64 unused) {
    __asm__ volatile("int $4");
    return unused;
}
static u64 read_at(u64 address) {
    return *(volatile u64*)address;
}
static u64 write_at(u64 address) {
    return *(volatile u64*)address = 0;
}
static u64 divide_by(u64 n) {
    return 100 / n;
}

static void check_privileged(void) {
    for (u32 i = 0; i < sizeof privileged / sizeof privileged[0]; ++i) {
        const struct fault f = user_catch(run_code, (u64)privileged[i].bytes, NULL);
        if (!CHECK(fault_is(&f, TRAP_GP, 0))) check_true(privileged[i].name, 0, "refused", false);
        CHECK_EQ(f.cpl, 3);
        CHECK_EQ(f.rip, (u64)privileged[i].bytes);
    }
}

static void check_exceptions(void) {
    // A gate of ring 0 is closed to INT from ring 3; those of ring 3 are open.
    struct fault f = user_catch(interrupt_40, 0, NULL);
    CHECK(fault_is(&f, TRAP_GP, 0x40 << 3 | 2) && f.cpl == 3);
    f = user_catch(breakpoint, 0, NULL);
    CHECK(fault_is(&f, TRAP_BP, 0) && f.cpl == 3);
    f = user_catch(overflow, 0, NULL);
    CHECK(fault_is(&f, TRAP_OF, 0) && f.cpl == 3);
    f = user_catch(divide_by, 0, NULL);
    CHECK(fault_is(&f, TRAP_DE, 0) && f.cpl == 3);
    u64 result = 0;
    f = user_catch(divide_by, 5, &result);
    CHECK(!f.raised && result == 20);
    // Present, user: the page of ring 0's data refuses both.
    static u64 secret;
    f = user_catch(read_at, (u64)&secret, NULL);
    CHECK(fault_is(&f, TRAP_PF, 5));
    CHECK_EQ(f.cr2, (u64)&secret);
    f = user_catch(write_at, (u64)&secret, NULL);
    CHECK(fault_is(&f, TRAP_PF, 7));
    // Code is readable and not writable, also for ring 0 (CR0.WP).
    f = user_catch(read_at, (u64)add_one, NULL);
    CHECK(!f.raised);
    f = user_catch(write_at, (u64)add_one, NULL);
    CHECK(fault_is(&f, TRAP_PF, 7));
    f = probe_write((void*)(u64)add_one);
    CHECK(fault_is(&f, TRAP_PF, 3));
    f = user_catch(read_at, 0xFEE00020, NULL);
    CHECK(fault_is(&f, TRAP_PF, 5));
}

static u64 misaligned(u64 address) {
    __asm__ volatile("pushfq\n\torq $0x40000, (%%rsp)\n\tpopfq" : : : "memory", "cc");
    return *(volatile u64*)address;
}
static USER_BSS u64 words[2];

static void check_alignment(void) {
    struct fault f = user_catch(misaligned, (u64)words + 1, NULL);
    CHECK(!f.raised);
    write_cr0(read_cr0() | CR0_AM);
    f = user_catch(misaligned, (u64)words + 1, NULL);
    CHECK(fault_is(&f, TRAP_AC, 0) && f.cpl == 3);
    f = user_catch(misaligned, (u64)words, NULL);
    CHECK(!f.raised);
    write_cr0(read_cr0() & ~CR0_AM);
}

int main(void) {
    check_calls();
    check_state();
    check_interrupt();
    check_privileged();
    check_exceptions();
    check_alignment();
    return check_summary();
}

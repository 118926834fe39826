#include "lib/trap.h"

#include "boot/layout.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"

#define VECTORS 256
#define GATE_INTERRUPT 0x8E
#define GATE_USER 0xEE

struct gate {
    u16 offset0;
    u16 selector;
    u8 ist;
    u8 type;
    u16 offset1;
    u32 offset2;
    u32 reserved;
};

struct guard {
    u64 rsp;
    struct fault fault;
    struct guard* outer;
};

extern const u64 trap_stubs[VECTORS];
extern char trap_unwind[];
extern u64 trap_guard(void (*fn)(void*), void* argument, u64* unwind_rsp);

static struct gate table[VECTORS] __attribute__((aligned(16)));
static trap_handler handlers[VECTORS];

static void set(unsigned vector, u64 to, u8 type, u8 ist) {
    table[vector] =
        (struct gate){(u16)to, KERNEL_CODE, ist, type, (u16)(to >> 16), (u32)(to >> 32), 0};
}

void trap_set_gate(unsigned vector, u8 type, u8 ist) {
    set(vector, trap_stubs[vector], type, ist);
}

void trap_set_code(unsigned vector, const void* code, u8 type) {
    set(vector, (u64)code, type, 0);
}

void trap_init(void) {
    for (unsigned v = 0; v < VECTORS; ++v) trap_set_gate(v, GATE_INTERRUPT, 0);
    trap_set_gate(TRAP_NMI, GATE_INTERRUPT, TRAP_IST_NMI);
    trap_set_gate(TRAP_DF, GATE_INTERRUPT, TRAP_IST_FAULT);
    trap_set_gate(TRAP_BP, GATE_USER, 0);
    trap_set_gate(TRAP_OF, GATE_USER, 0);
    trap_set_gate(SYSCALL_VECTOR, GATE_USER, 0);
}

void trap_load_table(void) {
    const struct {
        u16 limit;
        u64 base;
    } __attribute__((packed)) pointer = {sizeof table - 1, (u64)table};
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

trap_handler trap_set_handler(unsigned vector, trap_handler handler) {
    const trap_handler before = handlers[vector];
    handlers[vector] = handler;
    return before;
}

struct fault trap_catch(void (*fn)(void*), void* argument) {
    struct thread* t = this_thread();
    struct guard guard = {0, {false, 0, 0, 0, 0, 0}, t->guard};
    t->guard = &guard;
    guard.fault.raised = trap_guard(fn, argument, &guard.rsp) != 0;
    t->guard = guard.outer;
    return guard.fault;
}

static void unwind(struct trap_frame* f, struct guard* guard) {
    guard->fault =
        (struct fault){true, (unsigned)f->vector, f->error, f->rip, read_cr2(), frame_cpl(f)};
    f->rip = (u64)trap_unwind;
    f->rsp = guard->rsp;
    f->cs = KERNEL_CODE;
    f->ss = KERNEL_DATA;
    f->rflags = 2;  // trap_guard restores the caller's flags
}

// Called by the entry code (boot/vectors.S).
void trap_dispatch(struct trap_frame* f) {
    const u64 vector = f->vector == SYSCALL_INSTRUCTION ? SYSCALL_VECTOR : f->vector;
    if (handlers[vector] != NULL) {
        handlers[vector](f);
        return;
    }
    struct guard* guard = this_thread()->guard;
    if (vector < TRAP_EXCEPTIONS && guard != NULL) {
        unwind(f, guard);
        return;
    }
    panic(f, vector < TRAP_EXCEPTIONS ? "unexpected exception" : "unexpected interrupt");
}

void exit(int code) {
    platform_exit((u32)code);
    irq_disable();
    for (;;) halt();
}

void panic(const struct trap_frame* f, const char* reason) {
    printf_unlocked("PANIC: %s\n", reason);
    if (f != NULL) {
        printf_unlocked(" vector %lu error 0x%lx cpl %u\n", f->vector, f->error, frame_cpl(f));
        printf_unlocked(" rip %016lx rsp %016lx rflags %lx cr2 %016lx\n", f->rip, f->rsp, f->rflags,
                        read_cr2());
        printf_unlocked(" rax %016lx rbx %016lx rcx %016lx rdx %016lx\n", f->rax, f->rbx, f->rcx,
                        f->rdx);
        printf_unlocked(" rsi %016lx rdi %016lx rbp %016lx r8  %016lx\n", f->rsi, f->rdi, f->rbp,
                        f->r8);
        printf_unlocked(" r9  %016lx r10 %016lx r11 %016lx r12 %016lx\n", f->r9, f->r10, f->r11,
                        f->r12);
        printf_unlocked(" r13 %016lx r14 %016lx r15 %016lx\n", f->r13, f->r14, f->r15);
    }
    exit(255);
}

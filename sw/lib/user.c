#include "lib/user.h"

#include "boot/layout.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/thread.h"

enum { SYS_RETURN = SYSCALL_RETURN, SYS_WRITE, SYS_EXIT, SYS_MARKER, SYS_PROBE };

extern char user_return[];
extern char user_start[], user_end[];
extern u64 user_switch(user_function fn, u64 argument, u64 stack, u64 rflags,
                       struct thread* thread);

static USER_BSS char boot_user_stack[USER_STACK] __attribute__((aligned(16)));

_Static_assert(offsetof(struct thread, tss.rsp[0]) == THREAD_RSP0, "boot/layout.h");
_Static_assert(offsetof(struct thread, user_rsp) == THREAD_USER_RSP, "boot/layout.h");

static u64 run(user_function fn, u64 argument, u64 rflags) {
    struct thread* t = this_thread();
    return user_switch(fn, argument, t->user_stack_top, rflags, t);
}

u64 user_call(user_function fn, u64 argument) {
    return run(fn, argument, 2 | RFLAGS_IF);
}

struct request {
    user_function fn;
    u64 argument;
    u64 result;
};

static void run_request(void* p) {
    struct request* r = p;
    r->result = run(r->fn, r->argument, 2 | (read_rflags() & RFLAGS_IF));
}

struct fault user_catch(user_function fn, u64 argument, u64* result) {
    struct request r = {fn, argument, 0};
    const struct fault f = trap_catch(run_request, &r);
    if (result != NULL) *result = r.result;
    return f;
}

// Whether a ring 3 caller may pass these bytes: they are shared with it, or its own data.
static bool readable(u64 from, u64 bytes) {
    extern char shared_end[];
    const u64 end = from + bytes;
    if (end < from) return false;
    return (from >= 0x100000 && end <= (u64)shared_end) ||
           (from >= (u64)user_start && end <= (u64)user_end) ||
           (from >= this_thread()->user_stack_top - USER_STACK &&
            end <= this_thread()->user_stack_top);
}

static void system_call(struct trap_frame* f) {
    switch (f->rax) {
        case SYS_RETURN:
            f->rax = f->rdi;
            f->rip = (u64)user_return;
            f->rsp = this_thread()->kernel_rsp;
            f->cs = KERNEL_CODE;
            f->ss = KERNEL_DATA;
            f->rflags = 2;
            return;
        case SYS_WRITE:
            if (readable(f->rdi, f->rsi)) console_write((const char*)f->rdi, f->rsi);
            return;
        case SYS_EXIT:
            exit((int)f->rdi);
        case SYS_MARKER:
            platform_marker((u32)f->rdi);
            return;
        case SYS_PROBE:
            f->rax = f->cs | f->vector << 16;
            return;
        default:
            f->rax = ~0ul;
    }
}

void user_init(void) {
    this_thread()->user_stack_top = (u64)boot_user_stack + sizeof boot_user_stack;
    trap_set_handler(SYSCALL_VECTOR, system_call);
}

static u64 gate(u64 number, u64 a, u64 b) {
    __asm__ volatile("int %1"
                     : "+a"(number)
                     : "i"(SYSCALL_VECTOR), "D"(a), "S"(b)
                     : "memory", "cc");
    return number;
}

void user_write(const char* text, size_t bytes) {
    gate(SYS_WRITE, (u64)text, bytes);
}

int user_printf(const char* format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t kept = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    user_write(text, kept);
    return length;
}

void user_exit(int code) {
    gate(SYS_EXIT, (u64)code, 0);
    __builtin_unreachable();
}

void user_marker(u32 number) {
    gate(SYS_MARKER, number, 0);
}

u64 user_probe(void) {
    return gate(SYS_PROBE, 0, 0);
}

u64 user_probe_syscall(void) {
    u64 number = SYS_PROBE;
    __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory", "cc");
    return number;
}

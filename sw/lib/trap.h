// Interrupts and exceptions: handlers by vector, expected exceptions, the panic.
#ifndef KNC_SW_LIB_TRAP_H
#define KNC_SW_LIB_TRAP_H

#include "lib/types.h"

enum {
    TRAP_DE = 0,
    TRAP_DB = 1,
    TRAP_NMI = 2,
    TRAP_BP = 3,
    TRAP_OF = 4,
    TRAP_UD = 6,
    TRAP_NM = 7,
    TRAP_DF = 8,
    TRAP_TS = 10,
    TRAP_NP = 11,
    TRAP_SS = 12,
    TRAP_GP = 13,
    TRAP_PF = 14,
    TRAP_MF = 16,
    TRAP_AC = 17,
    TRAP_EXCEPTIONS = 32
};
// Interrupt stack table entries in use.
#define TRAP_IST_NMI 1
#define TRAP_IST_FAULT 2

// The frame that the entry code leaves on the stack. A handler may change it; the return uses it.
struct trap_frame {
    u64 r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
    u64 vector;  // SYSCALL_INSTRUCTION for SYSCALL
    u64 error;   // 0 for vectors without an error code
    u64 rip, cs, rflags, rsp, ss;
};
static inline unsigned frame_cpl(const struct trap_frame* f) {
    return (unsigned)(f->cs & 3);
}

typedef void (*trap_handler)(struct trap_frame*);
// Installs `handler` for a vector 0-255, NULL removes it; returns the previous one. A handler runs
// with interrupts off.
trap_handler trap_set_handler(unsigned vector, trap_handler handler);
// Replaces a vector's gate: type and privilege byte (0x8E: interrupt gate for ring 0), IST entry
// 0-7.
void trap_set_gate(unsigned vector, u8 type, u8 ist);

// Sends a vector straight to `code` until trap_set_gate() is called for it. The code finds the
// processor's frame on the stack and ends with IRETQ. `type` as there.
void trap_set_code(unsigned vector, const void* code, u8 type);

// An exception that trap_catch() or user_catch() met.
struct fault {
    bool raised;
    unsigned vector;
    u64 error;
    u64 rip;
    u64 cr2;  // of a page fault
    unsigned cpl;
};
// Runs fn(argument) at ring 0. An exception without a handler ends the call, which returns it.
struct fault trap_catch(void (*fn)(void*), void* argument);

// Called by the boot code: builds the table, then loads it on each thread.
void trap_init(void);
void trap_load_table(void);

// Prints the reason (and the frame if not NULL) and ends the run with code 255.
__attribute__((noreturn)) void panic(const struct trap_frame* frame, const char* reason);
// Ends the run.
__attribute__((noreturn)) void exit(int code);

#endif

// Ring 3: calls of functions there, and the system calls that they may make.
#ifndef KNC_SW_LIB_USER_H
#define KNC_SW_LIB_USER_H

#include "lib/trap.h"
#include "lib/types.h"

typedef u64 (*user_function)(u64 argument);

// Runs fn(argument) at ring 3 on the thread's user stack, interrupts enabled there; returns its
// result. Not nested. Ring 0.
u64 user_call(user_function fn, u64 argument);
// The same, with interrupts as the caller has them; catches an exception and returns it.
struct fault user_catch(user_function fn, u64 argument, u64* result);

// Handler of the system calls and stack of the boot thread; called once at start.
void user_init(void);

// For code at ring 3.
void user_write(const char* text, size_t bytes);
int user_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
__attribute__((noreturn)) void user_exit(int code);
void user_marker(u32 number);
// Code segment selector ring 0 saw, by the interrupt gate or by the SYSCALL instruction.
u64 user_probe(void);
u64 user_probe_syscall(void);

#endif

// Changes of level that C cannot express: into ring 3 and out of it, and a call that an exception may
// end.

#include "boot/layout.h"

    .macro push_callee_saved
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    .endm

    .macro pop_callee_saved
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    .endm

    .section .text.user_switch, "ax"

// u64 user_switch(fn, argument, user stack top, RFLAGS at ring 3, struct thread *)
// Runs fn(argument) at ring 3; returns its result. Stores in the thread's record where ring 0
// continues: the stack of entries from ring 3, by gate and by SYSCALL, and the RSP that user_return
// expects.
    .globl user_switch, user_return
user_switch:
    push_callee_saved
    pushq %rbp  // keeps RSP a multiple of 16 here, so that entries do not move it
    pushfq
    subq $8, %rsp
    cli
    movq %rsp, THREAD_KERNEL_RSP(%r8)
    movq %rsp, THREAD_RSP0(%r8)
    pushq $(USER_DATA_SEGMENT + 3)
    pushq %rdx
    pushq %rcx
    pushq $(USER_CODE + 3)
    pushq $user_first
    xorl %eax, %eax
    xorl %ebx, %ebx
    xorl %ecx, %ecx
    xorl %edx, %edx
    xorl %ebp, %ebp
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r11d, %r11d
    xorl %r12d, %r12d
    xorl %r13d, %r13d
    xorl %r14d, %r14d
    xorl %r15d, %r15d
    iretq
// Ring 0 continues here with RSP = kernel_rsp and RAX = the result.
user_return:
    addq $8, %rsp
    popfq
    popq %rbp
    pop_callee_saved
    ret

// The first code at ring 3: RDI = fn, RSI = argument.
user_first:
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    movq %rax, %rdi
    movl $SYSCALL_RETURN, %eax
    int $SYSCALL_VECTOR
    ud2

// u64 trap_guard(fn, argument, u64 *unwind_rsp): calls fn(argument); 0 when it returned, 1 when an
// exception was unwound to trap_unwind with RSP = *unwind_rsp.
    .globl trap_guard, trap_unwind
trap_guard:
    push_callee_saved
    pushfq
    movq %rsp, (%rdx)
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    xorl %eax, %eax
    jmp 1f
trap_unwind:
    movl $1, %eax
1:
    popfq
    pop_callee_saved
    ret

    .section .note.GNU-stack, "", @progbits

// Entry of every interrupt and exception, with common code for entry and return. One stub per vector
// makes the same stack layout for all of them (struct trap_frame, lib/trap.h) and calls trap_dispatch().

#include "boot/layout.h"

    .altmacro
    .macro stub vector
    .pushsection .rodata.trap_stubs, "a"
    .quad stub_\vector
    .popsection
stub_\vector:
    .if (\vector == 8) || (\vector >= 10 && \vector <= 14) || (\vector == 17)
    .else
    pushq $0
    .endif
    pushq $\vector
    jmp trap_entry
    .endm

    .section .rodata.trap_stubs, "a"
    .balign 8
    .globl trap_stubs
trap_stubs:

    .section .text.vectors, "ax"
    .set number, 0
    .rept 256
    stub %number
    .set number, number + 1
    .endr

    .macro push_registers
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rbx
    pushq %rbp
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    .endm

    .macro pop_registers
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rbp
    popq %rbx
    popq %rdx
    popq %rcx
    popq %rax
    .endm

trap_entry:
    push_registers
    cld
    movq %rsp, %rdi
    call trap_dispatch
trap_exit:
    pop_registers
    addq $16, %rsp
    iretq

// SYSCALL does not change RSP: the thread's record, found through the kernel GS base, gives the stack.
// A call that comes back to ring 3 leaves by SYSRET; one that ends user_call() leaves by IRET.
    .globl syscall_entry
syscall_entry:
    swapgs
    movq %rsp, %gs:THREAD_USER_RSP
    movq %gs:THREAD_KERNEL_RSP, %rsp
    pushq $(USER_DATA_SEGMENT + 3)
    pushq %gs:THREAD_USER_RSP
    swapgs
    pushq %r11
    pushq $(USER_CODE + 3)
    pushq %rcx
    pushq $0
    pushq $SYSCALL_INSTRUCTION
    push_registers
    cld
    movq %rsp, %rdi
    call trap_dispatch
    testb $3, 18 * 8(%rsp)
    jz trap_exit
    pop_registers
    movq 16(%rsp), %rcx
    movq 32(%rsp), %r11
    movq 40(%rsp), %rsp
    sysretq

    .section .note.GNU-stack, "", @progbits

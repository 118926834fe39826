// The parts of the frame that are the same for all kernels (frame.inc).
#include "tests/event_matrix/job.h"

    .section .text.event_matrix, "ax"
    .globl matrix_enter, matrix_wait, matrix_again, matrix_leave

// The kernel's caller gave RDI = job.
matrix_enter:
    popq %rax
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %rax
    movq %rdi, %r15
    movq $0, (%r15)
    movq JOB_REHEARSAL(%r15), %rsi
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r11d, %r11d
    xorl %r12d, %r12d
// Registers that are the same in both passes.
load:
    xorl %r10d, %r10d
    movl $1000, %r14d
    movq JOB_TARGET(%r15), %r13
    vpxord %zmm1, %zmm1, %zmm1
    vpxord %zmm2, %zmm2, %zmm2
    vpxord %zmm10, %zmm10, %zmm10
    movl $0x5555, %eax
    kmov %eax, %k1
    xorl %eax, %eax
    kmov %eax, %k2
    knot %k2, %k3
    knot %k2, %k4
    knot %k2, %k5
    knot %k2, %k6
    knot %k2, %k7
    ret

// Until clock r12, but for 0; then the registers that the kernel's text expects.
matrix_wait:
    testq %r12, %r12
    jz 2f
1:  rdtsc
    shlq $32, %rdx
    orq %rax, %rdx
    movq %r12, %rcx
    subq %rdx, %rcx
    jbe 2f
    delay %rcx
    jmp 1b
2:  rdtsc
    shlq $32, %rdx
    orq %rax, %rdx
    movq %rdx, JOB_BEGIN(%r15)
    movq JOB_WATCH(%r15), %rcx
    movq JOB_WATCH + 8(%r15), %rbp
    movq JOB_WATCH + 16(%r15), %rdi
    movq %rsi, %rbx
    xorl %eax, %eax
    xorl %edx, %edx
    ret

// Not zero after the rehearsal.
matrix_again:
    rdtsc
    shlq $32, %rdx
    orq %rax, %rdx
    movq %rdx, JOB_END(%r15)
    xorq $1, (%r15)
    jz 1f
    movq JOB_REAL(%r15), %rsi
    movl $1, %r8d
    movq JOB_OPEN_DELAY(%r15), %r9
    movq JOB_CLOSE_DELAY(%r15), %r11
    movq JOB_START(%r15), %r12
    call load
    orl $1, %r8d
1:  ret

matrix_leave:
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    xorl %eax, %eax
    ret

// Handler of the interrupt that ends a HLT.
    .globl matrix_iretq
matrix_iretq:
    iretq

    .section .note.GNU-stack, "", @progbits

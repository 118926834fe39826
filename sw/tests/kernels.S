// The numbers of instructions stand in kernels.h; change both.

#define MSR_PERF_GLOBAL_CTRL 0x2F

    .macro spflt_a
    .byte 0xC4, 0xE1, 0xFB, 0xAE, 0xF0
    .endm
    .macro region_start
    movl $1, %eax
    spflt_a
    .endm
    // Two instructions.
    .macro region_stop
    xorl %eax, %eax
    spflt_a
    .endm

    .section .text.kernels, "ax"
    .globl kernel_loop, region_loop, region_memory, region_rep, supervisor_loop, rdtsc_chain

kernel_loop:
    movq %rdi, %rax
1:  decq %rax
    jnz 1b
    ret

region_loop:
    region_start
    movq %rdi, %rcx
1:  decq %rcx
    jnz 1b
    region_stop
    ret

region_memory:
    region_start
    movq %rdi, %rcx
1:  movq (%rsi), %rdx
    movq %rdx, 8(%rsi)
    decq %rcx
    jnz 1b
    region_stop
    ret

region_rep:
    movq %rdi, %rcx
    movq %rsi, %rdi
    region_start
    xorl %eax, %eax
    rep stosb
    region_stop
    ret

supervisor_loop:
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    xorl %edx, %edx
    movl $3, %eax
    wrmsr
    movq %rdi, %r8
1:  decq %r8
    jnz 1b
    xorl %eax, %eax
    wrmsr
    ret

rdtsc_chain:
    rdtsc
    movl %eax, %ecx
    .rept 64
    rdtsc
    .endr
    subl %ecx, %eax
    ret

    // VEX.F2.0F AE /6 with the register in the low bits of ModRM; `vex1` has R, X, B inverted, `vex2` W.
    .macro spflt_with name, register, vex1, vex2, modrm
    .globl spflt_\name
spflt_\name:
    pushq %rbx
    pushq %rbp
    pushq %r15
    movq %rdi, \register
    .byte 0xC4, \vex1, \vex2, 0xAE, \modrm
    popq %r15
    popq %rbp
    popq %rbx
    xorl %eax, %eax
    ret
    .endm

    spflt_with rax, %rax, 0xE1, 0xFB, 0xF0
    spflt_with rcx, %rcx, 0xE1, 0xFB, 0xF1
    spflt_with rdx, %rdx, 0xE1, 0xFB, 0xF2
    spflt_with rbx, %rbx, 0xE1, 0xFB, 0xF3
    spflt_with rbp, %rbp, 0xE1, 0xFB, 0xF5
    spflt_with rsi, %rsi, 0xE1, 0xFB, 0xF6
    spflt_with rdi, %rdi, 0xE1, 0xFB, 0xF7
    spflt_with r8, %r8, 0xC1, 0xFB, 0xF0
    spflt_with r15, %r15, 0xC1, 0xFB, 0xF7
    spflt_with eax, %rax, 0xE1, 0x7B, 0xF0

    .section .note.GNU-stack, "", @progbits

// Kernels of exact counts for the tests of a Pentium with MMX, as macros of the assembler. Each is
// called with the value of CESR, writes it, does its work, and writes 0. Between the two WRMSR are
// the work and three instructions; the second WRMSR counts too.
#ifndef TESTS_P55C_KERNEL_H
#define TESTS_P55C_KERNEL_H

#define MSR_CESR 0x11
    // `open`: what comes before counting.
    .macro begin name
    .p2align 6
    .globl \name
\name:
    pushl %ebx
    pushl %esi
    pushl %edi
    .endm
    .macro open
    movl 16(%esp), %eax
    xorl %edx, %edx
    movl $MSR_CESR, %ecx
    wrmsr
    .endm
    .macro close
    xorl %eax, %eax
    xorl %edx, %edx
    movl $MSR_CESR, %ecx
    wrmsr
    popl %edi
    popl %esi
    popl %ebx
    ret
    .endm
    // A pair of MMX instructions and EMMS in the clock after: event 2BH of counter 0 has two clocks,
    // of counter 1 one.
    .macro mmx_kernel
    begin kernel_mmx
    open
    paddb %mm0, %mm1
    paddb %mm2, %mm3
    emms
    close
    .endm

#endif

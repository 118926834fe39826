// Handlers whose first instructions are known: two PUSHes, which pair, then RDTSC.

    .section .text.msr_effects, "ax"
    .globl effects_on_pmi
effects_on_pmi:
    pushq %rax
    pushq %rdx
    rdtsc
    movl %eax, effects_clock
    movl $0xFEE000B0, %eax  // EOI
    movl $0, (%rax)
    popq %rdx
    popq %rax
    iretq

    // Halts with interrupts enabled; HLT is the second instruction after the WRMSR that starts the
    // counters.
    .globl effects_halt
effects_halt:
    movl $0x2F, %ecx
    movl $1, %eax
    xorl %edx, %edx
    cli
    wrmsr
    sti
    hlt
    cli
    xorl %eax, %eax
    wrmsr
    sti
    ret

    .section .note.GNU-stack, "", @progbits

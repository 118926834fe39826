// Code of other rings and of gates.

    .section .text
    .code32

// Ring 1: notes where it is, uses an instruction that needs IOPL 1, returns 0x51 to its caller.
    .globl ring1_procedure
ring1_procedure:
    movl %cs, %eax
    movl %eax, ring1_cs
    movl %ss, %eax
    movl %eax, ring1_ss
    cli
    movl $0x51, %eax
    lret

// Interrupt handler of ring 0: notes flags and stack pointer.
    .globl note_flags
note_flags:
    movl %esp, %ss:noted_esp
    pushfl
    popl %ss:noted_flags
    iret

    .bss
    .balign 4
    .globl ring1_cs, ring1_ss, noted_flags, noted_esp
ring1_cs:
    .skip 4
ring1_ss:
    .skip 4
noted_flags:
    .skip 4
noted_esp:
    .skip 4

    .section .note.GNU-stack, "", @progbits

// The beginning of a test of a Pentium with MMX.
    .text
    .code32
// The loader's information comes in EBX.
    .globl main
main:
    movl %ebx, boot_information
    jmp test

    .data
    .globl boot_information
boot_information:
    .long 0

    .section .note.GNU-stack, "", @progbits

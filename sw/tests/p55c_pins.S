// Kernels and interrupts of the test of the pins of a Pentium with MMX.
#include "tests/p55c_kernel.inc"

    .text
    .code32

mmx_kernel

// A thousand instructions that do nothing.
begin kernel_thousand
    open
    .rept 1000
    nop
    .endr
    close

// A pin's interrupt: by NMI, and through the local APIC.
    .globl pin_entry, pin_apic_entry
pin_entry:
    incl pin_interrupts
    iret
pin_apic_entry:
    incl pin_interrupts
    movl $0, 0xFEE000B0
    iret

    .data
    .globl pin_interrupts
pin_interrupts:
    .long 0

    .section .note.GNU-stack, "", @progbits

// Real mode start of a secondary thread. thread_boot() copies it to TRAMPOLINE_PAGE and puts a
// descriptor table pointer at TRAMPOLINE_GDT in that page; SIPI starts it with CS = page >> 4, IP = 0.

#include "boot/layout.h"

    .section .code16, "ax"
    .code16
    .globl trampoline, trampoline_end
trampoline:
    cli
    cld
    movw %cs, %ax
    movw %ax, %ds
    lgdtl TRAMPOLINE_GDT
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $BOOT_CODE32, $trampoline32
trampoline_end:

    .section .code32, "ax"
    .code32
trampoline32:
    movl $BOOT_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    jmp entry_started

    .section .note.GNU-stack, "", @progbits

// The platform functions (lib/platform.h) on a PC-like machine: serial port at I/O 0x3F8, exit port at
// 0xF4 (process status = code * 2 + 1 under QEMU's isa-debug-exit), no marker, no fast-forward, no DELAY.

#define COM1 0x3F8
#define COM1_LSR 0x3FD
#define EXIT_PORT 0xF4

    .section .text.platform_compat, "ax"
    .globl platform_put, platform_exit, platform_marker, platform_fast_forward, platform_delay
platform_put:
    movl $COM1_LSR, %edx
1:  inb %dx, %al
    testb $0x20, %al
    jz 1b
    movl $COM1, %edx
    movl %edi, %eax
    outb %al, %dx
    ret
platform_exit:
    movl $EXIT_PORT, %edx
    movl %edi, %eax
    outl %eax, %dx
platform_marker:
platform_fast_forward:
    ret
platform_delay:
    pause
    ret

    .section .rodata.platform_compat, "a"
    .balign 4
    .globl platform_apic_id_shift, platform_apic_destination_shift
platform_apic_id_shift:
platform_apic_destination_shift:
    .long 24

    .section .note.GNU-stack, "", @progbits

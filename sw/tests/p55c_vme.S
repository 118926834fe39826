// Programs of virtual-8086 mode and of ring 3, and the way into the former and back, for the test of
// virtual interrupts.
    .text
    .code32

// void enter_v86(u32 eflags, u32 ip): runs the code at `ip` in segment PROGRAM until an exception
// that v86_fault takes.
#define PROGRAM 0x2000
#define STACK 0x3000
    .globl enter_v86, v86_fault, v86_counted
enter_v86:
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl 20(%esp), %eax
    movl 24(%esp), %edx
    movl %esp, monitor_esp
    pushl $0                // GS FS DS ES
    pushl $0
    pushl $PROGRAM
    pushl $0
    pushl $STACK
    pushl $0x1000
    pushl %eax
    pushl $PROGRAM
    pushl %edx
    iret
// #GP: error code, EIP, CS, EFLAGS, ESP, SS.
v86_fault:
    movw $0x10, %ax
    movw %ax, %ds
    movw %ax, %es
    popl v86_error
    popl v86_ip
    popl %eax
    popl v86_flags
    popl v86_sp
    movl monitor_esp, %esp
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    ret
// An interrupt of the program that its monitor gets.
v86_counted:
    pushl %eax
    pushl %ds
    movw $0x10, %ax
    movw %ax, %ds
    incl v86_interrupts
    popl %ds
    popl %eax
    iret

// Programs, copied to their segment. Each ends with HLT, which the monitor gets as #GP.
    .globl programs, programs_end
    .macro program name
    .globl \name
\name = . - programs
    .endm
    .code16
programs:
program v86_cli
    cli
    hlt
program v86_sti
    sti
    hlt
program v86_pushf
    pushfw
    hlt
program v86_pushfl
    pushfl
    hlt
program v86_popf_on
    pushw $0x0201
    popfw
    hlt
program v86_popf_off
    pushw $0x0000
    popfw
    hlt
program v86_popf_step
    pushw $0x0100
    popfw
    hlt
program v86_popfl
    pushl $0
    popfl
    hlt
program v86_iret
    pushw $0x0201
    pushw %cs
    pushw $v86_after
    iretw
    hlt
program v86_after
    hlt
program v86_iretl
    pushl $0
    pushl $0
    pushl $0
    iretl
    hlt
program v86_int
    int $0x21
    hlt
program v86_other_int
    int $0x22
    hlt
// The handler in the program: what it finds on its stack, and its own flags.
program v86_handler
    movw %sp, %bp
    movw 4(%bp), %ax
    movw %ax, 0x800
    pushfw
    popw %ax
    movw %ax, 0x802
    iretw
programs_end:

// At ring 3.
    .code32
    .globl user_cli, user_sti, user_pushf
user_cli:
    cli
    jmp user_pushf
user_sti:
    sti
user_pushf:
    pushfl
    popl %eax
    ret

    .data
    .globl v86_error, v86_ip, v86_flags, v86_sp, v86_interrupts
v86_error:
    .long 0
v86_ip:
    .long 0
v86_flags:
    .long 0
v86_sp:
    .long 0
v86_interrupts:
    .long 0
monitor_esp:
    .long 0

    .section .note.GNU-stack, "", @progbits

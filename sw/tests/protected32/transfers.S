// Code for segments other than the flat ones. Callers use a selector; each procedure lies at offset
// 0 of a segment whose base is its address.

    .section .code16, "ax"

// A 16-bit code segment. In: AX, BX. Out: EAX = 0x1234 : AX + BX, by 16-bit instructions, pushes and
// a loop; EDX = the bytes by which a 16-bit PUSH lowered ESP.
    .globl code16
    .code16
code16:
    movl %esp, %edx
    pushw %bx
    movl %esp, %ecx
    subl %ecx, %edx
    popw %cx
    addw %cx, %ax
    // 32-bit operands by prefix.
    andl $0xFFFF, %eax
    orl $0x12340000, %eax
    // The condition has 16 bits: CX wraps from 0 to 0xFFFF.
    movl $0x10000, %ecx
    decw %cx
    jns code16_wrong
    // A 16-bit address wraps at 64 KB: BX + DI = 0x10004 is offset 4.
    movw $0xFFF8, %bx
    movw $12, %di
    movw %gs:(%bx, %di), %si
    lretl
code16_wrong:
    xorl %eax, %eax
    lretl

// Calls a 16-bit procedure through the 16-bit gate that gate16_pointer names, with two words.
    .globl call_gate16
call_gate16:
    pushw $0x1200
    pushw $0x0034
    addr32 lcallw *gate16_pointer
    movzwl %ax, %eax
    lretl

// EAX = the sum of two words, which the return removes. The return address has 16 bits.
    .globl add16
add16:
    movw 4(%esp), %ax
    addw 6(%esp), %ax
    lretw $4

    .section .text
    .code32

// Targets of 32-bit call gates of ring 0. add3: the sum of three parameters, removed by the return.
    .globl add3
add3:
    movl 8(%esp), %eax
    addl 12(%esp), %eax
    addl 16(%esp), %eax
    lret $12
// EAX = CS, EDX = SS, ECX = ESP inside.
    .globl tell_segments
tell_segments:
    movl %cs, %eax
    movl %ss, %edx
    movl %esp, %ecx
    lret

// A conforming procedure: CS as its caller's level sees it.
    .globl tell_level
tell_level:
    movl %cs, %eax
    lret

// A task that a task gate starts: counts and returns by IRET; the next start continues after it.
    .globl other_task
other_task:
    incl task_runs
    pushfl
    popl task_flags
    iret
    jmp other_task

    .data
    .globl gate16_pointer
gate16_pointer:
    .word 0, 0  // offset, selector

    .bss
    .balign 4
    .globl task_runs, task_flags
task_runs:
    .skip 4
task_flags:
    .skip 4

    .section .note.GNU-stack, "", @progbits

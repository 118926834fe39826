    .section .text
    .code32

// u32 push16(u32 selector, u32 *esp): with `selector` in SS and ESP = 0xABCD0002 pushes words 0x1111
// and 0x2222, stores ESP and pops both; the first one popped is the upper half of the result.
    .globl push16
push16:
    pushl %ebx
    pushl %esi
    movl 12(%esp), %eax
    movl %esp, %esi
    movl %eax, %ss
    movl $0xABCD0002, %esp
    pushw $0x1111
    pushw $0x2222
    movl %esp, %edx
    popw %cx
    popw %bx
    movl $0x10, %eax
    movl %eax, %ss
    movl %esi, %esp
    movzwl %cx, %eax
    shll $16, %eax
    movw %bx, %ax
    movl 16(%esp), %ecx
    movl %edx, (%ecx)
    popl %esi
    popl %ebx
    ret

    .section .note.GNU-stack, "", @progbits

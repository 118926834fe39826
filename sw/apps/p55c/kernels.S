// u32 dot(const short* a, const short* b, u32 n): the sum of the products of 4 n numbers, by MMX.
    .text
    .code32
    .globl dot
dot:
    pushl %esi
    pushl %edi
    movl 12(%esp), %esi
    movl 16(%esp), %edi
    movl 20(%esp), %ecx
    pxor %mm7, %mm7
1:  movq (%esi), %mm0
    pmaddwd (%edi), %mm0
    addl $8, %esi
    addl $8, %edi
    paddd %mm0, %mm7
    decl %ecx
    jnz 1b
    movq %mm7, %mm0
    psrlq $32, %mm0
    paddd %mm7, %mm0
    movd %mm0, %eax
    emms
    popl %edi
    popl %esi
    ret

// void mix(short* to, const short* a, const short* b, u32 n): to = a + b, saturated, of 4 n numbers.
    .globl mix
mix:
    pushl %esi
    pushl %edi
    pushl %ebx
    movl 16(%esp), %ebx
    movl 20(%esp), %esi
    movl 24(%esp), %edi
    movl 28(%esp), %ecx
1:  movq (%esi), %mm0
    paddsw (%edi), %mm0
    movq %mm0, (%ebx)
    addl $8, %esi
    addl $8, %edi
    addl $8, %ebx
    decl %ecx
    jnz 1b
    emms
    popl %ebx
    popl %edi
    popl %esi
    ret

// double-precision work between: void scale(u32 n)
    .globl scale
scale:
    movl 4(%esp), %ecx
    fld1
    fldpi
1:  fadd %st(1), %st
    fmul %st(1), %st
    decl %ecx
    jnz 1b
    fstp %st(0)
    fstp %st(0)
    ret

    .globl main
main:
    jmp demo

    .section .note.GNU-stack, "", @progbits

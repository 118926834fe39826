// u32 steps_x87(const u32* cx, const u32* cy, u32 most): how often x, y = x^2 - y^2 + cx, 2xy + cy can be
// repeated from 0, 0 while x^2 + y^2 <= 4, at most `most` times. Each operation rounds to 24 bits.

    .section .text.steps_x87, "ax", @progbits
    .globl steps_x87
steps_x87:
    movl %edx, %ecx
    xorl %edx, %edx
    fninit
    fldcw single
    flds (%rsi)
    flds (%rdi)
    fldz
    fldz
    // Above: x, y, cx, cy from the top of the stack.
1:
    fld %st(0)
    fmul %st(0), %st
    fld %st(2)
    fmul %st(0), %st
    fld %st(1)
    fadd %st(1), %st    // x2 + y2, y2, x2, x, y, cx, cy
    fcomps limit
    fnstsw %ax
    testb $0x41, %ah    // C0: below; C3: equal
    jz 2f
    incl %edx
    fchs
    faddp               // x2 - y2, x, y, cx, cy
    fadd %st(3), %st
    fxch %st(1)
    fmul %st(2), %st
    fadd %st(0), %st
    fadd %st(4), %st    // new y, new x, y, cx, cy
    fstp %st(2)
    decl %ecx
    jnz 1b
2:
    fninit
    movl %edx, %eax
    ret

    .section .rodata.steps_x87, "a", @progbits
single:
    .word 0x007F        // precision 24 bits, rounding to nearest, exceptions masked
limit:
    .float 4.0

    .section .note.GNU-stack, "", @progbits

# Conditional moves, rewritten like the compiler's (tools/asm_rewrite.cpp): u64 move_CC(u64 flags, u64 source,
# u64 dest) gives the destination after a 64-bit CMOVCC under these RFLAGS. The others vary the operands, the
# condition being "equal".

    .text
    .globl move_o
move_o:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovo	%rsi, %rax
    ret
    .globl move_no
move_no:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovno	%rsi, %rax
    ret
    .globl move_b
move_b:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovb	%rsi, %rax
    ret
    .globl move_ae
move_ae:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovae	%rsi, %rax
    ret
    .globl move_e
move_e:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmove	%rsi, %rax
    ret
    .globl move_ne
move_ne:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovne	%rsi, %rax
    ret
    .globl move_be
move_be:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovbe	%rsi, %rax
    ret
    .globl move_a
move_a:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmova	%rsi, %rax
    ret
    .globl move_s
move_s:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovs	%rsi, %rax
    ret
    .globl move_ns
move_ns:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovns	%rsi, %rax
    ret
    .globl move_p
move_p:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovp	%rsi, %rax
    ret
    .globl move_np
move_np:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovnp	%rsi, %rax
    ret
    .globl move_l
move_l:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovl	%rsi, %rax
    ret
    .globl move_ge
move_ge:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovge	%rsi, %rax
    ret
    .globl move_le
move_le:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovle	%rsi, %rax
    ret
    .globl move_g
move_g:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmovg	%rsi, %rax
    ret

# 32 bits: the upper half is cleared whether or not the condition holds; memory source, also addressed
# through the destination; 16 bits: the rest of the register stays.
    .globl move_32
move_32:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmove	%esi, %eax
    ret
    .globl move_32_extended
move_32_extended:
    pushq %rdi
    movq %rdx, %rax
    movq %rsi, %r11
    popfq
    cmove	%r11d, %eax
    ret
    .globl move_32_memory
move_32_memory:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmove	(%rsi), %eax
    ret
    .globl move_32_through_itself
move_32_through_itself:
    pushq %rdi
    movq %rdx, %rax
    xorl %ecx, %ecx
    popfq
    cmove	8(%rax,%rcx,8), %eax
    ret
    .globl move_64_memory
move_64_memory:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmove	(%rsi), %rax
    ret
    .globl move_16
move_16:
    pushq %rdi
    movq %rdx, %rax
    popfq
    cmove	%si, %ax
    ret

# The compiler's BSF with a prefix that makes it TZCNT elsewhere.
    .globl first_bit
first_bit:
    rep bsfq %rdi, %rax
    ret

    .section .note.GNU-stack, "", @progbits

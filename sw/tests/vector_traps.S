// Code for vector_traps.c.

    .section .text.vector_traps, "ax"

    // Executes with RSI as the destination what is copied elsewhere and modified there: a shift of
    // the vector at RDI, by the last byte of the instruction. One line.
    .globl shift_code, shift_code_count, shift_code_end
    .p2align 6, 0xCC
shift_code:
    vpslld $1, (%rdi), %zmm1
shift_code_count:
    vmovdqa32 %zmm1, (%rsi)
    ret
    .p2align 6, 0xCC
shift_code_end:

    // The same, but before that the lowest byte of zmm3 becomes the count, at RDX.
    .globl shift_ahead, shift_ahead_count, shift_ahead_end
shift_ahead:
    vpackstoreld %zmm3, (%rdx){uint8}{%k3}
    jmp 1f
1:  vpslld $1, (%rdi), %zmm1
shift_ahead_count:
    vmovdqa32 %zmm1, (%rsi)
    ret
    .p2align 6, 0xCC
shift_ahead_end:

    // (to, from): 64 bytes, by each way to store them.
    .globl store_aligned, store_masked, store_packed, store_scattered, store_stream, store_weakly
store_aligned:
    vmovdqa32 (%rsi), %zmm5; vmovdqa32 %zmm5, (%rdi)
    ret
store_masked:
    vmovdqa32 (%rsi), %zmm5
    movl $0x5555, %eax; kmov %eax, %k3; vmovdqa32 %zmm5, (%rdi){%k3}
    knot %k3, %k3; vmovdqa32 %zmm5, (%rdi){%k3}
    ret
store_packed:
    vmovdqa32 (%rsi), %zmm5; vpackstoreld %zmm5, (%rdi); vpackstorehd %zmm5, 64(%rdi)
    ret
store_scattered:
    vmovdqa32 (%rsi), %zmm5; vmovdqa32 ascending(%rip), %zmm6
    movl $0xFFFF, %eax; kmov %eax, %k3
1:  vpscatterdd %zmm5, (%rdi,%zmm6,4){%k3}
    jknzd 1b, %k3
    ret
store_stream:
    vmovdqa32 (%rsi), %zmm5; vmovnraps %zmm5, (%rdi)
    ret
store_weakly:
    vmovdqa32 (%rsi), %zmm5; vmovnrngoaps %zmm5, (%rdi)
    ret

    // (to, from, mask)
    .globl store_lanes
store_lanes:
    vmovdqa32 (%rsi), %zmm5; kmov %edx, %k3; vmovdqa32 %zmm5, (%rdi){%k3}
    ret

    .section .rodata.vector_traps, "a"
    .balign 64
ascending:
    .long 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

    .section .note.GNU-stack, "", @progbits

// pmu_stress_shares.c has the sizes; change both.

    .section .text.pmu_stress_shares, "ax"

    // u64 shares(rounds): SHARES_ROUND instructions of two bytes in a round, and the loop's DEC (3
    // bytes) and JNZ (6). The first three parts are a chain, the fourth pairs.
    .globl shares, shares_begin, shares_last
shares:
    movq %rdi, %rcx
shares_begin:
    .rept 200 + 400 + 600
    incl %eax
    .endr
    .rept 800 / 2
    incl %eax
    incl %edx
    .endr
shares_last:
    decq %rcx
    jnz shares_begin
    xorl %eax, %eax
    ret

    .section .note.GNU-stack, "", @progbits

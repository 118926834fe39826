// What vector_shared.c does with memory. zmm1 and k2 are the values at work and their lanes, zmm31
// the sum of all values.

#define FUNCTION(name) .globl name; name:

    .section .text.vector_shared, "ax"

    // (from, index, mask): zmm1 = elements at byte offsets in `index`.
    FUNCTION(share_gather)
    vmovdqa32 (%rsi), %zmm2; kmov %edx, %k1; kmov %edx, %k2
1:  vpgatherdd (%rdi,%zmm2,1), %zmm1{%k1}
    jknzd 1b, %k1
    ret
    // (from, mask): zmm1 = the vector at a multiple of 64, or anywhere.
    FUNCTION(share_load)
    kmov %esi, %k2; vmovdqa32 (%rdi), %zmm1
    ret
    FUNCTION(share_unpack)
    kmov %esi, %k2; vloadunpackld (%rdi), %zmm1; vloadunpackhd 64(%rdi), %zmm1
    ret
    // (to add): zmm1 += it; the sum of all grows.
    FUNCTION(share_add)
    vpaddd (%rdi), %zmm1, %zmm1
    vpaddd %zmm1, %zmm31, %zmm31{%k2}
    ret
    // (to): zmm1 in the ways in which a vector is stored.
    FUNCTION(share_store)
    vmovdqa32 %zmm1, (%rdi){%k2}
    ret
    FUNCTION(share_scatter)  // (to, index)
    vmovdqa32 (%rsi), %zmm2; kmov %k2, %k1
1:  vpscatterdd %zmm1, (%rdi,%zmm2,1){%k1}
    jknzd 1b, %k1
    ret
    FUNCTION(share_pack)
    vpackstoreld %zmm1, (%rdi){%k2}; vpackstorehd %zmm1, 64(%rdi){%k2}
    ret
    FUNCTION(share_stream)
    vmovnrapd %zmm1, (%rdi)
    ret
    FUNCTION(share_stream_weakly)
    vmovnrngoapd %zmm1, (%rdi)
    ret
    // (to): the sum of all, which begins anew.
    FUNCTION(share_sum)
    vmovdqa32 %zmm31, (%rdi); vpxord %zmm31, %zmm31, %zmm31
    ret

    .section .note.GNU-stack, "", @progbits

// Instructions of the card in all the ways that assembly can write them, for tests/knc_as/object.cpp, which
// has the same list. Not executed.
#define ROW(n) (table + 64 * (n))

    .text
    .globl vector_forms
vector_forms:
    vaddps %zmm3{cdab}, %zmm2, %zmm1{%k1}   # a swizzle
    vaddps (%rax,%rbx,8){1to16}, %zmm2, %zmm1; vmulps %zmm31{rn-sae}, %zmm2, %zmm1
    vmovaps table(%rip), %zmm4
    vmovaps ROW(1)(%rip), %zmm5
    vcmpltps ROW(2)(,%rcx,4){float16}, %zmm5, %k2{%k3}
    vpshufd $0x1B, extern_table(%rip), %zmm6
    vgatherdps 4(%rdi,%zmm7,4), %zmm8{%k2}
1:  vpackstorelps %zmm8, (%rsi){uint8}{%k2}
    kortest %k2, %k2
    jkzd 1b, %k2
    jknzd vector_inline, %k3
    delay %eax
    .intel_syntax noprefix
    vaddps zmm1 {k1}, zmm2, zmm3 {cdab}
    vmovaps zmm4, zmmword ptr [rip + table]
    vmovaps zmm5, [table + rcx*4 + 64]
    jkzd k2, 1b
    .att_syntax prefix
    kand %k1, %k2
    ret

    .data
    .balign 64
table:
    .fill 48, 4, 1

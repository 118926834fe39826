// vector_run_NAME(base, index, lanes, mask): loads zmm1 from `lanes`, zmm2 from `index`, k1 from
// `mask`, executes the instructions that vector_kernels.h names, stores zmm1 to `lanes` and returns
// k1. Further: vector_save, vector_clobber, vector_restore for the state of the whole unit.

#define BEGIN(name)                                                       \
    .globl vector_run_##name, vector_at_##name, vector_end_##name;        \
vector_run_##name:                                                        \
    vmovdqa32 (%rsi), %zmm2; vmovdqa32 (%rdx), %zmm1; kmov %ecx, %k1;     \
vector_at_##name:
#define END(name)                                                         \
vector_end_##name:                                                        \
    vmovdqa32 %zmm1, (%rdx); kmov %k1, %eax; ret
#define SPARSE(name, ...)                                                 \
    BEGIN(name) __VA_ARGS__; jknzd vector_at_##name, %k1; END(name)
#define HIGH(name)                                                        \
    .globl vector_high_##name;                                            \
vector_high_##name:

    .section .text.vector_kernels, "ax"

    SPARSE(gather32, vgatherdps (%rdi,%zmm2,1), %zmm1{%k1})
    SPARSE(gather64, vgatherdpd (%rdi,%zmm2,1), %zmm1{%k1})
    SPARSE(gather8, vpgatherdd (%rdi,%zmm2,1){uint8}, %zmm1{%k1})
    SPARSE(scatter32, vscatterdps %zmm1, (%rdi,%zmm2,1){%k1})
    SPARSE(scatter64, vscatterdpd %zmm1, (%rdi,%zmm2,1){%k1})
    SPARSE(scatter8, vpscatterdd %zmm1, (%rdi,%zmm2,1){uint8}{%k1})

    BEGIN(unpack32)
    vloadunpacklps (%rdi), %zmm1{%k1}
    HIGH(unpack32)
    vloadunpackhps 64(%rdi), %zmm1{%k1}
    END(unpack32)
    BEGIN(unpack64)
    vloadunpacklpd (%rdi), %zmm1{%k1}
    HIGH(unpack64)
    vloadunpackhpd 64(%rdi), %zmm1{%k1}
    END(unpack64)
    BEGIN(unpack8)
    vloadunpackld (%rdi){uint8}, %zmm1{%k1}
    HIGH(unpack8)
    vloadunpackhd 64(%rdi){uint8}, %zmm1{%k1}
    END(unpack8)
    BEGIN(pack32)
    vpackstorelps %zmm1, (%rdi){%k1}
    HIGH(pack32)
    vpackstorehps %zmm1, 64(%rdi){%k1}
    END(pack32)
    BEGIN(pack64)
    vpackstorelpd %zmm1, (%rdi){%k1}
    HIGH(pack64)
    vpackstorehpd %zmm1, 64(%rdi){%k1}
    END(pack64)
    BEGIN(pack8)
    vpackstoreld %zmm1, (%rdi){uint8}{%k1}
    HIGH(pack8)
    vpackstorehd %zmm1, 64(%rdi){uint8}{%k1}
    END(pack8)

#define ALL_REGISTERS(each)                                               \
    each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)       \
    each(8) each(9) each(10) each(11) each(12) each(13) each(14) each(15) \
    each(16) each(17) each(18) each(19) each(20) each(21) each(22)        \
    each(23) each(24) each(25) each(26) each(27) each(28) each(29)        \
    each(30) each(31)
#define ALL_MASKS(each)                                                   \
    each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)
#define MASKS_AT 2048
#define MXCSR_AT 2064

#define SAVE_REGISTER(n) vmovdqa32 %zmm##n, 64*n(%rdi);
#define SAVE_MASK(n) kmov %k##n, %eax; movw %ax, MASKS_AT+2*n(%rdi);
#define LOAD_REGISTER(n) vmovdqa32 64*n(%rdi), %zmm##n;
#define LOAD_MASK(n) movzwl MASKS_AT+2*n(%rdi), %eax; kmov %eax, %k##n;
#define TURN_REGISTER(n) vpaddd %zmm##n, %zmm31, %zmm##n;
#define TURN_MASK(n) knot %k##n, %k##n;

    // void vector_save(u8* to): registers, masks, MXCSR.
    .globl vector_save, vector_restore, vector_clobber
vector_save:
    ALL_REGISTERS(SAVE_REGISTER)
    ALL_MASKS(SAVE_MASK)
    stmxcsr MXCSR_AT(%rdi)
    ret
vector_restore:
    ALL_REGISTERS(LOAD_REGISTER)
    ALL_MASKS(LOAD_MASK)
    ldmxcsr MXCSR_AT(%rdi)
    ret
    // Changes all of them.
vector_clobber:
    vpbroadcastd ones(%rip), %zmm31
    ALL_REGISTERS(TURN_REGISTER)
    ALL_MASKS(TURN_MASK)
    ldmxcsr other_mxcsr(%rip)
    ret

    .section .rodata.vector_kernels, "a"
    .balign 4
ones:
    .long 0x01010101
other_mxcsr:
    .long 0x0020602A

    .section .note.GNU-stack, "", @progbits

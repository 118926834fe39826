// What PEBS records, with the address of each instruction in order of retirement.
#define MSR_GLOBAL_CTRL 0x38f

// One instruction of the list `pebs_ips`.
.macro STEP text:vararg
9:  \text
    .pushsection .rodata.pebs_ips, "a", @progbits
    .quad 9b
    .popsection
.endm

    .pushsection .rodata.pebs_ips, "a", @progbits
    .globl pebs_ips
    .balign 8
pebs_ips:
    .popsection

    .text

// void pebs_work(u64 control)
//
// GLOBAL_CTRL becomes `control`; then the instructions of pebs_ips, of which 8 are branches and 6
// are CPUID. The last one sets GLOBAL_CTRL to 0. R11 counts some of them.
    .globl pebs_work
    .type pebs_work, @function
pebs_work:
    pushq %rbx
    movl %edi, %eax
    movq %rdi, %rdx
    shrq $32, %rdx
    movl $MSR_GLOBAL_CTRL, %ecx
    xorl %r11d, %r11d
    wrmsr
    STEP incl %r11d
    STEP incl %r11d
    STEP incl %r11d
    STEP xorl %eax, %eax
    STEP cpuid
    STEP jmp 1f
1:  STEP incl %r11d
    STEP xorl %eax, %eax
    STEP cpuid
    STEP jz 1f
1:  STEP testl %r11d, %r11d
    STEP jz 1f
1:  STEP pushq %rax
    STEP popq %rax
    STEP call 1f
1:  STEP addq $8, %rsp
    STEP xorl %eax, %eax
    STEP cpuid
    STEP jmp 1f
1:  STEP xorl %eax, %eax
    STEP cpuid
    STEP jmp 1f
1:  STEP xorl %eax, %eax
    STEP cpuid
    STEP jmp 1f
1:  STEP incl %r11d
    STEP incl %r11d
    STEP xorl %eax, %eax
    STEP cpuid
    STEP jmp 1f
1:  STEP movl $MSR_GLOBAL_CTRL, %ecx
    STEP xorl %eax, %eax
    STEP xorl %edx, %edx
    STEP wrmsr
    popq %rbx
    ret
    .size pebs_work, . - pebs_work

    .pushsection .rodata.pebs_ips, "a", @progbits
    .globl pebs_ips_end
pebs_ips_end:
    .popsection

// u64 pebs_misses(u64 lines): the load at pebs_miss reads `lines` lines behind pebs_lines, each in
// another page of the prefetcher's; all other loads are those of two lines.
    .globl pebs_misses, pebs_miss
    .type pebs_misses, @function
pebs_misses:
    movq $pebs_lines, %rsi
    movq %rdi, %rcx
    xorl %eax, %eax
1:  movq pebs_near, %rdx
    addq %rdx, %rax
pebs_miss:
    addq (%rsi), %rax
    nop
    addq $5 * 64, %rsi
    movq pebs_near, %rdx
    addq %rdx, %rax
    nop
    loop 1b
    ret
    .size pebs_misses, . - pebs_misses

// u64 pebs_user(u64 n): a loop at ring 3 of 4 n + 2 instructions; those of pebs_user_loop are
// INC, NOP, NOP, LOOP.
    .globl pebs_user, pebs_user_loop
    .type pebs_user, @function
pebs_user:
    movq %rdi, %rcx
    xorl %eax, %eax
pebs_user_loop:
    incl %eax
    nop
    nop
    loop pebs_user_loop
    ret
    .size pebs_user, . - pebs_user

// void pebs_step(void): TF is set for the instructions of pebs_stepped, of which the third is a
// branch that is not taken, and the fifth one that is.
    .globl pebs_step, pebs_stepped
    .type pebs_step, @function
pebs_step:
    pushfq
    orl $0x100, (%rsp)
    popfq
pebs_stepped:
    nop                   // 1 byte
    xorl %eax, %eax       // 2
    jnz 1f                // 2
    nop                   // 1
    jmp 1f                // 2
1:  nop
    pushfq
    andl $~0x100, (%rsp)
    popfq
    ret
    .size pebs_step, . - pebs_step

    .bss
    .balign 4096
    .globl pebs_near, pebs_lines
pebs_near:
    .zero 4096
pebs_lines:
    .zero 64 * 5 * 1024

    .section .note.GNU-stack, "", @progbits

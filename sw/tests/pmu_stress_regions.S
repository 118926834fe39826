// Regions of pmu_stress_regions.c, which has the numbers of their instructions. Each is a function of
// ring 3 with the number of rounds as its argument.

    .section .text.pmu_stress_regions, "ax"

    // Between the two SPFLTs SIZE instructions, then as many outside. %ebx stays 0.
    .macro rounds name, size
    .globl region_\name
region_\name:
    pushq %rbx
    xorl %ebx, %ebx
    movl $1, %eax
1:  spflt %rax
    .rept \size
    incl %edx
    .endr
    spflt %rbx
    .rept \size
    incl %edx
    .endr
    decq %rdi
    jnz 1b
    popq %rbx
    xorl %eax, %eax
    ret
    .endm
    rounds short, 3
    rounds long, 200

    // A region in a region: 10, 20 and 40 instructions.
    .globl region_nested
region_nested:
    pushq %rbx
    xorl %ebx, %ebx
    movl $1, %eax
1:  spflt %rax
    .rept 10
    incl %edx
    .endr
    spflt %rax
    .rept 20
    incl %edx
    .endr
    spflt %rbx
    .rept 40
    incl %edx
    .endr
    spflt %rbx
    decq %rdi
    jnz 1b
    popq %rbx
    xorl %eax, %eax
    ret

    // Loads and stores of a line, REP STOSQ of 100 words, and system calls, in the region.
    .globl region_mixed
region_mixed:
    pushq %rbx
    pushq %rdi
    xorl %ebx, %ebx
    movl $1, %eax
    spflt %rax
1:  movl region_line, %edx
    movl %edx, region_line + 4
    movl $region_line, %edi
    movl $100, %ecx
    xorl %eax, %eax
    rep stosq
    movl $99, %eax
    syscall
    decq (%rsp)
    jnz 1b
    spflt %rbx
    popq %rdi
    popq %rbx
    xorl %eax, %eax
    ret

    .section .note.GNU-stack, "", @progbits

// pmu_interrupted.c has the numbers of accesses; change both. Each function is one region that counts
// from SPFLT 1 to SPFLT 0. Arguments: rounds (rdi), from (rsi), to (rdx), where all bytes are 0.

    .macro spflt_a
    .byte 0xC4, 0xE1, 0xFB, 0xAE, 0xF0
    .endm
    .macro region name
    .globl \name
\name:
    movq %rdi, %rcx
    movq %rdx, %rdi
    movl $1, %eax
    spflt_a
    .endm
    .macro region_end
    xorl %eax, %eax
    spflt_a
    ret
    .endm

    .section .text.pmu_interrupted, "ax"

    region region_move
    rep movsq
    region_end

    region region_move_bytes
    rep movsb
    region_end

    region region_store
    xorl %eax, %eax
    rep stosq
    region_end

    region region_load
    rep lodsq
    region_end

    region region_compare
    repe cmpsq
    region_end

    region region_scan
    repne scasq
    region_end

    // Strings without REP: two accesses of one instruction.
    region region_single
1:  movsq
    cmpsq
    decq %rcx
    jnz 1b
    region_end

    region region_push_pop
1:  pushq (%rsi)
    popq (%rdi)
    addq $64, %rsi
    addq $64, %rdi
    decq %rcx
    jnz 1b
    region_end

    // XADD and CMPXCHG read and write; each round goes to the next line.
    region region_update
1:  lock incq (%rdi)
    addq %rax, 8(%rdi)
    addq $64, %rdi
    decq %rcx
    jnz 1b
    region_end

    .globl region_enter
region_enter:
    pushq %rbp
    movq %rsp, %rbp
    movq %rdi, %rcx
    movl $1, %eax
    spflt_a
1:  enter $32, $2
    leave
    decq %rcx
    jnz 1b
    xorl %eax, %eax
    spflt_a
    popq %rbp
    ret

    // At `from`: offset and selector of the code segment, 16 bytes.
    region region_far
1:  rex.w lcall *(%rsi)
    decq %rcx
    jnz 1b
    region_end

    .globl far_target
far_target:
    lretq

    .section .note.GNU-stack, "", @progbits

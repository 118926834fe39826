// Regions at ring 3 between SPFLT 1 and SPFLT 0, of RDI rounds, and the handlers they enter. No region
// accesses data of its own.

    .macro spflt_a
    .byte 0xC4, 0xE1, 0xFB, 0xAE, 0xF0
    .endm
    .macro region name
    .globl \name
\name:
    movq %rdi, %rbx
    movl $1, %eax
    spflt_a
1:
    .endm
    .macro region_end
    decq %rbx
    jnz 1b
    xorl %eax, %eax
    spflt_a
    ret
    .endm

    .section .text.pmu_privilege, "ax"

    region region_spin
    region_end

    region region_undefined
    ud2
    region_end

    region region_divide
    xorl %ecx, %ecx
    divl %ecx
    region_end

    region region_gate
    int $0x85
    region_end

    region region_syscall
    syscall
    region_end

// #UD and #DE: past the two bytes that faulted.
    .globl handler_skip, handler_return, handler_sysret
handler_skip:
    addq $2, (%rsp)
handler_return:
    iretq
handler_sysret:
    sysretq

    .section .note.GNU-stack, "", @progbits

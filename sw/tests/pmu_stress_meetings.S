// pmu_stress_meetings.c has the numbers of the instructions.

#define MSR_PERF_GLOBAL_CTRL 0x2F

    .section .text.pmu_stress_meetings, "ax"

// Starts the counters, halts with interrupts enabled, and stops the counters. Instructions from the
// start: NOP, NOP, STI, HLT, NOP, CLI.
    .globl meet_halt, meet_before_sti, meet_after_halt, meet_before_cli
meet_halt:
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    movl $1, %eax
    xorl %edx, %edx
    cli
    wrmsr
    nop
    nop
meet_before_sti:
    sti
    hlt
meet_after_halt:
    nop
meet_before_cli:
    cli
    xorl %eax, %eax
    wrmsr
    sti
    ret

    // void meet_write(msr, value): starts the counters, writes the register, stops the counters. The
    // write is the fifth instruction from the start.
    .globl meet_write
meet_write:
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    movl $1, %eax
    xorl %edx, %edx
    wrmsr
    movl %edi, %ecx
    movl %esi, %eax
    movq %rsi, %rdx
    shrq $32, %rdx
    wrmsr
    nop
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    xorl %eax, %eax
    xorl %edx, %edx
    wrmsr
    ret

    .section .note.GNU-stack, "", @progbits

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

    .section .note.GNU-stack, "", @progbits

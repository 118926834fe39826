// pmu_stress_periods.c has the numbers of instructions; change both.

#define MSR_PERF_COUNTER0 0x20
#define MSR_PERF_GLOBAL_OVF_CONTROL 0x2E
#define MSR_PERF_GLOBAL_CTRL 0x2F
#define APIC_LVT_PERFORMANCE 0xFEE00340
#define APIC_EOI 0xFEE000B0

    .section .text.pmu_stress_periods, "ax"

    // The program: a chain, so that no two instructions are one event late. Two bytes each.
    .globl periods_program, periods_begin, periods_end
periods_program:
    movl $400, %eax
periods_begin:
    .rept 400
    incl %eax
    .endr
periods_end:
    ret

    // A service routine as short as the guide's order allows. It stores where it came, at most
    // periods_limit times, then selects no event.
    .macro service name, eoi
    .globl periods_\name
periods_\name:
    pushq %rax
    pushq %rcx
    pushq %rdx
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    xorl %eax, %eax
    xorl %edx, %edx
    wrmsr
    movl periods_number, %edx
    movq 24(%rsp), %rcx
    movq %rcx, periods_log(,%rdx,8)
    incl %edx
    movl %edx, periods_number
    cmpl periods_limit, %edx
    jb 1f
    movl $0x28, %ecx
    xorl %edx, %edx
    wrmsr
1:  movl $MSR_PERF_GLOBAL_OVF_CONTROL, %ecx
    movl $1, %eax
    xorl %edx, %edx
    wrmsr
    movl periods_entry, %eax
    movl $APIC_LVT_PERFORMANCE, %ecx
    movl %eax, (%rcx)
    movl $MSR_PERF_COUNTER0, %ecx
    movl periods_reload, %eax
    movl $0xFF, %edx
    wrmsr
    .if \eoi
    movl $APIC_EOI, %ecx
    movl %eax, (%rcx)
    .endif
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    movl $1, %eax
    xorl %edx, %edx
    wrmsr
    popq %rdx
    popq %rcx
    popq %rax
    iretq
    .endm
    service fixed, 1
    service nmi, 0

    .section .note.GNU-stack, "", @progbits

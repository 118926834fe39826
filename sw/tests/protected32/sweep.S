// The code under overflows of sweep.c, which has the numbers of instructions; change both. And the
// entries of all events.

#define MSR_PERF_GLOBAL_CTRL 0x2F
#define TF 0x100
#define OTHER_TASK 0x40  // FREE_SELECTOR
#define TRAP_VECTOR 0x63

    .text
    .code32

// The frame of sweep.c: general registers, vector, and what the processor has pushed.
    .macro entry name, vector
    .globl sweep_\name
sweep_\name:
    pushl $\vector
    pushal
    cld
    pushl %esp
    call sweep_service
    addl $4, %esp
    popal
    addl $4, %esp
    iret
    .endm
    entry on_step, 1
    entry on_nmi, 2
    entry on_breakpoint, 3
    entry on_into, 4
    entry on_bound, 5
    entry on_undefined, 6
    entry on_pmi, 0x62
    entry on_trap, TRAP_VECTOR

// Single steps, if sweep_flags says so, begin after the NOP and end after the last POPF.
    .macro kernel name
    .globl sweep_kernel_\name
sweep_kernel_\name:
    pushl %ebp
    pushl %ebx
    pushl %esi
    pushl %edi
    xorl %eax, %eax
    xorl %ebx, %ebx
    xorl %ecx, %ecx
    xorl %edx, %edx
    xorl %esi, %esi
    xorl %edi, %edi
    xorl %ebp, %ebp
    pushfl
    movl sweep_flags, %eax
    orl %eax, (%esp)
    movl $1, %eax
    popfl
    nop
    .endm
    .macro end
    pushfl
    andl $~TF, (%esp)
    popfl
    movl %eax, sweep_result
    movl %ebx, sweep_result + 4
    movl %ecx, sweep_result + 8
    movl %edx, sweep_result + 12
    popl %edi
    popl %esi
    popl %ebx
    popl %ebp
    xorl %eax, %eax
    ret
    .endm

    kernel old
    movl $0x1237, %eax
    pushal
    popal
    daa
    das
    aaa
    aas
    aam
    aad
    clc
    into
    movl $sweep_bounds, %ebx
    movl $5, %ecx
    bound %ecx, (%ebx)
    pushl %ds
    popl %es
    pushw $7
    popw %dx
    arpl %cx, %dx
    xlatb
    end

    kernel traps
    movb $0x7F, %al
    incb %al
    into
    incl %ecx
    int $TRAP_VECTOR
    incl %ecx
    int3
    incl %ecx
    movl $sweep_bounds, %ebx
    movl $11, %edx
    bound %edx, (%ebx)
    incl %ecx
    ud2
    incl %ecx
    end

    kernel tasks
    incl %eax
    lcall $OTHER_TASK + 3, $0
    incl %eax
    incl %ecx
    lcall $OTHER_TASK + 3, $0
    incl %eax
    end

    .globl sweep_other_task
sweep_other_task:
    incl %edx
    iret
    jmp sweep_other_task

    .section .note.GNU-stack, "", @progbits

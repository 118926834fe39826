// The code under overflows of pmu_stress_sweep.c, which has the number of instructions of each kernel;
// change both. And the entry that all interrupts of the test share.

#include "boot/layout.h"

#define MSR_PERF_COUNTER1 0x21
#define MSR_PERF_EVENT_SELECT1 0x29
#define MSR_PERF_SPFLT_CONTROL 0x2C
#define MSR_PERF_GLOBAL_OVF_CONTROL 0x2E
#define MSR_PERF_GLOBAL_CTRL 0x2F
#define TF 0x100
#define SWEEP_TRAP 0x71

    .section .text.pmu_stress_sweep, "ax"

// From the first instruction to the WRMSR that stops the counters, SWEEP_ENTRY instructions count at
// ring 0; after the one that starts them again, SWEEP_EXIT.
    .macro entry name, vector
    .globl sweep_\name
sweep_\name:
    pushq $0
    pushq $\vector
    jmp sweep_common
    .endm
    entry on_step, 1
    entry on_nmi, 2
    entry on_pmi, 0x60
sweep_common:
    pushq %rax
    pushq %rcx
    pushq %rdx
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    xorl %eax, %eax
    xorl %edx, %edx
    wrmsr
    pushq %rbx
    pushq %rbp
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    cld
    movq %rsp, %rdi
    call sweep_service
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rbp
    popq %rbx
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    movl $3, %eax
    xorl %edx, %edx
    wrmsr
    popq %rdx
    popq %rcx
    popq %rax
    addq $16, %rsp
    iretq

// A kernel counts what is between `begin` and `end`, and the SPFLT that ends it. Single steps begin
// before it if sweep_flags says so.
    .macro kernel name
    .globl sweep_kernel_\name
    .p2align 6, 0xCC
sweep_kernel_\name:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    cld
    xorl %eax, %eax
    xorl %ebx, %ebx
    xorl %ecx, %ecx
    xorl %edx, %edx
    xorl %ebp, %ebp
    xorl %esi, %esi
    xorl %edi, %edi
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r11d, %r11d
    xorl %r12d, %r12d
    xorl %r13d, %r13d
    movl $1, %r14d
    movl $sweep_area, %r15d
    pushfq
    movl sweep_flags, %eax
    orl %eax, (%rsp)
    xorl %eax, %eax
    popfq
    spflt %r14
    .endm
    .macro end
    spflt %r15
    pushfq
    andl $~TF, (%rsp)
    popfq
    jmp sweep_end
    .endm
sweep_end:
    movq %rax, sweep_result
    movq %rbx, sweep_result + 8
    movq %rcx, sweep_result + 16
    movq %rdx, sweep_result + 24
    movq %rsi, sweep_result + 32
    movq %rdi, sweep_result + 40
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    xorl %eax, %eax
    ret

    // A chain: no two pair.
    kernel chain
    .rept 8
    incl %eax
    .endr
    end

    kernel pairs
    .rept 8
    incl %eax
    incl %edx
    .endr
    end

    kernel branches
    movl $3, %ecx
1:  decl %ecx
    jnz 1b
    call 2f
    jmp 3f
2:  incl %eax
    ret
3:  movl $2, %ecx
4:  loop 4b
    jrcxz 5f
    ud2
5:  leaq 6f, %rdx
    jmp *%rdx
6:  testl %eax, %eax
    jz 5b
    end

    kernel microcode
    movl $1000, %eax
    movl $7, %ebx
    divl %ebx
    mull %ebx
    imulq %rbx, %rax
    movq %rsp, %rbp
    enter $32, $2
    leave
    bsfl %eax, %ecx
    xchgl %eax, %ecx
    shldl $3, %eax, %ecx
    rcrl $5, %ecx
    cpuid
    std
    cld
    pushq (%r15)
    popq 8(%r15)
    lahf
    btl $3, (%r15)
    bswapl %eax
    end

    kernel locked
    lock incl (%r15)
    movl $5, %eax
    lock xaddl %eax, 8(%r15)
    movl $9, %ecx
    lock cmpxchgl %ecx, 16(%r15)
    xchgl %ecx, 24(%r15)
    lock btsl $3, (%r15)
    lock cmpxchg8b 32(%r15)
    lock notl (%r15)
    end

    // Strings: the counter under test counts their accesses, so it overflows at every element.
    .macro string name, count, shift, text:vararg
    kernel \name
    movl $\count, %ecx
    movl $sweep_area + \shift, %esi
    movl $sweep_area + 1024 + \shift, %edi
    \text
    end
    .endm
    string movsq, 20, 0, rep movsq
    string movsb, 20, 61, rep movsb
    string stosq, 20, 0, rep stosq
    string lodsq, 20, 0, rep lodsq
    string cmpsb, 20, 128, repe cmpsb
    string scasb, 20, 64, repne scasb

    kernel movsd_down
    movl $12, %ecx
    movl $sweep_area + 100, %esi
    movl $sweep_area + 1024 + 100, %edi
    std
    rep movsl
    cld
    end

    kernel far_transfers
    movl $sweep_far_pointer, %ebx
    rex.w lcall *(%rbx)
    movq %rsp, %rdx
    pushq $USER_DATA_SEGMENT + 3
    pushq %rdx
    pushfq
    pushq $USER_CODE + 3
    pushq $1f
    iretq
    ud2
1:  pushq $USER_CODE + 3
    pushq $2f
    lretq
    ud2
2:  rex.w ljmp *16(%rbx)
    ud2
    .globl sweep_far_end
sweep_far_end:
    movl %ds, %ecx
    movl %ecx, %es
    end
    .globl sweep_far_target
sweep_far_target:
    incl %eax
    lretq

    kernel gather
    vmovdqa32 sweep_index, %zmm2
    movl $0xB6D7, %ecx
    kmov %ecx, %k1
1:  vgatherdps (%r15,%zmm2,1), %zmm1{%k1}
    jknzd 1b, %k1
    kmov %ecx, %k1
    vpaddd %zmm1, %zmm1, %zmm1
2:  vscatterdps %zmm1, (%r15,%zmm2,1){%k1}
    jknzd 2b, %k1
    kmov %k1, %eax
    kmov %ecx, %k1
    vloadunpacklps 4(%r15), %zmm1{%k1}
    vloadunpackhps 68(%r15), %zmm1{%k1}
    vpackstorelps %zmm1, 1028(%r15){%k1}
    vpackstorehps %zmm1, 1092(%r15){%k1}
    end

    // Division by zero, unmasked, is pending until FWAIT meets it: #MF.
    kernel x87
    fninit
    fldcw sweep_control
    fld1
    fldz
    fdivrp %st, %st(1)
    incl %eax
    incl %eax
    fwait
    incl %eax
    fnstsw %ax
    fninit
    end

    kernel flags
    pushfq
    popfq
    stc
    pushfq
    clc
    popfq
    adcl %eax, %eax
    end

    // Single steps of five instructions; in the list they go on.
    kernel steps
    pushfq
    orl $TF, (%rsp)
    popfq
    incl %eax
    incl %edx
    incl %ecx
    pushq sweep_after
    popfq
    incl %eax
    end

    kernel traps
    incl %eax
    int $SWEEP_TRAP
    incl %eax
    int3
    incl %eax
    ud2
    incl %eax
    movl $1, %ecx
    divl %edx
    incl %eax
    end

    // A page that is not present at the first access.
    kernel fault_load
    incl %eax
    incl %edx
    movq sweep_page, %rbx
    incl %ecx
    movl 64(%rbx), %eax
    incl %eax
    end

    kernel fault_store
    movq sweep_page, %rbx
    incl %eax
    movl %eax, 64(%rbx)
    incl %eax
    end

    kernel fault_update
    movq sweep_page, %rbx
    incl %eax
    incl %edx
    lock addl %eax, 64(%rbx)
    incl %eax
    end

    // A stack that is not present, and a push of two accesses.
    kernel fault_push
    movq sweep_page, %rbx
    movq %rsp, %rcx
    leaq 128(%rbx), %rsp
    pushq (%r15)
    movq %rcx, %rsp
    incl %eax
    end

    // The eighth element of 16 meets the page.
    kernel fault_string
    movq sweep_page, %rdi
    subq $56, %rdi
    movl $sweep_area, %esi
    movl $16, %ecx
    rep movsq
    incl %eax
    end

    kernel system_call
    incl %eax
    movl $99, %eax
    incl %edx
    syscall
    incl %edx
    incl %edx
    end

    // Stores into the line of code that executes, and into the one after.
    kernel modified_code
    movq sweep_code, %rbx
    incl %eax
    call *%rbx
    incl %eax
    call *%rbx
    incl %eax
    end
    .globl sweep_patch, sweep_patch_end
sweep_patch:
    addb $1, 10(%rbx)
    incl %edx
    incl %edx
    addl $0x10, %ecx    // its last byte, byte 10 of the code, changes
    ret
sweep_patch_end:

    // Ring 0 from here.
    kernel interrupts_off
    incl %eax
    cli
    incl %eax
    incl %eax
    incl %eax
    sti
    incl %eax
    incl %eax
    pushfq
    cli
    incl %eax
    popfq
    incl %eax
    end

    kernel shadows
    movl %ss, %ebx
    incl %eax
    movl %ebx, %ss
    incl %eax
    incl %eax
    pushq %rbx
    .byte 0x8E, 0xD3    // MOV SS, EBX
    .byte 0x8E, 0xD3
    incl %eax
    popq %rbx
    cli
    sti
    sti
    incl %eax
    cli
    sti
    cli
    incl %eax
    sti
    movl %ebx, %ss
    incl %eax
    incl %eax
    end

    // None of these writes changes what the counters do.
    kernel pmu_writes
    movl $MSR_PERF_GLOBAL_CTRL, %ecx
    rdmsr
    wrmsr
    movl $MSR_PERF_EVENT_SELECT1, %ecx
    rdmsr
    wrmsr
    movl $MSR_PERF_SPFLT_CONTROL, %ecx
    rdmsr
    wrmsr
    movl $MSR_PERF_GLOBAL_OVF_CONTROL, %ecx
    movl $2, %eax
    xorl %edx, %edx
    wrmsr
    end

    kernel serialising
    wbinvd
    incl %eax
    invlpg (%r15)
    incl %eax
    movq %cr3, %rbx
    movq %rbx, %cr3
    incl %eax
    cpuid
    movq %cr0, %rdx
    movq %rdx, %cr0
    nop
    clts
    clevict0 (%r15)
    clevict1 (%r15)
    movl (%r15), %ecx
    sidt 64(%r15)
    lidt 64(%r15)
    end

    // IRET and far return at ring 0.
    kernel returns
    movl %ss, %ecx
    movq %rsp, %rdx
    pushq %rcx
    pushq %rdx
    pushfq
    pushq $KERNEL_CODE
    pushq $1f
    iretq
    ud2
1:  pushq $KERNEL_CODE
    pushq $2f
    lretq
    ud2
2:  incl %eax
    end

    .section .rodata.pmu_stress_sweep, "a"
    .p2align 6
sweep_index:
    .long 0, 4, 8, 64, 68, 128, 132, 256, 260, 512, 516, 0, 768, 772, 776, 832
sweep_control:
    .word 0x037B        // precision 64 bits, all exceptions but division by zero masked

    .section .note.GNU-stack, "", @progbits

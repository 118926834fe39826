// void perfmon_bracket(u64 n, const void* lines, u64 control)
//
// GLOBAL_CTRL becomes `control`, and 0 at the end. Between the two WRMSR are 10 n + 16 instructions,
// of which n + 2 are branches (n LOOP, a call, an indirect jump). n loads, each from another line.
#define MSR_GLOBAL_CTRL 0x38f

    .text
    .globl perfmon_bracket
    .type perfmon_bracket, @function
perfmon_bracket:
    pushq %rbx
    movq %rsi, %rbx
    movq %rdx, %rax
    shrq $32, %rdx
    movl $MSR_GLOBAL_CTRL, %ecx
    wrmsr
    movq %rdi, %rcx         // 1
1:  movl (%rbx), %eax       // n times ten
    addq $64, %rbx
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    loop 1b
    call 2f                 // 2
2:  addq $8, %rsp           // 3
    leaq 3f(%rip), %rax     // 4
    jmp *%rax               // 5
3:  nop                     // 6
    nop
    nop
    nop
    nop
    nop
    nop
    nop                     // 13
    movl $MSR_GLOBAL_CTRL, %ecx
    xorl %eax, %eax
    xorl %edx, %edx         // 16
    wrmsr
    popq %rbx
    ret
    .size perfmon_bracket, . - perfmon_bracket

    .section .note.GNU-stack, "", @progbits

// void suite_bracket(u64 n, const void* lines, u64 control)
//
// What an independent suite measures: GLOBAL_CTRL becomes `control`, and 0 at the end. Between the
// two WRMSR are 10 n + 16 instructions, of which n + 2 are branches (n LOOP, a call, an indirect
// jump). n loads, each from another line, of which no cache has the first.
#define MSR_GLOBAL_CTRL 0x38f

    .text
    .globl suite_bracket
    .type suite_bracket, @function
suite_bracket:
    pushq %rbx
    movq %rsi, %rbx
    movq %rdx, %rax
    shrq $32, %rdx
    movl $MSR_GLOBAL_CTRL, %ecx
    wrmsr
    clflush (%rbx)          // 1
    mfence                  // 2
    movq %rdi, %rcx         // 3
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
    call 2f                 // 4
2:  addq $8, %rsp           // 5
    leaq 3f(%rip), %rax     // 6
    jmp *%rax               // 7
3:  nop                     // 8
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
    .size suite_bracket, . - suite_bracket

// void suite_spin(u64 n): n times LOOP and nothing else.
    .globl suite_spin
    .type suite_spin, @function
suite_spin:
    movq %rdi, %rcx
1:  loop 1b
    ret
    .size suite_spin, . - suite_spin

    .section .note.GNU-stack, "", @progbits

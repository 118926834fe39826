// The three programs as bytes, each on pages of its own, and code of ring 0 to be counted.
    .section .rodata.programs, "a", @progbits
#define PROGRAM 0
#include "tests/spaces/program.inc"
#undef PROGRAM
#define PROGRAM 1
#include "tests/spaces/program.inc"
#undef PROGRAM
#define PROGRAM 2
#include "tests/spaces/program.inc"

    .section .text.kernel_work, "ax"
// 1 + 2 n + 1 instructions.
    .globl kernel_work
    .type kernel_work, @function
kernel_work:
    movq %rdi, %rcx
1:  decq %rcx
    jnz 1b
    ret
    .size kernel_work, . - kernel_work
    .section .note.GNU-stack, "", @progbits

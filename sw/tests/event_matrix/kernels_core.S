// Kernels of the pipelines and of the translations.
#include "tests/event_matrix/frame.inc"

    .section .text.event_matrix, "ax"

    KERNEL(nothing)
    END

    KERNEL(singles)
    .rept 8
    negl %ecx
    .endr
    END

    KERNEL(pairs)
    .rept 4
    incl %eax
    incl %edx
    .endr
    END

    KERNEL(chain)
    .rept 8
    incl %eax
    .endr
    END

    KERNEL(compares)
    .rept 4
    sete %al
    .endr
    END

// The branch target buffer has 4 ways; bits 7:2 of the address choose the set. These are all in one,
// 256 bytes apart.
    KERNEL(jumps_of_one_set)
    .rept 8
    jmp 1f
    .fill 251, 1, 0x90
1:
    .endr
    END

    KERNEL(jumps)
    .rept 8
    jmp 1f
    .fill 14, 1, 0x90
1:
    .endr
    END

    KERNEL(loops)
    .rept 4
    movl $5, %ecx
1:  decl %ecx
    jnz 1b
    .endr
    END

// 10 bytes of the frame before it, 22 here, 8 blocks, and the end of the frame in the ninth.
    KERNEL(blocks)
    .fill 22 + 8 * 32, 1, 0x90
    END

    KERNEL(one_block)
    .fill 12, 1, 0x90
    END

    KERNEL(divisions)
    movl $1, %ecx
    divl %ecx
    divl %ecx
    END

    KERNEL(locked)
    lock addl $0, (%rsi)
    lock addl $0, (%rsi)
    END

    KERNEL(delays)
    movl $10, %ecx
    delay %rcx
    delay %rcx
    delay %rcx
    delay %rcx
    END

    KERNEL(delays_of_0)
    delay %rdx
    delay %rdx
    delay %rdx
    delay %rdx
    END

    KERNEL(halt)
    hlt
    END

    KERNEL(address_then_load)
    .rept 4
    negl %ecx
    movl (%rsi, %rcx), %eax
    .endr
    END

    KERNEL(address_and_more_then_load)
    .rept 4
    negl %ecx
    negl %edx
    movl (%rsi, %rcx), %eax
    .endr
    END

    KERNEL(load_pairs)
    .rept 4
    movl (%rsi), %eax
    movl 4(%rsi), %edx
    .endr
    END

    KERNEL(load_and_lea)
    .rept 4
    movl (%rsi), %eax
    leal 4(%rsi), %edx
    .endr
    END

    KERNEL(load_pairs_of_one_bank)
    .rept 4
    movl (%rsi), %eax
    movl 32(%rsi), %edx
    .endr
    END

    KERNEL(load_pairs_of_one_word)
    .rept 4
    movl (%rsi), %eax
    movl (%rsi), %edx
    .endr
    END

#define LOAD(at) movl at(%rsi), %eax;
    KERNEL(load_pages)
    PAGES(LOAD)
    END

// WATCH_DELAYS of them: the whole window is one fetch block. prepare.c has a reason to keep this
// kernel beside the next one.
    KERNEL(watch)
    delay %rcx
    delay %rbp
    delay %rdi
    END

// There and back; each page has a way back (prepare.c).
#define VISIT(at) leaq at(%rsi), %rbx; leaq 1f(%rip), %rdi; jmp *%rbx; 1:
    KERNEL(visit_pages)
    PAGES(VISIT)
    END

    KERNEL(visits)
    LINES(VISIT)
    END

    .section .note.GNU-stack, "", @progbits

// Loops of RDI rounds in which an instruction waits for memory in the shadow of the previous one: of
// MOV SS, or of STI. RSI is the line it accesses, RDX a second line with its page table entry.
//
// shadow_NAME_at is the instruction in the shadow, shadow_NAME_next the one after it.

    // Removes the lines from L1 and L2.
    .macro clevict1_rsi
    .byte 0xC4, 0xE1, 0x7A, 0xAE, 0x3E
    .endm
    .macro clevict1_rdx
    .byte 0xC4, 0xE1, 0x7A, 0xAE, 0x3A
    .endm

    .macro shadow name, prepare, open, inside:vararg
    .globl shadow_\name, shadow_\name\()_at, shadow_\name\()_next
    .p2align 6, 0xCC
shadow_\name:
    pushq %rbx
    xorl %ebx, %ebx
    movl %ebx, %es
    movq %rsp, %r8
1:  \prepare
    \open
shadow_\name\()_at:
    \inside
shadow_\name\()_next:
    movq %r8, %rsp
    decq %rdi
    jnz 1b
    popq %rbx
    ret
    .endm

    .macro mov_ss
    movl %ebx, %ss
    .endm
    .macro sti_
    sti
    .endm
    .macro evict
    cli
    clevict1_rsi
    .endm
    .macro evict_translation
    cli
    clevict1_rdx
    invlpg (%rsi)
    .endm

    .section .text.shadow, "ax"

    shadow ss_load, evict, mov_ss, movq (%rsi), %rsp
    shadow ss_store, evict, mov_ss, movq %r8, (%rsi)
    shadow ss_update, evict, mov_ss, addq $1, (%rsi)
    shadow ss_locked, evict, mov_ss, lock addq $1, (%rsi)
    shadow ss_walk, evict_translation, mov_ss, movq (%rsi), %rsp
    shadow sti_load, evict, sti_, movq (%rsi), %rsp
    shadow sti_store, evict, sti_, movq %r8, (%rsi)
    shadow sti_update, evict, sti_, addq $1, (%rsi)
    shadow sti_locked, evict, sti_, lock addq $1, (%rsi)
    shadow sti_walk, evict_translation, sti_, movq (%rsi), %rsp

    // The instruction in the shadow begins a line of code, which is the line in RSI here; the
    // instruction that opens the shadow ends the line before.
    .macro shadow_fetch name, size, open
    .globl shadow_\name, shadow_\name\()_at, shadow_\name\()_next
    .p2align 6, 0xCC
shadow_\name:
    pushq %rbx
    xorl %ebx, %ebx
    movq %rsp, %r8
1:  evict
    jmp 2f
    .org shadow_\name + 64 - \size, 0x90
2:  \open
shadow_\name\()_at:
    movq %r8, %rsp
shadow_\name\()_next:
    decq %rdi
    jnz 1b
    popq %rbx
    ret
    .endm
    shadow_fetch ss_fetch, 2, mov_ss
    shadow_fetch sti_fetch, 1, sti_

    .section .note.GNU-stack, "", @progbits

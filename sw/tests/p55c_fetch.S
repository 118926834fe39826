// Kernels of exact counts for the instruction FIFO, false entries of the branch target buffer and
// locked accesses of a Pentium with MMX.
#include "tests/p55c_kernel.inc"

    .text
    .code32

    // The data in the write buffers have gone, and the bus is at rest.
    .macro settle
    movl $100, %ecx
1:  decl %ecx
    jnz 1b
    .endm

// Sixteen single instructions of one clock, each of which waits for the one before. The same with a
// prefix.
begin kernel_singles
    open
    .rept 16
    incl %eax
    .endr
    close
begin kernel_prefixes
    open
    .rept 16
    incw %ax
    .endr
    close

// Pairs of NOPs, each pair after a prefix.
begin kernel_prefix_and_pairs
    open
    .rept 8
    incw %ax
    .endr
    .rept 4
    nop
    .endr
    close

// A loop whose branch is predicted, in a clock a turn.
begin kernel_turns
    open
    movl $20, %ecx
    .p2align 3, 0x90
1:  decl %ecx
    jnz 1b
    close

// A branch that falls through against its entry, in U: the loop is one of ten turns.
begin kernel_wrong
    open
    movl $10, %ebx
1:  decl %ebx
    cld
    jnz 1b
    close

// A call of code that no cache has.
begin kernel_cold
    open
    call cold
    close

// A word of code was a taken branch, and is two NOPs now. Before it the same without a branch.
begin kernel_no_entry
    call replaced
    call replaced
    open
    call replaced
    close
begin kernel_false_entry
    movw $0x00EB, replaced
    call replaced
    call replaced
    movw $0x9090, replaced
    xorl %eax, %eax
    cpuid
    settle
    open
    call replaced
    close
    .p2align 6
replaced:
    .word 0x9090
    ret

// A locked instruction, XCHG, and the same without a lock.
begin kernel_locked
    movl area, %eax
    settle
    open
    lock
    incl area
    xchgl %ebx, area
    .rept 128
    nop
    .endr
    close
begin kernel_unlocked
    movl area, %eax
    settle
    open
    incl area
    movl area, %esi
    movl %ebx, area
    .rept 128
    nop
    .endr
    close

// A page whose translation was dropped is read: its entries are where no cache has them, or has
// them.
begin kernel_walk
    movl area, %eax
    settle
    open
    invlpg area
    movl area, %eax
    close

    .p2align 12
cold:
    ret

    .bss
    .p2align 12
    .globl area
area:
    .skip 4096

    .section .note.GNU-stack, "", @progbits

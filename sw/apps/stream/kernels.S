// Loops over the lines of an array, four lines per round, written so that instructions pair and the
// loop itself costs little. Each is
//   void NAME(const void* from, const void* end, u64 l1, void* to, u64 l2)
// and goes from %rdi up to %rsi by 256 bytes; %rcx is a second array. Those named _near prefetch
// the line %rdx bytes ahead into the L1, those named _far also the line %r8 bytes ahead into the L2.

// VPREFETCHn displacement(base, index), which the assembler does not know. Operation 1 is
// VPREFETCH0, 2 VPREFETCH1, 5 and 6 are the same with the right to write.
#define RAX 0
#define RCX 1
#define RDX 2
#define RDI 7
    .macro prefetch operation, base, index, displacement
    .byte 0xC4, 0xE1, 0x78, 0x18, 0x84 + ((\operation) << 3), \base + (\index << 3)
    .long \displacement
    .endm

    .macro ahead kind, base, exclusive, at
    .ifnc \kind, plain
    prefetch 1+\exclusive, \base, RDX, \at
    .endif
    .ifc \kind, far
    prefetch 2+\exclusive, \base, RAX, \at
    .endif
    .endm

    // All eight words of a line; one word.
    .macro read_line kind, at
    movq \at(%rdi), %r9
    ahead \kind, RDI, 0, \at
    .irp word, 8, 16, 24, 32, 40, 48, 56
    movq \at+\word(%rdi), %r10
    .endr
    .endm
    .macro touch_line kind, at
    movq \at(%rdi), %r9
    ahead \kind, RDI, 0, \at
    .endm
    .macro write_line kind, at
    movq %rsi, \at(%rdi)
    ahead \kind, RDI, 4, \at
    .irp word, 8, 16, 24, 32, 40, 48, 56
    movq %rsi, \at+\word(%rdi)
    .endr
    .endm
    .macro copy_line kind, at
    movq \at(%rdi), %r9
    ahead \kind, RDI, 0, \at
    movq 8+\at(%rdi), %r10
    ahead \kind, RCX, 4, \at
    .irp word, 0, 16, 32, 48
    movq %r9, \at+\word(%rcx)
    movq %r10, 8+\at+\word(%rcx)
    .if \word < 48
    movq 16+\at+\word(%rdi), %r9
    movq 24+\at+\word(%rdi), %r10
    .endif
    .endr
    .endm

    .macro kernel operation, kind
    .globl \operation\()_\kind
\operation\()_\kind:
    movq %r8, %rax
1:
    .irp at, 0, 64, 128, 192
    \operation\()_line \kind, \at
    .endr
    addq $256, %rdi
    addq $256, %rcx
    cmpq %rsi, %rdi
    jb 1b
    ret
    .endm

    .section .text
    .irp kind, plain, near, far
    kernel read, \kind
    kernel touch, \kind
    kernel write, \kind
    kernel copy, \kind
    .endr

    .section .note.GNU-stack, "", @progbits

// Runs in real mode on a started thread; see real_mode.h. The program lies at offset 0 of CS, DS and
// SS, ES is at the results, FS at 0.

#include "tests/real_mode.h"

#define RESULT(register, where) \
    movl %register, %es:where

// Vector number, handler, in the table at 0.
#define VECTOR(number, handler)                        \
    movw $(handler - real_mode_program), %fs:4*number; \
    movw %cs, %fs:4*number+2

    .section .code16, "ax"
    .code16
    .globl real_mode_program, real_mode_program_end
real_mode_program:
    cli
    cld
    movw %cs, %ax
    movw %ax, %ds
    movw %ax, %ss
    movw $0x7F0, %sp
    movw $(RESULTS_PAGE >> 4), %bx
    movw %bx, %es
    xorw %bx, %bx
    movw %bx, %fs
    shll $16, %edx
    movw %ax, %dx
    RESULT(edx, RESULT_CS_IP)

    VECTOR(0, on_divide)
    VECTOR(1, on_step)
    VECTOR(2, on_nmi)
    VECTOR(4, on_overflow)
    VECTOR(5, on_bound)
    VECTOR(6, on_undefined)
    VECTOR(12, on_stack)
    VECTOR(13, on_protection)
    VECTOR(0x60, on_int)
    VECTOR(INTERRUPT_VECTOR, on_interrupt)

// ---- strings, widths, segments
    pushw %es
    movw %ds, %ax
    movw %ax, %es
    movw $PROGRAM_TEXT, %si
    movw $0x900, %di
    movw $TEXT_BYTES, %cx
    rep movsb
    popw %es
    movw $0x900, %si
    movw $TEXT_BYTES, %cx
    xorl %eax, %eax
    xorl %edx, %edx
1:  lodsb
    addw %ax, %dx
    loop 1b
    RESULT(edx, RESULT_STRING)

    movl $0x89ABCDEF, %eax
    addl $0x11111111, %eax
    rorl $4, %eax
    movswl %ax, %ebx
    xorl %ebx, %eax
    RESULT(eax, RESULT_WIDE)

    // The same byte through two segments, one paragraph apart.
    movw %cs, %ax
    decw %ax
    movw %ax, %gs
    movl $0x13572468, 0xA00
    movl %gs:0xA10, %eax
    RESULT(eax, RESULT_SEGMENT)

    movw %sp, %bx
    pushw %cs
    call 2f  // near, with CS below: a far frame
    movzwl %sp, %eax
    subw %bx, %ax
    RESULT(eax, RESULT_FAR_CALL)
    jmp 3f
2:  lretw
3:

// ---- interrupts by INT and by faults; handlers leave their findings in EDI
    sti
    xorl %edi, %edi
    movw $0x0123, %ax
    int $0x60
4:  pushfw
    popw %cx
    cli
    movzwl %ax, %eax
    RESULT(eax, RESULT_INT)
    andl $0x300, %ecx
    shll $16, %edi
    orl %ecx, %edi
    RESULT(edi, RESULT_FLAGS)

    xorl %edi, %edi
    xorw %bx, %bx
    movw $1, %ax
    movw $(6f - real_mode_program), %bp
5:  divw %bx
6:  subw $(5b - real_mode_program), %di
    RESULT(edi, RESULT_DIVIDE)

    // A word at the last offset lies half outside the segment.
    xorl %edi, %edi
    movw $0xFFFF, %bx
    movw $(8f - real_mode_program), %bp
7:  movw (%bx), %ax
8:  subw $(7b - real_mode_program), %di
    RESULT(edi, RESULT_LIMIT)
    movzbl (%bx), %eax
    RESULT(eax, RESULT_LAST_BYTE)

    // The same through BP, in the stack segment.
    xorl %edi, %edi
    movw $(10f - real_mode_program), %si
    movw $0xFFFF, %bp
9:  movw (%bp), %ax
10: subw $(9b - real_mode_program), %di
    RESULT(edi, RESULT_STACK)

    // SLDT exists in protected mode only.
    xorl %edi, %edi
    movw $(12f - real_mode_program), %bp
11: sldt %ax
12: subw $(11b - real_mode_program), %di
    RESULT(edi, RESULT_UNDEFINED)

    // BOUND out of its bounds, INTO with and without overflow.
    xorl %edi, %edi
    movw $(13f - real_mode_program), %bp
    movl $0x00050001, 0xA20
    movw $6, %ax
    boundw %ax, 0xA20
13: movw $5, %ax
    boundw %ax, 0xA20
    movb $0x7F, %al
    into
    incb %al
    into
    RESULT(edi, RESULT_BOUND)

    // Single steps: behind each of the five instructions between those that set and clear TF, the
    // latter included.
    xorl %edi, %edi
    pushfw
    popw %ax
    orw $0x100, %ax
    pushw %ax
    popfw
    nop
    nop
    andw $~0x100, %ax
    pushw %ax
    popfw
    nop
    RESULT(edi, RESULT_SINGLE_STEP)

// ---- FFFF:0010 is 1 MB
    movw $0xFFFF, %ax
    movw %ax, %gs
    movl %gs:0x10, %eax
    RESULT(eax, RESULT_HIGH)

// ---- another interrupt table than that at 0
    movw $(on_int - real_mode_program), %fs:MOVED_TABLE+4*0x61
    movw %cs, %fs:MOVED_TABLE+4*0x61+2
    lidtw MOVED_TABLE_POINTER
    movw $0x4000, %ax
    int $0x61
    movzwl %ax, %eax
    RESULT(eax, RESULT_TABLE)
    lidtw LOW_TABLE_POINTER

// ---- to protected mode and back: GS keeps a limit of 4 GB
    lgdtl DESCRIPTORS_POINTER
    movl %cr0, %eax
    orb $1, %al
    movl %eax, %cr0
    jmp 14f
14: smsww %bx
    movw $8, %dx
    movw %dx, %gs
    andb $0xFE, %al
    movl %eax, %cr0
    movzwl %bx, %ebx
    RESULT(ebx, RESULT_PROTECTED)
    movl $UNREAL_ADDRESS, %ebx
    movl %gs:(%ebx), %eax
    RESULT(eax, RESULT_UNREAL)
    // A load in real mode changes base and selector, not the limit.
    movw $0x10, %ax
    movw %ax, %gs
    movl %gs:-0x100+4(%ebx), %ecx
    RESULT(ecx, RESULT_UNREAL_MOVED)

// ---- interrupts from other threads
    movl $0xFEE000F0, %ebx
    movl $0x1FF, %gs:-0x100(%ebx)  // enables the local APIC
    xorl %edi, %edi
    movl $STAGE_WAITS, %eax
    RESULT(eax, RESULT_STAGE)
    sti
    hlt
    cli
    RESULT(edi, RESULT_INTERRUPT)
    xorl %edi, %edi
    movl $STAGE_NMI, %eax
    RESULT(eax, RESULT_STAGE)
    hlt
    RESULT(edi, RESULT_NMI)
    movl $STAGE_DONE, %eax
    RESULT(eax, RESULT_STAGE)
15: hlt
    jmp 15b

// ---- handlers. Those of faults note the saved IP in DI and go on at BP (at SI for the stack fault).
on_int:
    movw $0x0456, %di
    addw %di, %ax
    pushfw
    popw %di
    andw $0x300, %di
    iretw
on_divide:
on_protection:
on_undefined:
    popw %di
    pushw %bp
    iretw
on_stack:
    popw %di
    pushw %si
    iretw
on_bound:
    orw $0x01, %di
    addw $2, %sp
    pushw %bp
    iretw
on_overflow:
    addw $0x10, %di
    iretw
on_step:
    incw %di
    iretw
on_nmi:
    orw $0x200, %di
    iretw
on_interrupt:
    pushl %eax
    pushl %ebx
    movl $0xFEE000B0, %ebx
    xorl %eax, %eax
    addw $1, %di
    movl %eax, %gs:-0x100(%ebx)  // EOI, through the wide segment
    popl %ebx
    popl %eax
    iretw
real_mode_program_end:

    .section .note.GNU-stack, "", @progbits

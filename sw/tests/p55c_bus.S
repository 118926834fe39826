// Kernels of exact counts for the caches, write buffers and bus of a Pentium with MMX.
#include "tests/p55c_kernel.inc"

    .text
    .code32

    // The first line of `area` leaves the data cache: of eight others of its set, more are new than
    // the set has ways. The bus is at rest afterwards.
    .macro absent
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8
    movl area + \n * 4096, %eax
    .endr
    settle
    .endm
    // Longer than any transfer, and than all write buffers.
    .macro settle
    movl $100, %ecx
1:  decl %ecx
    jnz 1b
    .endm
    // 64 clocks at least.
    .macro pass
    .rept 128
    nop
    .endr
    .endm

// Nothing on the bus.
begin kernel_idle
    settle
    open
    pass
    close

// A read of an absent line: its burst. Then three of the same line.
begin kernel_fill
    absent
    open
    movl area, %eax
    movl area + 4, %eax
    movl area + 28, %eax
    movl area + 16, %eax
    pass
    close

// The same with the line present.
begin kernel_present
    absent
    movl area, %eax
    settle
    open
    movl area, %eax
    movl area + 4, %eax
    movl area + 28, %eax
    movl area + 16, %eax
    pass
    close

// Reads of lines of 32 bytes: two, of which one access touches both.
begin kernel_split
    absent
    movl area + 32, %eax
    settle
    open
    movl area + 30, %eax
    pass
    close

// A line is written and then makes room.
begin kernel_castout
    absent
    movl area, %eax
    settle
    movl %eax, area
    open
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8
    movl area + \n * 4096, %eax
    .endr
    pass
    close

// A write of an absent line, which it does not bring: a read misses again.
begin kernel_write_absent
    absent
    open
    movl %eax, area
    pass
    movl area, %eax
    pass
    close

// Two writes of a line that was read.
begin kernel_write_present
    movl area, %eax
    settle
    open
    movl %eax, area
    nop
    movl %eax, area + 4
    nop
    pass
    close

// A write over a boundary of eight bytes needs two write buffers.
begin kernel_write_split
    absent
    open
    movl %eax, area + 6
    pass
    close

// Eight writes, one a clock: of absent lines, of one that is present. The same with MMX.
begin kernel_eight_absent
    absent
    open
    .rept 8
    movl %eax, area
    nop
    .endr
    pass
    close
begin kernel_eight_present
    movl area, %eax
    settle
    open
    .rept 8
    movl %eax, area
    nop
    .endr
    pass
    close
begin kernel_eight_absent_mmx
    absent
    open
    .rept 8
    movq %mm0, area
    .endr
    emms
    pass
    close
begin kernel_eight_present_mmx
    movl area, %eax
    settle
    open
    .rept 8
    movq %mm0, area
    .endr
    emms
    pass
    close

// A write of a present line waits for the one before it, of an absent line.
begin kernel_order
    movl area + 64, %eax
    absent
    open
    movl %eax, area
    nop
    movl %eax, area + 64
    nop
    pass
    close
begin kernel_no_order
    movl area + 64, %eax
    absent
    movl area, %eax
    settle
    open
    movl %eax, area
    nop
    movl %eax, area + 64
    nop
    pass
    close
begin kernel_order_mmx
    movl area + 64, %eax
    absent
    open
    movl %eax, area
    nop
    movq %mm0, area + 64
    nop
    emms
    pass
    close

// A read of an absent line comes after the writes that wait.
begin kernel_read_after_writes
    movl area + 32, %eax
    absent
    open
    movl %eax, area + 64 * 64
    nop
    movl %eax, area + 64 * 64
    nop
    movl area, %eax
    pass
    close

// Eight registers to a stack that is absent: more writes than there are buffers.
begin kernel_pusha
    absent
    movl 16(%esp), %eax
    movl %esp, %ebx
    movl $area + 32, %esp
    xorl %edx, %edx
    movl $MSR_CESR, %ecx
    wrmsr
    pushal
    pass
    movl %ebx, %esp
    close

// Of memory that may not be cached: a read, a write, both at once, and the read of a word over a
// boundary of eight bytes.
begin kernel_uncached_read
    settle
    open
    movl area + 0x400000, %eax
    pass
    close
begin kernel_uncached_write
    settle
    open
    movl %eax, area + 0x400000
    pass
    close
begin kernel_uncached_update
    settle
    open
    incl area + 0x400000
    pass
    close
begin kernel_uncached_split
    settle
    open
    movl area + 0x400006, %eax
    pass
    close

// A port.
begin kernel_port
    settle
    open
    movl $0x3FD, %edx
    inb %dx, %al
    pass
    close

// Caches with `lines` modified lines are emptied.
begin kernel_empty
    wbinvd
    movl area, %eax
    movl area + 32, %eax
    movl %eax, area
    movl %eax, area + 32
    movl area + 64, %eax
    settle
    open
    wbinvd
    close

// A line of code is written where it lies, modified, in the data cache: its fetch has it written
// back first.
begin kernel_new_code
    movl patch, %eax
    movl %eax, patch
    settle
    open
    call patch
    pass
    close
    .p2align 6
patch:
    ret
    .p2align 6

// A program of everything, for the relations between events: eight lines of each of several sets,
// more than a set has ways, and branches without a pattern.
    .p2align 6
    .globl mixture
mixture:
    pushal
    movl $64, %ebp
    movl $area, %esi
    movl $1, %edi
1:  movl %ebp, %eax
    andl $7, %eax
    shll $12, %eax
    movl (%esi,%eax), %ebx
    movl %ebx, 36(%esi,%eax)
    movq most, %mm0
    movq %mm0, %mm4
    paddsb %mm4, %mm4
    paddsb 2045(%esi,%eax), %mm0
    paddb %mm1, %mm2
    movq %mm0, 62(%esi,%eax)
    .irp n, 0, 1, 2, 3, 4, 5
    movq %mm0, 128 + 32 * \n(%esi,%eax)
    .endr
    movq %mm1, 2048(%esi,%eax)
    packuswb %mm2, %mm3
    emms
    movw 67(%esi), %bx
    testl $3, %ebp
    jz 2f
    call 5f
2:  imull $1103515245, %edi
    addl $12345, %edi
    nop
    testl $0x10000, %edi
    jz 3f
    nop
3:  imull $1103515245, %edi
    addl $12345, %edi
    movl %edi, %eax
    andl $0x10000, %eax
    jz 4f
    nop
4:  decl %ebp
    jnz 1b
    popal
    ret
5:  call 6f
    ret
6:  fld1
    fstp %st(0)
    ret

    .data
    .p2align 3
most:
    .quad 0x7F7F7F7F7F7F7F7F

    .bss
    .p2align 12
    .globl area
area:
    .skip 9 * 4096

    .section .note.GNU-stack, "", @progbits

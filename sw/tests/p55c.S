// Kernels of exact counts for the test of a Pentium with MMX.
#include "tests/p55c_kernel.inc"

    .text
    .code32

    // The x87 unit is at rest, its registers are empty, and nothing waits for it.
    .macro rest
    emms
    movl $100, %ecx
1:  decl %ecx
    jnz 1b
    fninit
    .endm

// Eight instructions that do nothing: four pairs.
begin kernel_quiet
    open
    .rept 8
    nop
    .endr
    close

// Four reads of one word, in two pairs.
begin kernel_reads
    open
    movl area, %eax
    movl area, %edx
    movl area, %eax
    movl area, %edx
    close

// A pair of reads of two words of one bank.
begin kernel_bank
    open
    movl area, %eax
    movl area + 64, %edx
    close

// Three writes.
begin kernel_writes
    open
    movl %eax, area
    nop
    movl %eax, area
    nop
    movl %eax, area
    nop
    close

// Three of five accesses cross a boundary of 4 bytes.
begin kernel_misaligned
    open
    movl area + 2, %eax
    movl area + 1, %eax
    movw area + 3, %ax
    movw area + 1, %ax
    movb area + 3, %al
    close

// Two reads and a write of lines that are in no cache, and one read more of a line that is there.
begin kernel_misses
    wbinvd
    open
    movl area, %eax
    movl area + 64, %eax
    movl area + 4, %eax
    movl %eax, area + 128
    close

// A load that misses, and one that hits.
begin kernel_miss
    wbinvd
    open
    movl area, %eax
    close
begin kernel_hit
    movl area, %eax
    open
    movl area, %eax
    close

// Two reads and a write of memory that may not be cached (check_translations), and a port.
begin kernel_uncached
    open
    movl $0x3FF, %edx
    movl area + 0x400000, %eax
    movl area + 0x400004, %eax
    movl %eax, area + 0x400008
    outb %al, %dx
    close

// One line is modified when the caches are emptied.
begin kernel_written_back
    wbinvd
    open
    movl area, %eax
    movl %eax, area
    wbinvd
    close

// Two loads of a segment register.
begin kernel_segments
    movl %es, %ebx
    open
    movl %ebx, %es
    movl %ebx, %es
    close

// Ten branches at the end of a loop, in V; nine are taken.
begin kernel_loop
    open
    movl $10, %ecx
    .p2align 2, 0x90
1:  decl %ecx
    jnz 1b
    close

// The same in U.
begin kernel_loop_u
    open
    movl $10, %ebx
1:  decl %ebx
    cld
    jnz 1b
    close

// Five calls, each inside the one before.
begin kernel_calls
    open
    call 1f
    close
1:  call 2f
    ret
2:  call 3f
    ret
3:  call 4f
    ret
4:  call 5f
    ret
5:  ret

mmx_kernel

// x87, MMX, x87.
begin kernel_transitions
    rest
    emms
    paddb %mm0, %mm0
    emms
    open
    fld1
    fstp %st(0)
    paddb %mm0, %mm1
    emms
    fld1
    fstp %st(0)
    close

// Four instructions that may saturate; two do, one of them in many lanes.
begin kernel_saturation
    movq ones, %mm0
    movq halves, %mm1
    movq halves, %mm2
    movq ones, %mm3
    open
    paddsb %mm0, %mm2
    paddusb %mm1, %mm1
    psubusw %mm0, %mm0
    packuswb %mm3, %mm3
    emms
    close

// Two MMX reads, a write; one read is misaligned.
begin kernel_mmx_memory
    open
    movq area, %mm0
    movq %mm0, area
    paddb area + 4, %mm1
    emms
    close

// An MMX read and a write that miss.
begin kernel_mmx_misses
    wbinvd
    open
    movq area, %mm0
    movq %mm0, area + 128
    emms
    close

// The user of a product comes in the next clock.
begin kernel_product
    open
    pmullw %mm0, %mm1
    paddw %mm1, %mm2
    emms
    close

// It comes a clock later.
begin kernel_product_later
    open
    pmullw %mm0, %mm1
    nop
    nop
    nop
    paddw %mm1, %mm2
    emms
    close

// A store of what the instruction before makes.
begin kernel_mmx_store
    open
    paddb %mm0, %mm1
    movq %mm1, area
    emms
    close

// The second addition needs the first one's sum: it waits two clocks.
begin kernel_freeze
    rest
    fld1
    fld1
    cpuid
    open
    fadd %st, %st(1)
    fadd %st(1), %st
    close

// Four operations, and two that end with an exception.
begin kernel_flops
    rest
    fldz
    fld1
    fld1
    fchs
    movl $3, %ebx
    open
    fadd %st(1), %st      // 0
    fld1
    fmul %st, %st(1)      // 0
    fdiv %st(2), %st      // 1 / 1
    imull %ebx, %ebx
    fdiv %st(3), %st      // 1 / 0
    fchs
    fsqrt                 // of minus infinity
    close

// Two reads of a port.
begin kernel_ports
    open
    movl $0x3FD, %edx
    inb %dx, %al
    inb %dx, %al
    close

// A load through a register that the instruction before writes; then two at once.
begin kernel_agi
    open
    movl $area, %esi
    movl (%esi), %eax
    close
begin kernel_agi_both
    open
    movl $area, %esi
    nop
    movl (%esi), %eax
    movl 4(%esi), %edx
    close
begin kernel_agi_pair
    open
    cld
    movl $area, %esi
    movl (%esi), %eax
    movl 4(%esi), %edx
    close

// A read of a page whose translation was dropped.
begin kernel_tlb
    open
    invlpg area
    movl area, %eax
    close

// INT n and its IRET.
begin kernel_interrupt
    open
    int $0x70
    close
    .globl nothing_entry
nothing_entry:
    iret

// The processor halts twice; the timer ends that.
begin kernel_halts
    open
    sti
    hlt
    sti
    hlt
    cli
    close
    .globl timer_entry
timer_entry:
    pushl %eax
    incl ticks
    movl $0, 0xFEE000B0
    movl wait, %eax
    movl %eax, 0xFEE00380
    popl %eax
    iret

// At ring 3: eight instructions and a return, which with the call and INT n make eleven.
    .p2align 6
    .globl user_work
user_work:
    .rept 8
    nop
    .endr
    ret
    .globl user_rdpmc, user_rdtsc
user_rdpmc:
    xorl %ecx, %ecx
    rdpmc
    ret
user_rdtsc:
    rdtsc
    ret

    .data
    .p2align 6
    .globl area
area:
    .skip 4096
ones:
    .quad 0x0101010101010101
halves:
    .quad 0x7F7F7F7F7F7F7F7F
    .globl ticks, wait
ticks:
    .long 0
wait:
    .long 0

    .section .note.GNU-stack, "", @progbits

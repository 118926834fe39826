// The image's entry: Multiboot 1 header, 32-bit entry of the boot thread, 32-bit entry of a started
// thread, and the switch of both to 64-bit mode.
//
// In: 32-bit protected mode, paging off, EAX = 0x2BADB002, EBX -> Multiboot information.
// Out: start(magic, info) or thread_start(thread) in 64-bit mode, first 4 GB mapped one to one with
// 2 MB pages for ring 0, from 0xFEC00000 up uncached (APIC and test device pages).

#include "boot/layout.h"

#define MULTIBOOT_MAGIC 0x1BADB002
#define MULTIBOOT_FLAGS 0x00000003  // modules on page boundaries, memory map wanted

#define PTE_TABLE 0x003      // present, writable
#define PTE_LARGE 0x083      // present, writable, 2 MB
#define PTE_UNCACHED 0x018   // write-through, cache disabled
#define UNCACHED_FROM (0xFEC00000 >> 21)

    .section .multiboot, "a"
    .balign 4
    .long MULTIBOOT_MAGIC, MULTIBOOT_FLAGS, -(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)

    .section .code32, "ax"
    .code32
    .globl entry
entry:
    cli
    cld
    movl %eax, %edi
    movl %ebx, %esi
    movl $(boot_thread + THREAD_STACK_TOP), %esp

    movl $(boot_pdpt + PTE_TABLE), boot_pml4
    xorl %ecx, %ecx
    movl $(boot_pd + PTE_TABLE), %eax
fill_pdpt:
    movl %eax, boot_pdpt(, %ecx, 8)
    addl $4096, %eax
    incl %ecx
    cmpl $4, %ecx
    jne fill_pdpt

    xorl %ecx, %ecx
    movl $PTE_LARGE, %eax
fill_pd:
    movl %eax, boot_pd(, %ecx, 8)
    addl $0x200000, %eax
    incl %ecx
    cmpl $UNCACHED_FROM, %ecx
    jne cached
    orl $PTE_UNCACHED, %eax
cached:
    cmpl $2048, %ecx
    jne fill_pd

    movl $start64, %ebp
    jmp enter_long_mode

// Entry of a thread from the real mode trampoline: protected mode, flat segments of the trampoline's
// table, no stack yet.
    .globl entry_started
entry_started:
    movl secondary_thread, %edi
    movl $thread_start64, %ebp

// EBP: address at which to continue in 64-bit mode (below 4 GB). EDI and ESI do not change.
enter_long_mode:
    lgdt boot_gdt_pointer
    movl $0x20, %eax  // CR4.PAE
    movl %eax, %cr4
    movl $boot_pml4, %eax
    movl %eax, %cr3
    movl $0xC0000080, %ecx  // EFER: SCE, LME, NXE
    xorl %edx, %edx
    movl $0x901, %eax
    wrmsr
    movl $0x80010023, %eax  // CR0: PG, WP, NE, MP, PE
    movl %eax, %cr0
    ljmp $BOOT_CODE64, $reload

    .section .text
    .code64
reload:
    movl $BOOT_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movl %ebp, %ebp
    jmpq *%rbp

start64:
    movl $(boot_thread + THREAD_STACK_TOP), %esp
    movl %edi, %edi
    movl %esi, %esi
    xorl %ebp, %ebp
    call start
    ud2

thread_start64:
    movl %edi, %edi
    leaq THREAD_STACK_TOP(%rdi), %rsp
    xorl %ebp, %ebp
    call thread_start
    ud2

    .section .data
    .balign 8
    .globl boot_gdt_pointer
boot_gdt:
    .quad 0
    .quad 0x00CF9A000000FFFF  // BOOT_CODE32
    .quad 0x00CF92000000FFFF  // BOOT_DATA
    .quad 0x00AF9A000000FFFF  // BOOT_CODE64
boot_gdt_end:
boot_gdt_pointer:
    .word boot_gdt_end - boot_gdt - 1
    .quad boot_gdt

    .section .bss
    .balign 4096
    .globl boot_pml4, boot_pdpt, boot_pd
boot_pml4:
    .skip 4096
boot_pdpt:
    .skip 4096
boot_pd:
    .skip 4 * 4096

    .section .note.GNU-stack, "", @progbits

// Entry and exception stubs of the 32-bit images.

#define MULTIBOOT_MAGIC 0x1BADB002

    .section .multiboot, "a"
    .balign 4
    .long MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC

    .text
    .code32
    .globl entry
entry:
    cli
    cld
    movl $stack_top, %esp
    call main
    ud2

// Exceptions: stores vector, error code and code segment; then run_guarded or run_user returns 1.
    .macro stub vector, has_error
    .globl stub_\vector
stub_\vector:
    .if \has_error
    .else
    pushl $0
    .endif
    movl $\vector, %ss:fault_vector  // DS may be anything
    jmp common
    .endm
    stub 0, 0
    stub 3, 0
    stub 4, 0
    stub 5, 0
    stub 6, 0
    stub 8, 1
    stub 10, 1
    stub 11, 1
    stub 12, 1
    stub 13, 1
    stub 14, 1
common:
    cld
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    popl fault_error
    movl 4(%esp), %edx
    movl %edx, fault_cs
    movl %eax, %ss
    movl guard_esp, %esp
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    movl $1, %eax
    ret

// int run_guarded(void (*fn)(void)): 0 when fn returned, 1 when an exception ended it.
    .globl run_guarded
run_guarded:
    movl 4(%esp), %eax
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl %esp, guard_esp
    call *%eax
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    xorl %eax, %eax
    ret

// u32 run_user(u32 (*fn)(void)): runs fn at ring 3; its result comes back by INT 0x80.
    .globl run_user, stub_128
run_user:
    movl 4(%esp), %eax
    pushl %ebx
    pushl %esi
    pushl %edi
    pushl %ebp
    movl %esp, guard_esp
    movl %esp, task + 4
    movl $0x23, %edx
    movl %edx, %ds
    movl %edx, %es
    pushl $0x23
    pushl $user_stack_top
    pushfl
    pushl $0x1B
    pushl $user_first
    iret
user_first:
    call *%eax
    int $0x80
stub_128:
    movl 4(%esp), %edx
    movl %edx, fault_cs
    movl guard_esp, %esp
    movl $0x10, %edx
    movl %edx, %ds
    movl %edx, %es
    popl %ebp
    popl %edi
    popl %esi
    popl %ebx
    ret

// void load_tables(const void *gdt, const void *idt): six-byte pointers; task register 0x30.
    .globl load_tables
load_tables:
    movl 4(%esp), %eax
    lgdt (%eax)
    movl 8(%esp), %eax
    lidt (%eax)
    ljmp $0x08, $1f
1:  movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl $0x30, %eax
    ltr %ax
    ret

    .bss
    .balign 16
    .skip 0x4000
stack_top:
    .skip 0x2000
user_stack_top:
    .globl task, fault_vector, fault_error, fault_cs
task:
    .skip 26 * 4
fault_vector:
    .skip 4
fault_error:
    .skip 4
fault_cs:
    .skip 4
guard_esp:
    .skip 4

    .section .note.GNU-stack, "", @progbits

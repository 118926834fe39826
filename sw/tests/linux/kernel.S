# A Linux kernel as far as a loader can tell, and no further: at its entry it looks at what the boot
# protocol promises, prints the command line and the initrd, and ends the run. The exit code is the
# number of the first promise that is not kept, or 0.
#
# KERNEL_BITS 32: a bzImage, entered in protected mode. 64: a vmlinux, entered in long mode.

#define UART 0xfef00000
#define EXIT 0xfef00100

# boot_params
#define E820_ENTRIES 0x1e8
#define HEADER 0x202
#define INITRD 0x218
#define INITRD_SIZE 0x21c
#define COMMAND_LINE 0x228
#define HDRS 0x53726448  /* "HdrS" */

        .text
#if KERNEL_BITS == 32
        .code32
        .org 0x1f1
        .byte 1                 # setup_sects
        .org 0x1fe
        .word 0xaa55
        jmp 1f                  # over the header
        .ascii "HdrS"
        .word 0x020f            # protocol 2.15
        .org 0x211
        .byte 1                 # loaded high
        .org 0x22c
        .long 0x7fffffff        # initrd_addr_max
        .org 0x238
        .long 2047              # cmdline_size
        .org 0x258
        .quad 0x100000          # pref_address
        .long 0x100000          # init_size
        .org 0x268
1:      .org 0x400
#endif
        .globl entry
entry:
        # Selectors, and descriptors where they say.
        movl    $1, %ebp
        movw    %cs, %ax
        cmpw    $0x10, %ax
        jne     end
        movl    $2, %ebp
        movw    %ds, %ax
        cmpw    $0x18, %ax
        jne     end
        movw    %ax, %es
        movw    %ax, %ss
        # boot_params, interrupts, memory map.
        movl    $3, %ebp
        cmpl    $HDRS, HEADER(%esi)
        jne     end
#if KERNEL_BITS == 32
        ljmp    $0x10, $2f
2:      movl    $stack, %esp
        movl    $4, %ebp
        pushfl
        popl    %eax
#else
        leaq    stack(%rip), %rsp
        movl    $4, %ebp
        pushfq
        popq    %rax
#endif
        testl   $0x200, %eax
        jnz     end
        movl    $5, %ebp
        cmpb    $3, E820_ENTRIES(%esi)
        jb      end
        # What the loader was given.
        movl    COMMAND_LINE(%esi), %edi
3:      movb    (%edi), %al
        testb   %al, %al
        jz      4f
        call    put
        incl    %edi
        jmp     3b
4:      movb    $'\n', %al
        call    put
        movl    INITRD(%esi), %edi
        movl    INITRD_SIZE(%esi), %ecx
5:      jecxz   6f
        movb    (%edi), %al
        call    put
        incl    %edi
        decl    %ecx
        jmp     5b
6:      xorl    %ebp, %ebp
end:    movl    $EXIT, %edx
        movl    %ebp, (%edx)
7:      hlt
        jmp     7b

put:    movl    $UART, %edx
        movb    %al, (%edx)
        ret

        .balign 16
        .skip   256
stack:

// Numbers that assembly and C share.
#ifndef KNC_SW_BOOT_LAYOUT_H
#define KNC_SW_BOOT_LAYOUT_H

// Selectors of the boot descriptor table, in use until a thread loads its own.
#define BOOT_CODE32 0x08
#define BOOT_DATA 0x10
#define BOOT_CODE64 0x18

// Selectors of every thread's own descriptor table; the order is what SYSCALL and SYSRET require.
#define KERNEL_CODE 0x08
#define KERNEL_DATA 0x10
#define USER_CODE32 0x18
#define USER_DATA_SEGMENT 0x20
#define USER_CODE 0x28
#define TSS_SELECTOR 0x30
#define GDT_ENTRIES 8

// A thread's block: its record at the bottom, above it the stacks. A block is aligned to its size,
// so that code at ring 0 finds its thread by rounding RSP down.
#define THREAD_BLOCK 0x10000
#define THREAD_NMI_TOP 0x4000
#define THREAD_FAULT_TOP 0x6000
#define THREAD_STACK_TOP 0x10000

// Offsets into struct thread.
#define THREAD_KERNEL_RSP 0
#define THREAD_USER_RSP 8
#define THREAD_RSP0 20

// The physical page of the real mode trampoline; its number is the SIPI vector.
#define TRAMPOLINE_PAGE 0x8000
#define TRAMPOLINE_GDT 0x100  // offset in that page

#define SYSCALL_VECTOR 0x80
// Value of trap_frame.vector for an entry by SYSCALL, not through a gate.
#define SYSCALL_INSTRUCTION 0x100
#define SYSCALL_RETURN 0

#endif

// Hardware threads: the record of each one, and the start of further ones.
//
// A thread's record lies at the bottom of its block (boot/layout.h); all its ring 0 stacks lie
// above it.
#ifndef KNC_SW_LIB_THREAD_H
#define KNC_SW_LIB_THREAD_H

#include "boot/layout.h"
#include "lib/types.h"

struct task_state {
    u32 reserved0;
    u64 rsp[3];
    u64 reserved1;
    u64 ist[7];
    u64 reserved2;
    u16 reserved3;
    u16 io_map;
} __attribute__((packed));

#define USER_STACK 0x8000
#define MOST_THREADS 248

struct guard;
struct event_sampler;
struct pmu_session;
struct time_sampler;

struct thread {
    u64 kernel_rsp;  // stack of entries from ring 3; also where user_call() continues
    u64 user_rsp;    // SYSCALL's scratch
    struct task_state tss __attribute__((aligned(16)));
    u32 apic_id;
    u32 index;  // 0: the boot thread; others in the order of their start
    volatile u32 online;
    void (*main)(struct thread*);
    struct guard* guard;
    u64 user_stack_top;
    struct event_sampler* event_sampler;  // the one at work on this thread
    struct time_sampler* time_sampler;
    struct pmu_session* pmu_session;  // the one that counts on this thread
    u64 gdt[GDT_ENTRIES];
};

// The calling thread; ring 0 only.
static inline struct thread* this_thread(void) {
    u64 rsp;
    __asm__("movq %%rsp, %0" : "=r"(rsp));
    return (struct thread*)(rsp & ~(u64)(THREAD_BLOCK - 1));
}

// Loads descriptor tables and system call registers of the calling thread. The boot code calls it.
void thread_init(struct thread* thread);

// Starts the thread with APIC ID `apic_id` in main(thread) by INIT and SIPI, and waits until it
// runs. NULL when no such thread answers or memory is short. When main returns, the thread halts
// for good.
struct thread* thread_boot(u32 apic_id, void (*main)(struct thread*));

// The same for every thread with an APIC ID from `first` to `last` except the caller; returns the
// number of threads that run.
u32 thread_boot_range(u32 first, u32 last, void (*main)(struct thread*));

// The threads that run, by index: 0 .. thread_count() - 1.
u32 thread_count(void);
struct thread* thread_at(u32 index);

#endif

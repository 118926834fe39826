#include "lib/thread.h"

#include "drivers/apic/apic.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/string.h"
#include "lib/trap.h"
#include "lib/vm.h"

struct table_pointer {
    u16 limit;
    u64 base;
} __attribute__((packed));

#define SEGMENT_CODE64 0x00AF9A000000FFFFul
#define SEGMENT_CODE32 0x00CF9A000000FFFFul
#define SEGMENT_DATA 0x00CF92000000FFFFul
#define SEGMENT_USER (3ul << 45)
#define SEGMENT_TSS 0x0000890000000000ul

extern char trampoline[], trampoline_end[];
extern char boot_gdt_pointer[];
extern char syscall_entry[];
// Read by the started thread's entry code (boot/entry.S) while it has no stack.
struct thread* secondary_thread;
extern u8 boot_thread[];
static struct thread* others[MOST_THREADS - 1];
static volatile u32 threads = 1;

u32 thread_count(void) {
    return threads;
}
struct thread* thread_at(u32 index) {
    return index == 0 ? (struct thread*)boot_thread : others[index - 1];
}

static void load_segments(struct thread* t) {
    const u64 tss = (u64)&t->tss;
    t->gdt[KERNEL_CODE / 8] = SEGMENT_CODE64;
    t->gdt[KERNEL_DATA / 8] = SEGMENT_DATA;
    t->gdt[USER_CODE32 / 8] = SEGMENT_CODE32 | SEGMENT_USER;
    t->gdt[USER_DATA_SEGMENT / 8] = SEGMENT_DATA | SEGMENT_USER;
    t->gdt[USER_CODE / 8] = SEGMENT_CODE64 | SEGMENT_USER;
    t->gdt[TSS_SELECTOR / 8] =
        SEGMENT_TSS | (sizeof t->tss - 1) | (tss & 0xFFFFFF) << 16 | (tss >> 24 & 0xFF) << 56;
    t->gdt[TSS_SELECTOR / 8 + 1] = tss >> 32;
    const struct table_pointer pointer = {sizeof t->gdt - 1, (u64)t->gdt};
    __asm__ volatile(
        "lgdt %0\n\t"
        "pushq %1\n\t"
        "pushq $1f\n\t"
        "lretq\n"
        "1:\n\t"
        "movl %2, %%ds\n\t"
        "movl %2, %%es\n\t"
        "movl %2, %%ss\n\t"
        "ltr %w3"
        :
        : "m"(pointer), "i"(KERNEL_CODE), "r"(KERNEL_DATA), "r"(TSS_SELECTOR)
        : "memory");
}

void thread_init(struct thread* t) {
    const u64 block = (u64)t;
    t->kernel_rsp = block + THREAD_STACK_TOP;
    t->tss.rsp[0] = t->kernel_rsp;
    t->tss.ist[TRAP_IST_NMI - 1] = block + THREAD_NMI_TOP;
    t->tss.ist[TRAP_IST_FAULT - 1] = block + THREAD_FAULT_TOP;
    t->tss.io_map = sizeof t->tss;
    load_segments(t);
    trap_load_table();
    wrmsr(MSR_STAR, (u64)USER_CODE32 << 48 | (u64)KERNEL_CODE << 32);
    wrmsr(MSR_LSTAR, (u64)syscall_entry);
    wrmsr(MSR_SFMASK, RFLAGS_IF | RFLAGS_TF | RFLAGS_DF | RFLAGS_AC);
    wrmsr(MSR_KERNEL_GS_BASE, (u64)t);
    apic_enable();
    t->apic_id = apic_id();
}

// First C code of a started thread.
__attribute__((noreturn)) void thread_start(struct thread* t) {
    thread_init(t);
    memory_barrier();
    t->online = 1;
    t->main(t);
    for (;;) halt();
}

static struct thread* new_thread(void (*main)(struct thread*)) {
    struct thread* t = heap_allocate(THREAD_BLOCK, THREAD_BLOCK);
    char* stack = heap_allocate(USER_STACK, VM_PAGE);
    if (t == NULL || stack == NULL) return NULL;
    if (!vm_protect(stack, USER_STACK, VM_WRITE | VM_USER)) return NULL;
    memset(t, 0, sizeof *t);
    t->index = threads;
    t->main = main;
    t->user_stack_top = (u64)stack + USER_STACK;
    return t;
}

// About `clocks` core clocks.
static void wait_clocks(u64 clocks) {
    const u64 begin = rdtsc();
    while (rdtsc() - begin < clocks) platform_delay(500);
}

static bool came_online(const struct thread* t, u64 clocks) {
    const u64 begin = rdtsc();
    while (t->online == 0) {
        if (rdtsc() - begin >= clocks) return false;
        platform_delay(500);
    }
    return true;
}

struct thread* thread_boot(u32 apic_id, void (*main)(struct thread*)) {
    struct thread* t = threads < MOST_THREADS ? new_thread(main) : NULL;
    if (t == NULL) return NULL;
    memcpy((void*)TRAMPOLINE_PAGE, trampoline, (size_t)(trampoline_end - trampoline));
    memcpy((void*)(TRAMPOLINE_PAGE + TRAMPOLINE_GDT), boot_gdt_pointer, 6);
    secondary_thread = t;
    memory_barrier();

    apic_send_init(apic_id);
    wait_clocks(10000);
    // The second SIPI is for a thread that lost the first; one that runs ignores it.
    for (int attempt = 0; attempt < 2; ++attempt) {
        apic_send_startup(apic_id, TRAMPOLINE_PAGE >> 12);
        if (came_online(t, 2000000)) {
            others[threads - 1] = t;
            ++threads;
            return t;
        }
    }
    return NULL;
}

u32 thread_boot_range(u32 first, u32 last, void (*main)(struct thread*)) {
    u32 started = 0;
    for (u32 id = first; id <= last; ++id)
        if (id != this_thread()->apic_id) started += thread_boot(id, main) != NULL;
    return started;
}

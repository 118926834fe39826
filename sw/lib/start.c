// First C code of the boot thread.
#include "lib/boot_info.h"
#include "lib/heap.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "lib/vm.h"

// The boot thread's block (boot/entry.S sets RSP to its top).
u8 boot_thread[THREAD_BLOCK] __attribute__((aligned(THREAD_BLOCK)));

int main(void);

// The handler of an interrupt that was withdrawn at the last moment; the APIC needs no EOI for it.
static void spurious(struct trap_frame* frame) {
    (void)frame;
}

__attribute__((noreturn)) void start(u32 magic, u64 info) {
    trap_init();
    thread_init(this_thread());
    trap_set_handler(0xFF, spurious);
    if (!boot_info_init(magic, info)) panic(NULL, "not started by a Multiboot loader");
    heap_init();
    vm_init();
    user_init();
    exit(main());
}

// Never ends, on purpose; the platform's limit or its deadlock detection must end the run. Command
// line:
//   loop    executes for ever (the default)
//   halt    halts with interrupts off: nothing can wake it
//   wait    waits for a lock that nobody releases
//   jump    jumps to an address where nothing is mapped; exceptions go there too
#include "lib/boot_info.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/trap.h"

static void jump_again(struct trap_frame* f) {
    f->rip = 0x7000000000;
}

int main(void) {
    printf("running away\n");
    if (option("halt")) {
        irq_disable();
        for (;;) halt();
    }
    if (option("wait")) {
        static struct spinlock lock = {1};
        spin_lock(&lock);
    }
    if (option("jump")) {
        trap_set_handler(TRAP_PF, jump_again);
        ((void (*)(void))0x7000000000)();
    }
    for (;;) {
    }
}

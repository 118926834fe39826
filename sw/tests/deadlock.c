// Threads that nothing will wake, on purpose: the platform has to say why. Command line:
//   disabled   an interrupt is pending, and interrupts are disabled
//   priority   an interrupt is pending below the task priority
//   service    an interrupt is pending, and one of the same class is in service without an EOI
//   nmi        an NMI is pending inside the handler of an NMI
//   masked     a performance interrupt would come, but its LVT entry is masked
//   other      thread 0.1 has got an interrupt with interrupts disabled, and the boot thread waits
//              for its answer
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/cpu.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define HIGH 0x71
#define LOW 0x70

__attribute__((noreturn)) static void sleep_for_ever(void) {
    for (;;) __asm__ volatile("sti\n\thlt");
}
__attribute__((noreturn)) static void halt_for_ever(void) {
    for (;;) __asm__ volatile("cli\n\thlt");
}

static void no_eoi(struct trap_frame* f) {
    (void)f;
}
static void nmi_again(struct trap_frame* f) {
    (void)f;
    apic_send_nmi(apic_id());
    halt_for_ever();
}
static void other_main(struct thread* t) {
    (void)t;
    halt_for_ever();
}

int main(void) {
    trap_set_handler(HIGH, no_eoi);
    trap_set_handler(TRAP_NMI, nmi_again);
    if (option("disabled")) {
        irq_disable();
        apic_send_fixed(apic_id(), LOW);
        halt_for_ever();
    }
    if (option("priority")) {
        apic_write(APIC_TPR, 0x80);
        apic_send_fixed(apic_id(), LOW);
    }
    if (option("service")) {
        irq_enable();
        apic_send_fixed(apic_id(), HIGH);
        apic_send_fixed(apic_id(), LOW);
    }
    if (option("nmi")) apic_send_nmi(apic_id());
    if (option("masked")) apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED | LOW);
    if (option("other")) {
        thread_boot(1, other_main);
        apic_send_fixed(1, LOW);
    }
    sleep_for_ever();
}

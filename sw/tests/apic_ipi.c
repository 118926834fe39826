// Interprocessor interrupts, as fixed vector and NMI: to the thread itself by ID, shorthand and
// logical ID; with "other=ID" on the command line also to and from the thread with that APIC ID.
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define VECTOR 0x70
#define REPLY 0x71

static volatile u64 received[2];  // by thread index
static volatile u64 nmis[2];
static volatile u64 replies;
static u32 boot_id;

static void on_vector(struct trap_frame* f) {
    (void)f;
    const struct thread* t = this_thread();
    atomic_fetch_add(&received[t->index], 1);
    apic_eoi();
    if (t->index != 0) apic_send_fixed(boot_id, REPLY);
}
static void on_reply(struct trap_frame* f) {
    (void)f;
    ++replies;
    apic_eoi();
}
static void on_nmi(struct trap_frame* f) {
    (void)f;
    atomic_fetch_add(&nmis[this_thread()->index], 1);
}

// Waits long enough for a message that must not come.
static void settle(void) {
    for (u32 i = 0; i < 20; ++i) platform_delay(500);
}

static bool reached(const volatile u64* counter, u64 value) {
    for (u32 i = 0; i < 100000 && *counter < value; ++i) platform_delay(100);
    return *counter == value;
}

static void check_self(void) {
    const u32 fixed = APIC_MODE_FIXED | APIC_ICR_ASSERT | VECTOR;
    apic_send_fixed(apic_id(), VECTOR);
    CHECK(reached(&received[0], 1));
    apic_send(0, fixed | APIC_ICR_SELF);
    CHECK(reached(&received[0], 2));
    apic_send(0, fixed | APIC_ICR_ALL);
    CHECK(reached(&received[0], 3));
    // The interrupt to the others must not come here.
    apic_send(0, fixed | APIC_ICR_OTHERS);
    settle();
    CHECK_EQ(received[0], 3);

    apic_write(APIC_DFR, 0xFFFFFFFF);
    apic_write(APIC_LDR, 0x00020000);
    apic_send(0x0002, fixed | APIC_ICR_LOGICAL);
    CHECK(reached(&received[0], 4));
    apic_send(0x0001, fixed | APIC_ICR_LOGICAL);
    settle();
    CHECK_EQ(received[0], 4);

    irq_disable();
    apic_send_nmi(apic_id());
    CHECK(reached(&nmis[0], 1));
    irq_enable();
}

static volatile u32 stop;

static void other_main(struct thread* t) {
    (void)t;
    irq_enable();
    while (stop == 0) platform_delay(100);
    irq_disable();
}

static void check_other(u32 id) {
    const struct thread* other = thread_boot(id, other_main);
    if (!CHECK(other != NULL)) return;
    CHECK_EQ(other->apic_id, id);
    for (u64 i = 1; i <= 10; ++i) {
        apic_send_fixed(id, VECTOR);
        CHECK(reached(&received[1], i));
        CHECK(reached(&replies, i));
    }
    apic_send_nmi(id);
    CHECK(reached(&nmis[1], 1));
    stop = 1;
}

int main(void) {
    trap_set_handler(VECTOR, on_vector);
    trap_set_handler(REPLY, on_reply);
    trap_set_handler(TRAP_NMI, on_nmi);
    boot_id = apic_id();
    irq_enable();
    check_self();
    const u64 other = option_number("other", ~0ul);
    if (other != ~0ul) check_other((u32)other);
    return check_summary();
}

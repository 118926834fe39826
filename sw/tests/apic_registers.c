// Registers of the local APIC: reset values, what a write keeps, priorities, error status.
#include "drivers/apic/apic.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/thread.h"
#include "lib/trap.h"

struct register_rule {
    enum apic_register r;
    u32 reset;
    u32 writable;
};
// Runs before anything except apic_enable() has changed the registers. The LVT entries get vectors
// from 32 up only, because an illegal vector would be reported as an error.
static const struct register_rule rules[] = {
    {APIC_TPR, 0, 0xFF},
    {APIC_LDR, 0, 0xFFFF0000},
    {APIC_DFR, 0xFFFFFFFF, 0xF0000000},
    {APIC_LVT_TIMER, APIC_LVT_MASKED, 0x000300FF},
    {APIC_LVT_THERMAL, APIC_LVT_MASKED, 0x000107FF},
    {APIC_LVT_PERFORMANCE, APIC_LVT_MASKED, 0x000107FF},
    {APIC_LVT_ERROR, APIC_LVT_MASKED, 0x000100FF},
    {APIC_TIMER_INITIAL, 0, 0xFFFFFFFF},
    {APIC_TIMER_DIVIDE, 0, 0x0000000B},
};

static void check_rules(void) {
    for (u32 i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const struct register_rule* r = &rules[i];
        CHECK_EQ(apic_read(r->r), r->reset);
    }
    for (u32 i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const struct register_rule* r = &rules[i];
        // Masked during the test of the other bits.
        const u32 keep = r->r >= APIC_LVT_TIMER && r->r <= APIC_LVT_ERROR ? APIC_LVT_MASKED : 0;
        const u32 fixed = r->reset & ~r->writable;
        apic_write(r->r, 0xFFFFFFFF);
        CHECK_EQ(apic_read(r->r), r->writable | fixed);
        apic_write(r->r, 0xA5A5A5A5 | keep);
        CHECK_EQ(apic_read(r->r), ((0xA5A5A5A5 | keep) & r->writable) | fixed);
        apic_write(r->r, r->reset);
        CHECK_EQ(apic_read(r->r), r->reset);
    }
    apic_write(APIC_TIMER_INITIAL, 0);
}

static void check_identity(void) {
    CHECK_EQ(apic_read(APIC_ID) & 0x007FFFFF, 0);
    CHECK_EQ(this_thread()->apic_id, apic_id());
    const u32 version = apic_read(APIC_VERSION);
    CHECK_RANGE(version & 0xFF, 0x10, 0x15);
    // The performance entry exists from the fifth LVT entry on.
    CHECK((version >> 16 & 0xFF) >= 4);
    apic_write(APIC_VERSION, 0);
    CHECK_EQ(apic_read(APIC_VERSION), version);
    CHECK((rdmsr(MSR_APIC_BASE) & 0xFFFFFF000ul) == 0xFEE00000ul);
    CHECK((rdmsr(MSR_APIC_BASE) >> 11 & 1) == 1);
}

// While the APIC is software-disabled every LVT entry is masked and stays so.
static void check_disabled(void) {
    apic_write(APIC_LVT_PERFORMANCE, 0x50);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), 0x50);
    apic_write(APIC_SVR, APIC_SPURIOUS_VECTOR);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), 0x50 | APIC_LVT_MASKED);
    apic_write(APIC_LVT_PERFORMANCE, 0x50);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), 0x50 | APIC_LVT_MASKED);
    apic_enable();
    apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
}

static u8 order[8];
static u32 served;

static void on_vector(struct trap_frame* f) {
    order[served++ % sizeof order] = (u8)f->vector;
    CHECK(apic_vector_bit(APIC_ISR, (unsigned)f->vector));
    CHECK_EQ(apic_read(APIC_PPR) >> 4, f->vector >> 4);
    apic_eoi();
}

// Outer interrupt: a higher one interrupts it, a lower one waits until its EOI.
static void on_outer(struct trap_frame* f) {
    order[served++ % sizeof order] = (u8)f->vector;
    apic_send_fixed(apic_id(), 0x41);
    apic_send_fixed(apic_id(), 0x91);
    irq_enable();
    __asm__ volatile("nop");
    irq_disable();
    apic_eoi();
}

static void check_priority(void) {
    trap_set_handler(0x41, on_vector);
    trap_set_handler(0x71, on_vector);
    trap_set_handler(0x91, on_vector);
    irq_disable();
    served = 0;
    apic_send_fixed(apic_id(), 0x41);
    apic_send_fixed(apic_id(), 0x91);
    apic_send_fixed(apic_id(), 0x71);
    // A second request for a vector that already waits is merged.
    apic_send_fixed(apic_id(), 0x71);
    CHECK(apic_vector_bit(APIC_IRR, 0x41) && apic_vector_bit(APIC_IRR, 0x71) &&
          apic_vector_bit(APIC_IRR, 0x91));
    irq_enable();
    __asm__ volatile("nop");
    irq_disable();
    CHECK_EQ(served, 3);
    CHECK(order[0] == 0x91 && order[1] == 0x71 && order[2] == 0x41);

    // The task priority holds back its class and those below; CR8 is the same register.
    served = 0;
    apic_write(APIC_TPR, 0x70);
    CHECK_EQ(read_cr8(), 7);
    CHECK_EQ(apic_read(APIC_PPR), 0x70);
    apic_send_fixed(apic_id(), 0x71);
    apic_send_fixed(apic_id(), 0x91);
    irq_enable();
    __asm__ volatile("nop");
    CHECK_EQ(served, 1);
    CHECK_EQ(order[0], 0x91);
    write_cr8(6);
    __asm__ volatile("nop");
    CHECK_EQ(apic_read(APIC_TPR), 0x60);
    CHECK_EQ(served, 2);
    CHECK_EQ(order[1], 0x71);
    write_cr8(0);

    served = 0;
    trap_set_handler(0x61, on_outer);
    apic_send_fixed(apic_id(), 0x61);
    __asm__ volatile("nop");
    irq_disable();
    CHECK_EQ(served, 3);
    CHECK(order[0] == 0x61 && order[1] == 0x91 && order[2] == 0x41);
}

static void check_errors(void) {
    apic_write(APIC_ESR, 0);
    apic_write(APIC_ESR, 0);
    CHECK_EQ(apic_read(APIC_ESR), 0);
    // Vectors below 16 cannot be sent; the bit shows after the register is written.
    apic_send_fixed(apic_id(), 5);
    CHECK_EQ(apic_read(APIC_ESR), 0);
    apic_write(APIC_ESR, 0);
    CHECK(apic_read(APIC_ESR) & 1u << 5);
    apic_write(APIC_ESR, 0);
    CHECK_EQ(apic_read(APIC_ESR), 0);
}

int main(void) {
    check_rules();
    check_identity();
    check_disabled();
    check_priority();
    check_errors();
    return check_summary();
}

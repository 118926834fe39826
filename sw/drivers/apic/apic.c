#include "drivers/apic/apic.h"

#include "lib/platform.h"

#define APIC_PAGE 0xFEE00000ul

u32 apic_read(enum apic_register r) {
    return *(volatile u32*)(APIC_PAGE + r);
}

void apic_write(enum apic_register r, u32 value) {
    *(volatile u32*)(APIC_PAGE + r) = value;
}

void apic_enable(void) {
    apic_write(APIC_SVR, APIC_SVR_ENABLE | APIC_SPURIOUS_VECTOR);
    apic_write(APIC_TPR, 0);
    // No device of the card uses this pin; on a PC-like machine the old interrupt controller does.
    apic_write(APIC_LVT_LINT0, APIC_LVT_MASKED);
}

u32 apic_id(void) {
    return apic_read(APIC_ID) >> platform_apic_id_shift;
}

void apic_eoi(void) {
    apic_write(APIC_EOI, 0);
}

bool apic_vector_bit(enum apic_register first, unsigned vector) {
    const u32 word = apic_read((enum apic_register)(first + vector / 32 * 16));
    return (word >> vector % 32 & 1) != 0;
}

// Bits 3, 1, 0 of the divide register for 2^power clocks, power 0-7.
static u32 divide_code(unsigned divide) {
    u32 power = 0;
    while ((1u << power) < divide) ++power;
    const u32 code = (power + 7) % 8;
    return (code & 3) | (code & 4) << 1;
}

void apic_timer_start(u8 vector, bool periodic, unsigned divide, u32 initial) {
    apic_write(APIC_TIMER_DIVIDE, divide_code(divide));
    apic_write(APIC_LVT_TIMER, vector | (periodic ? APIC_LVT_PERIODIC : 0));
    apic_write(APIC_TIMER_INITIAL, initial);
}

void apic_timer_stop(void) {
    apic_write(APIC_LVT_TIMER, apic_read(APIC_LVT_TIMER) | APIC_LVT_MASKED);
    apic_write(APIC_TIMER_INITIAL, 0);
}

u32 apic_timer_current(void) {
    return apic_read(APIC_TIMER_CURRENT);
}

void apic_send(u32 destination, u32 low) {
    apic_write(APIC_ICR_HIGH, destination << platform_apic_destination_shift);
    apic_write(APIC_ICR_LOW, low);
    while ((apic_read(APIC_ICR_LOW) & APIC_ICR_PENDING) != 0) platform_delay(16);
}

void apic_send_fixed(u32 destination, u8 vector) {
    apic_send(destination, APIC_MODE_FIXED | APIC_ICR_ASSERT | vector);
}

void apic_send_nmi(u32 destination) {
    apic_send(destination, APIC_MODE_NMI | APIC_ICR_ASSERT);
}

void apic_send_init(u32 destination) {
    apic_send(destination, APIC_MODE_INIT | APIC_ICR_ASSERT | APIC_ICR_LEVEL);
    apic_send(destination, APIC_MODE_INIT | APIC_ICR_LEVEL);
}

void apic_send_startup(u32 destination, u8 page) {
    apic_send(destination, APIC_MODE_STARTUP | APIC_ICR_ASSERT | page);
}

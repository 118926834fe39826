#include "drivers/uart/uart.h"

#include "drivers/apic/apic.h"
#include "drivers/sbox/sbox.h"
#include "lib/cpu.h"
#include "lib/trap.h"

#define UART_ADDRESS 0xFEF00000ul
#define LCR_8_BITS 3u
#define ROOM 256u  // of the buffer, a power of two

static volatile u8 buffer[ROOM];
static volatile u32 put, taken;
static volatile u64 interrupts, timeouts;

static volatile u8* at(enum uart_register r) {
    return (volatile u8*)UART_ADDRESS + r;
}
u8 uart_read(enum uart_register r) {
    return *at(r);
}
void uart_write(enum uart_register r, u8 value) {
    *at(r) = value;
}

void uart_init(void) {
    uart_write(UART_IER, 0);
    uart_write(UART_LCR, LCR_8_BITS);
    uart_write(UART_FCR, UART_FCR_ENABLE | UART_FCR_CLEAR_RECEIVER | UART_FCR_TRIGGER_8);
    uart_write(UART_MCR, UART_MCR_DTR | UART_MCR_RTS | UART_MCR_OUT2);
}

int uart_poll(void) {
    return (uart_read(UART_LSR) & UART_LSR_READY) != 0 ? uart_read(UART_RBR) : -1;
}
u8 uart_wait(void) {
    for (;;) {
        const int c = uart_poll();
        if (c >= 0) return (u8)c;
    }
}

// A character that finds the buffer full is lost.
static void on_interrupt(struct trap_frame* f) {
    (void)f;
    ++interrupts;
    if ((uart_read(UART_IIR) & 0xF) == UART_IIR_TIMEOUT) ++timeouts;
    for (int c = uart_poll(); c >= 0; c = uart_poll()) {
        if (put - taken == ROOM) continue;
        buffer[put % ROOM] = (u8)c;
        ++put;
    }
    apic_eoi();
}

void uart_receive_by_interrupt(u8 vector) {
    trap_set_handler(vector, on_interrupt);
    sbox_route(UART_PIN, SBOX_RTE_LEVEL | vector, apic_id());
    uart_write(UART_IER, UART_IER_RECEIVED);
}

u8 uart_get(void) {
    const u64 flags = irq_save();
    while (put == taken) {
        irq_enable_and_halt();
        irq_disable();
    }
    const u8 c = buffer[taken % ROOM];
    ++taken;
    irq_restore(flags);
    return c;
}

u64 uart_interrupts(void) {
    return interrupts;
}
u64 uart_timeouts(void) {
    return timeouts;
}

// The UART as its drivers find it: how Linux recognises a 16550A, loopback, overrun, requests of
// the transmitter; then what the other end sends, by polling and by interrupts through the I/O
// APIC.
//
// The other end answers "poll" with 40 digits, "trigger" with 8 letters, "few" with 3 letters, and
// "many" with 100 letters. Command line: alone (no other end).
#include "drivers/uart/uart.h"

#include "drivers/sbox/sbox.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"

#define VECTOR 0x60
#define FIFO 16

// Existence, kind and size, in the way of drivers/tty/serial/8250.
static void check_kind(void) {
    uart_write(UART_IER, 0);
    CHECK_EQ(uart_read(UART_IER), 0);
    uart_write(UART_IER, 0xFF);
    CHECK_EQ(uart_read(UART_IER), 0x0F);
    uart_write(UART_IER, 0);
    // RTS and OUT2 come back as CTS and DCD.
    uart_write(UART_MCR, UART_MCR_LOOP | UART_MCR_RTS | UART_MCR_OUT2);
    CHECK_EQ(uart_read(UART_MSR) & 0xF0, 0x90);
    uart_write(UART_MCR, 0);
    CHECK_EQ(uart_read(UART_MSR) & 0xF0, 0xB0);
    uart_write(UART_FCR, UART_FCR_ENABLE);
    CHECK_EQ(uart_read(UART_IIR), 0xC1);
    uart_write(UART_FCR, 0);
    CHECK_EQ(uart_read(UART_IIR), 0x01);
    uart_write(UART_LCR, 0x83);
    uart_write(UART_RBR, 0x34);
    uart_write(UART_IER, 0x12);
    CHECK_EQ(uart_read(UART_RBR), 0x34);
    CHECK_EQ(uart_read(UART_IER), 0x12);
    uart_write(UART_LCR, 0x03);
    CHECK_EQ(uart_read(UART_IER), 0);
    uart_write(UART_SCR, 0x5A);
    CHECK_EQ(uart_read(UART_SCR), 0x5A);
}

static void check_loopback(void) {
    uart_write(UART_FCR, UART_FCR_ENABLE | UART_FCR_CLEAR_RECEIVER);
    uart_write(UART_MCR, UART_MCR_LOOP);
    for (u32 n = 0; n < 256; ++n) uart_write(UART_THR, (u8)n);
    CHECK_EQ(uart_read(UART_LSR), 0x63);  // with an overrun
    CHECK_EQ(uart_read(UART_LSR), 0x61);
    u32 count = 0;
    for (int c = uart_poll(); c >= 0; c = uart_poll()) CHECK_EQ(c, count++);
    CHECK_EQ(count, FIFO);
    uart_write(UART_MCR, 0);
}

static void check_transmitter(void) {
    uart_write(UART_IER, UART_IER_TRANSMITTER);
    CHECK_EQ(uart_read(UART_IIR), 0xC0 | UART_IIR_TRANSMITTER);
    CHECK_EQ(uart_read(UART_IIR), 0xC0 | UART_IIR_NONE);
    uart_write(UART_THR, '\n');
    CHECK_EQ(uart_read(UART_IIR), 0xC0 | UART_IIR_TRANSMITTER);
    uart_write(UART_IER, 0);
    uart_write(UART_IER, UART_IER_TRANSMITTER);
    CHECK_EQ(uart_read(UART_IIR), 0xC0 | UART_IIR_TRANSMITTER);
    uart_write(UART_IER, 0);
}

static void check_polling(void) {
    uart_init();
    printf("poll\n");
    for (u32 n = 0; n < 40; ++n) CHECK_EQ(uart_wait(), '0' + n % 10);
    CHECK_EQ(uart_read(UART_LSR), 0x60);  // neither more nor an overrun
    // RTS stops the other end: what it has to send stays where it is.
    uart_write(UART_MCR, UART_MCR_DTR | UART_MCR_OUT2);
    printf("few\n");
    for (u32 n = 0; n < 50; ++n) platform_delay(1000);
    CHECK_EQ(uart_poll(), -1);
    uart_write(UART_MCR, UART_MCR_DTR | UART_MCR_RTS | UART_MCR_OUT2);
    for (u32 n = 0; n < 3; ++n) CHECK_EQ(uart_wait(), 'x' + n);
}

static void check_interrupts(void) {
    uart_receive_by_interrupt(VECTOR);
    // Eight characters reach the trigger level; three do not, so the time is over for them.
    printf("trigger\n");
    for (u32 n = 0; n < 8; ++n) CHECK_EQ(uart_get(), 'a' + n);
    CHECK_EQ(uart_interrupts(), 1);
    CHECK_EQ(uart_timeouts(), 0);
    printf("few\n");
    for (u32 n = 0; n < 3; ++n) CHECK_EQ(uart_get(), 'x' + n);
    CHECK_EQ(uart_interrupts(), 2);
    CHECK_EQ(uart_timeouts(), 1);
    // 100 characters are 12 times the trigger level and 4 that wait for the time-out.
    printf("many\n");
    for (u32 n = 0; n < 100; ++n) CHECK_EQ(uart_get(), 'A' + n % 25);
    CHECK_EQ(uart_interrupts(), 15);
    CHECK_EQ(uart_timeouts(), 2);
}

// OUT2 gates the interrupt: a request of the transmitter is there, and reaches nobody.
static void check_gate(void) {
    const u64 before = uart_interrupts();
    irq_enable();
    uart_write(UART_MCR, 0);
    uart_write(UART_IER, UART_IER_TRANSMITTER);
    for (u32 n = 0; n < 10; ++n) platform_delay(500);
    CHECK_EQ(uart_interrupts(), before);
    uart_write(UART_MCR, UART_MCR_OUT2);
    for (u32 n = 0; n < 10; ++n) platform_delay(500);
    CHECK_EQ(uart_interrupts(), before + 1);  // the handler has read IIR
    irq_disable();
    uart_write(UART_IER, 0);
}

int main(void) {
    if (!CHECK(sbox_init())) return check_summary();
    check_kind();
    check_loopback();
    check_transmitter();
    if (!option("alone")) {
        check_polling();
        check_interrupts();
        check_gate();
    }
    return check_summary();
}

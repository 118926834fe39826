// Driver of the UART behind the console: registers, reception by polling and by interrupts. Ring 0.
// Output stays with printf().
#ifndef KNC_SW_DRIVERS_UART_UART_H
#define KNC_SW_DRIVERS_UART_UART_H

#include "lib/types.h"

enum uart_register {
    UART_RBR = 0,  // read
    UART_THR = 0,  // written
    UART_IER = 1,
    UART_IIR = 2,  // read
    UART_FCR = 2,  // written
    UART_LCR = 3,
    UART_MCR = 4,
    UART_LSR = 5,
    UART_MSR = 6,
    UART_SCR = 7
};

#define UART_PIN 8  // of the SBOX's I/O APIC

#define UART_IER_RECEIVED 0x01u
#define UART_IER_TRANSMITTER 0x02u
#define UART_IER_LINE 0x04u
#define UART_IIR_NONE 0x01u  // bits 3:0: no interrupt, ...
#define UART_IIR_TRANSMITTER 0x02u
#define UART_IIR_RECEIVED 0x04u
#define UART_IIR_LINE 0x06u
#define UART_IIR_TIMEOUT 0x0Cu
#define UART_FCR_ENABLE 0x01u
#define UART_FCR_CLEAR_RECEIVER 0x02u
#define UART_FCR_TRIGGER_1 0x00u
#define UART_FCR_TRIGGER_8 0x80u
#define UART_MCR_DTR 0x01u
#define UART_MCR_RTS 0x02u
#define UART_MCR_OUT2 0x08u  // lets the interrupt through
#define UART_MCR_LOOP 0x10u
#define UART_LSR_READY 0x01u
#define UART_LSR_OVERRUN 0x02u

u8 uart_read(enum uart_register r);
void uart_write(enum uart_register r, u8 value);

// 8 bits, FIFOs on and empty with trigger level 8, no interrupts; the other end may send.
void uart_init(void);
// The next character that has arrived, -1 if there is none; waits for one.
int uart_poll(void);
u8 uart_wait(void);

// From here on characters are received by interrupts of `vector` to the calling thread; sbox_init()
// has been called. uart_get() sleeps until there is one.
void uart_receive_by_interrupt(u8 vector);
u8 uart_get(void);
// Interrupts so far, and those of them that were time-outs.
u64 uart_interrupts(void);
u64 uart_timeouts(void);

#endif

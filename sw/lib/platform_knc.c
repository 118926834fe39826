#include "lib/platform.h"

#define DEVICE_PAGE 0xFEF00000ul
#define UART_THR 0x000
#define UART_LSR 0x005
#define UART_LSR_THRE 0x20
#define DEVICE_EXIT 0x100
#define DEVICE_MARKER 0x104
#define DEVICE_FAST_FORWARD 0x108

const u32 platform_apic_id_shift = 23;
const u32 platform_apic_destination_shift = 16;

static volatile u8* device8(u32 offset) {
    return (volatile u8*)(DEVICE_PAGE + offset);
}
static volatile u32* device32(u32 offset) {
    return (volatile u32*)(DEVICE_PAGE + offset);
}

void platform_put(u8 byte) {
    while ((*device8(UART_LSR) & UART_LSR_THRE) == 0) {
    }
    *device8(UART_THR) = byte;
}

void platform_exit(u32 code) {
    *device32(DEVICE_EXIT) = code;
}

void platform_marker(u32 number) {
    *device32(DEVICE_MARKER) = number;
}

void platform_fast_forward(bool on) {
    *device32(DEVICE_FAST_FORWARD) = on;
}

void platform_delay(u32 clocks) {
    __asm__ volatile("delay %0" : : "a"((u64)clocks) : "memory");
}

// Driver of the local APIC: each call acts on the calling thread's APIC. Ring 0.
#ifndef KNC_SW_DRIVERS_APIC_APIC_H
#define KNC_SW_DRIVERS_APIC_APIC_H

#include "lib/types.h"

enum apic_register {
    APIC_ID = 0x020,
    APIC_VERSION = 0x030,
    APIC_TPR = 0x080,
    APIC_PPR = 0x0A0,
    APIC_EOI = 0x0B0,
    APIC_LDR = 0x0D0,
    APIC_DFR = 0x0E0,
    APIC_SVR = 0x0F0,
    APIC_ISR = 0x100,  // 8 registers of 32 vectors, 16 bytes apart
    APIC_TMR = 0x180,
    APIC_IRR = 0x200,
    APIC_ESR = 0x280,
    APIC_ICR_LOW = 0x300,
    APIC_ICR_HIGH = 0x310,
    APIC_LVT_TIMER = 0x320,
    APIC_LVT_THERMAL = 0x330,
    APIC_LVT_PERFORMANCE = 0x340,
    APIC_LVT_LINT0 = 0x350,
    APIC_LVT_LINT1 = 0x360,
    APIC_LVT_ERROR = 0x370,
    APIC_TIMER_INITIAL = 0x380,
    APIC_TIMER_CURRENT = 0x390,
    APIC_TIMER_DIVIDE = 0x3E0
};

#define APIC_SVR_ENABLE (1u << 8)
#define APIC_LVT_MASKED (1u << 16)
#define APIC_LVT_PERIODIC (1u << 17)
#define APIC_MODE_FIXED (0u << 8)
#define APIC_MODE_LOWEST (1u << 8)
#define APIC_MODE_NMI (4u << 8)
#define APIC_MODE_INIT (5u << 8)
#define APIC_MODE_STARTUP (6u << 8)
#define APIC_ICR_PENDING (1u << 12)
#define APIC_ICR_ASSERT (1u << 14)
#define APIC_ICR_LEVEL (1u << 15)
#define APIC_ICR_LOGICAL (1u << 11)
#define APIC_ICR_SELF (1u << 18)
#define APIC_ICR_ALL (2u << 18)
#define APIC_ICR_OTHERS (3u << 18)

#define APIC_SPURIOUS_VECTOR 0xFF

u32 apic_read(enum apic_register r);
void apic_write(enum apic_register r, u32 value);

// Software-enables the APIC with spurious vector APIC_SPURIOUS_VECTOR and accepts every priority.
void apic_enable(void);
u32 apic_id(void);
void apic_eoi(void);
// True when `vector` is set in a 256-bit register: APIC_ISR, APIC_TMR or APIC_IRR.
bool apic_vector_bit(enum apic_register first, unsigned vector);

// Timer: `initial` counts of `divide` (1, 2, 4 .. 128) clocks; 0 counts stop it.
void apic_timer_start(u8 vector, bool periodic, unsigned divide, u32 initial);
void apic_timer_stop(void);
u32 apic_timer_current(void);

// Interrupts to the thread with APIC ID `destination`. Each waits until the message has left.
void apic_send_fixed(u32 destination, u8 vector);
void apic_send_nmi(u32 destination);
void apic_send_init(u32 destination);
void apic_send_startup(u32 destination, u8 page);
// Any command: `low` as ICR-low, `destination` unused with a shorthand.
void apic_send(u32 destination, u32 low);

#endif

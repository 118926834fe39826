// Driver of the card's SBOX, the block of registers that the host sees too: elapsed time counter,
// I/O APIC, interrupt commands, scratchpads, doorbells. Ring 0, any thread.
#ifndef KNC_SW_DRIVERS_SBOX_SBOX_H
#define KNC_SW_DRIVERS_SBOX_SBOX_H

#include "lib/types.h"

enum sbox_register {
    SBOX_PMU_PERIOD_SEL = 0x1070,
    SBOX_ELAPSED_TIME_LOW = 0x1074,
    SBOX_ELAPSED_TIME_HIGH = 0x1078,
    SBOX_THERMAL_STATUS_INTERRUPT = 0x107C,
    SBOX_MCX_CTL_LO = 0x3090,
    SBOX_MCX_STATUS_LO = 0x3098,
    SBOX_SMPT00 = 0x3100,  // 32, 4 bytes apart
    SBOX_RGCR = 0x4010,
    SBOX_CURRENTRATIO = 0x402C,
    SBOX_COREFREQ = 0x4100,
    SBOX_COREVOLT = 0x4104,
    SBOX_MEMORYFREQ = 0x4108,
    SBOX_MEMVOLT = 0x410C,
    SBOX_SICR0 = 0x9004,
    SBOX_SICE0 = 0x900C,
    SBOX_SICC0 = 0x9010,
    SBOX_SIAC0 = 0x9014,
    SBOX_APICIDR = 0xA800,
    SBOX_APICVER = 0xA804,
    SBOX_APICRT0 = 0xA840,   // 26 pairs, 8 bytes apart
    SBOX_APICICR0 = 0xA9D0,  // 8 pairs, 8 bytes apart
    SBOX_MCA_INT_STAT = 0xAB00,
    SBOX_MCA_INT_EN = 0xAB04,
    SBOX_SCRATCH0 = 0xAB20,  // 16, 4 bytes apart
    SBOX_RDMASR0 = 0xB180,   // 8, 4 bytes apart
    SBOX_SDBIC0 = 0xCC90     // 4, 4 bytes apart
};

#define SBOX_ETC_FREEZE (1u << 31)      // THERMAL_STATUS_INTERRUPT
#define SBOX_ETC_HZ 15625000ul          // steps of the elapsed time counter
#define SBOX_ICR_SEND (1u << 13)        // APICICR
#define SBOX_SDBIC_DBREQ (1u << 31)     // SDBIC
#define SBOX_RTE_ACTIVE_LOW (1u << 13)  // APICRT
#define SBOX_RTE_REMOTE_IRR (1u << 14)
#define SBOX_RTE_LEVEL (1u << 15)
#define SBOX_RTE_MASKED (1u << 16)
#define SBOX_RDMASR_PIN 17  // of RDMASR0

// Maps the registers; call it before any other function here. False when memory is short.
bool sbox_init(void);
u32 sbox_read(u32 offset);
void sbox_write(u32 offset, u32 value);

// POST code of the DBOX: two ASCII characters, the first in the low byte.
u32 sbox_post_code(void);
void sbox_set_post_code(u32 code);

// Steps of 64 ns since the card's clock started.
u64 sbox_elapsed(void);
// Redirection entry `pin`: `low` as bits 31:0, to the thread with APIC ID `destination`.
void sbox_route(u32 pin, u32 low, u32 destination);
// Sends the interrupt `vector` by command register `n`, 0-7.
void sbox_interrupt(u32 n, u32 destination, u8 vector);

#endif

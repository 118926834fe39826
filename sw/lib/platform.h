// The functions that differ between the machines for which an image is linked: platform_knc.c (the
// test device page of the virtual platform) and platform_compat.S (PC serial port and exit port of
// a QEMU machine).
#ifndef KNC_SW_LIB_PLATFORM_H
#define KNC_SW_LIB_PLATFORM_H

#include "lib/types.h"

// Waits until the console can take a byte, then sends it.
void platform_put(u8 byte);
// Ends the run with `code`.
void platform_exit(u32 code);
// Sets the numbered mark `number` in the report of the run.
void platform_marker(u32 number);
// From the next instruction on, the card executes without time (docs/fast_forward.md), or in time
// again.
void platform_fast_forward(bool on);
// Gives the core to the other threads for about `clocks` core clocks, at most 1023.
void platform_delay(u32 clocks);

// Lowest bit of the identifier in the local APIC's ID register, and of the destination in ICR-high.
extern const u32 platform_apic_id_shift;
extern const u32 platform_apic_destination_shift;

#endif

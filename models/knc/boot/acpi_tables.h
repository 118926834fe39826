// ACPI tables by which a kernel of a PC finds the processors, the console and the way to power off.
//
// Models: hardware-reduced ACPI 5.0, which needs no SCI, timers or blocks of registers: RSDP, XSDT,
// FADT revision 5, MADT with the local APICs, DSDT with the UART and the state S5. The sleep
// control register and the reset register are I/O ports. Leaves out: I/O APICs, because such
// kernels reach one by an index and a data register, which the card's has not; power management;
// everything else. Source: ACPI Specification 5.0, chapters 4.1, 5.2 and 20.
#ifndef KNC_BOOT_ACPI_TABLES_H
#define KNC_BOOT_ACPI_TABLES_H

#include <cstdint>
#include <string>

#include <knc/boot/machine.h>

namespace knc::boot {

// The type of sleep that \_S5 names: what software writes to the sleep control register, bits 4:2,
// to power the machine off.
inline constexpr std::uint8_t soft_off = 5;

// To be loaded at acpi_base (processor_tables.h); the RSDP comes first.
std::string acpi_tables(const machine&);

}  // namespace knc::boot

#endif

// The tables by which a kernel finds the processors: Simple Firmware Interface 0.7 and Intel
// MultiProcessor Specification 1.4.
//
// Models: SYST with CPUS, APIC and MMAP as the card's own boot code writes them; the MP floating
// pointer and a configuration table with processors and one bus. Leaves out: I/O APICs and
// interrupt routing in the MP table, whose I/O APIC addresses have 32 bits, the card's more.
#ifndef KNC_BOOT_PROCESSOR_TABLES_H
#define KNC_BOOT_PROCESSOR_TABLES_H

#include <cstdint>
#include <string>

#include <knc/boot/machine.h>

namespace knc::boot {

inline constexpr std::uint64_t sfi_base = 0xe0000, mp_base = 0xf0000, acpi_base = 0xf8000;

// To be loaded at sfi_base and mp_base; acpi_base is for acpi_tables.h.
std::string sfi_tables(const machine&);
std::string mp_tables(const machine&);

}  // namespace knc::boot

#endif

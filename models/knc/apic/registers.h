// The register page of the local APIC.
//
// Models: SDM vol. 3, table 10-1, without CMCI, x2APIC and directed EOI; local_apic_registers.cpp
// has the effects of accesses. Reserved bits read as 0 (DFR: 1) and ignore writes.
#ifndef KNC_APIC_REGISTERS_H
#define KNC_APIC_REGISTERS_H

#include <cstddef>
#include <cstdint>

#include <knc/base/register_table.h>

namespace knc::apic {

// Byte offsets in the page.
namespace reg {
inline constexpr std::uint32_t id = 0x020;
inline constexpr std::uint32_t version = 0x030;
inline constexpr std::uint32_t tpr = 0x080;
inline constexpr std::uint32_t apr = 0x090;
inline constexpr std::uint32_t ppr = 0x0A0;
inline constexpr std::uint32_t eoi = 0x0B0;
inline constexpr std::uint32_t ldr = 0x0D0;
inline constexpr std::uint32_t dfr = 0x0E0;
inline constexpr std::uint32_t svr = 0x0F0;
inline constexpr std::uint32_t isr = 0x100;
inline constexpr std::uint32_t tmr = 0x180;
inline constexpr std::uint32_t irr = 0x200;
inline constexpr std::uint32_t esr = 0x280;
inline constexpr std::uint32_t icr_low = 0x300;
inline constexpr std::uint32_t icr_high = 0x310;
inline constexpr std::uint32_t lvt_timer = 0x320;
inline constexpr std::uint32_t lvt_thermal = 0x330;
inline constexpr std::uint32_t lvt_pmc = 0x340;
inline constexpr std::uint32_t lvt_lint0 = 0x350;
inline constexpr std::uint32_t lvt_lint1 = 0x360;
inline constexpr std::uint32_t lvt_error = 0x370;
inline constexpr std::uint32_t initial_count = 0x380;
inline constexpr std::uint32_t current_count = 0x390;
inline constexpr std::uint32_t divide = 0x3E0;
}  // namespace reg

inline constexpr std::uint32_t page_size = 0x1000;
inline constexpr std::uint32_t register_spacing = 0x10;
inline constexpr std::size_t lvt_entries = 6;

// Bits of an LVT entry.
namespace lvt {
inline constexpr std::uint32_t masked = 1u << 16;
inline constexpr std::uint32_t periodic = 1u << 17;    // timer
inline constexpr std::uint32_t active_low = 1u << 13;  // LINT
inline constexpr std::uint32_t remote_irr = 1u << 14;  // LINT0, read only
inline constexpr std::uint32_t level = 1u << 15;       // LINT
}  // namespace lvt

// Bits of the spurious-interrupt vector register.
namespace svr {
inline constexpr std::uint32_t enabled = 1u << 8;
}  // namespace svr

// Bits of the error status register. The model never sets bits 0-3 (bus errors) and 4 (redirectable
// IPI).
namespace esr {
inline constexpr std::uint32_t send_illegal_vector = 1u << 5;
inline constexpr std::uint32_t receive_illegal_vector = 1u << 6;
inline constexpr std::uint32_t illegal_register = 1u << 7;
}  // namespace esr

class local_apic;
using register_row = base::register_row<std::uint32_t, local_apic>;
// The table. Its reset values are those after reset and INIT.
const base::register_table<register_row>& registers();

}  // namespace knc::apic

#endif

// The register page of the local APIC: one line per register.
//
// Models: SDM vol. 3, table 10-1 as far as an xAPIC without CMCI, x2APIC and directed EOI has it.
// Reserved bits read as 0 (DFR: 1) and ignore what is written.
#ifndef KNC_APIC_REGISTERS_H
#define KNC_APIC_REGISTERS_H

#include <cstddef>
#include <cstdint>

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

// Bits of the error status register. Bits 0-3 (bus errors) and 4 (redirectable IPI) cannot arise
// here.
namespace esr {
inline constexpr std::uint32_t send_illegal_vector = 1u << 5;
inline constexpr std::uint32_t receive_illegal_vector = 1u << 6;
inline constexpr std::uint32_t illegal_register = 1u << 7;
}  // namespace esr

enum class register_access : std::uint8_t { read_write, read_only, write_only };

struct register_info {
    const char* name;
    std::uint32_t offset;
    std::uint32_t count;  // registers of this name, register_spacing apart
    register_access access;
    std::uint32_t reset;     // value after reset and INIT
    std::uint32_t writable;  // bits that take what is written
};

inline constexpr register_info registers[] = {
    // clang-format off
    // name            offset              n  access                       reset       writable
    {"id",             reg::id,            1, register_access::read_write, 0x00000000, 0xFF800000},  // reset: the ID the thread is built with; INIT: kept
    {"version",        reg::version,       1, register_access::read_only,  0x00000000, 0x00000000},  // reset: from the parameters
    {"tpr",            reg::tpr,           1, register_access::read_write, 0x00000000, 0x000000FF},
    {"apr",            reg::apr,           1, register_access::read_only,  0x00000000, 0x00000000},
    {"ppr",            reg::ppr,           1, register_access::read_only,  0x00000000, 0x00000000},
    {"eoi",            reg::eoi,           1, register_access::write_only, 0x00000000, 0x00000000},
    {"ldr",            reg::ldr,           1, register_access::read_write, 0x00000000, 0xFFFF0000},
    {"dfr",            reg::dfr,           1, register_access::read_write, 0xFFFFFFFF, 0xF0000000},
    {"svr",            reg::svr,           1, register_access::read_write, 0x000000FF, 0x000001FF},
    {"isr",            reg::isr,           8, register_access::read_only,  0x00000000, 0x00000000},
    {"tmr",            reg::tmr,           8, register_access::read_only,  0x00000000, 0x00000000},
    {"irr",            reg::irr,           8, register_access::read_only,  0x00000000, 0x00000000},
    {"esr",            reg::esr,           1, register_access::read_write, 0x00000000, 0x00000000},  // a write of any value updates it
    {"icr_low",        reg::icr_low,       1, register_access::read_write, 0x00000000, 0x000CCFFF},
    {"icr_high",       reg::icr_high,      1, register_access::read_write, 0x00000000, 0xFFFF0000},
    {"lvt_timer",      reg::lvt_timer,     1, register_access::read_write, 0x00010000, 0x000300FF},
    {"lvt_thermal",    reg::lvt_thermal,   1, register_access::read_write, 0x00010000, 0x000107FF},
    {"lvt_pmc",        reg::lvt_pmc,       1, register_access::read_write, 0x00010000, 0x000107FF},
    {"lvt_lint0",      reg::lvt_lint0,     1, register_access::read_write, 0x00010000, 0x0001A7FF},
    {"lvt_lint1",      reg::lvt_lint1,     1, register_access::read_write, 0x00010000, 0x0001A7FF},
    {"lvt_error",      reg::lvt_error,     1, register_access::read_write, 0x00010000, 0x000100FF},
    {"initial_count",  reg::initial_count, 1, register_access::read_write, 0x00000000, 0xFFFFFFFF},
    {"current_count",  reg::current_count, 1, register_access::read_only,  0x00000000, 0x00000000},
    {"divide",         reg::divide,        1, register_access::read_write, 0x00000000, 0x0000000B},
    // clang-format on
};

// The register at byte `offset` of the page, nullptr if that offset is reserved or not a multiple
// of 16.
constexpr const register_info* find_register(std::uint32_t offset) {
    if (offset % register_spacing != 0) return nullptr;
    for (const register_info& r : registers)
        if (offset >= r.offset && offset < r.offset + r.count * register_spacing) return &r;
    return nullptr;
}

}  // namespace knc::apic

#endif

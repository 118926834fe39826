// The x87 unit's state as FNSTENV, FNSAVE and FXSAVE lay it out in memory.
//
// Source: Intel SDM vol. 1, figures 8-9 to 8-12 and table 10-2.
#ifndef KNC_ISA_X87_IMAGE_H
#define KNC_ISA_X87_IMAGE_H

#include <array>
#include <cstdint>

#include <knc/isa/x87_state.h>

namespace knc::isa {

// The environment has four layouts: 28 or 14 bytes by the operand size, pointers with selectors or,
// in real and virtual-8086 mode, as linear addresses.
struct x87_environment_layout {
    bool wide;    // 28 bytes
    bool linear;  // addresses

    unsigned size() const { return wide ? 28 : 14; }
};
inline constexpr unsigned x87_registers_size = 80, x87_largest_image = 28 + x87_registers_size;

// Two bits for each physical register: 0 valid, 1 zero, 2 special, 3 empty.
std::uint16_t x87_tag_word(const x87_state&);

void x87_save_environment(const x87_state&, x87_environment_layout, std::uint8_t* image);
void x87_restore_environment(x87_state&, x87_environment_layout, const std::uint8_t* image);
// ST(0) to ST(7), 10 bytes each.
void x87_save_registers(const x87_state&, std::uint8_t* image);
void x87_restore_registers(x87_state&, const std::uint8_t* image);

// The part of the 512 bytes of FXSAVE that the card has state for; the rest is not written.
inline constexpr unsigned fxsave_size = 512, fxsave_used = 160;
using fxsave_image = std::array<std::uint8_t, fxsave_size>;
// `wide`: 64-bit pointers without selectors (REX.W).
void x87_save_extended(const x87_state&, std::uint32_t mxcsr, bool wide, fxsave_image&,
                       std::uint32_t mxcsr_mask = mxcsr_writable);
void x87_restore_extended(x87_state&, bool wide, const fxsave_image&);
std::uint32_t fxsave_mxcsr(const fxsave_image&);

}  // namespace knc::isa

#endif

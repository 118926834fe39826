// Conversions of vector elements between floating point and integers or fixed point.
//
// Models: rounding in the environment's direction (of MXCSR, or of the immediate: the caller puts
// it there), the exponent adjustment, saturation, IE and PE. DE is not raised.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001): VCVTFXPNT*, VRNDFXPNT*, VCVTDQ2PD.
#ifndef KNC_ISA_VECTOR_INTEGER_H
#define KNC_ISA_VECTOR_INTEGER_H

#include <cstdint>

#include <knc/isa/vector_environment.h>

namespace knc::isa {

// Bits of fraction that bits 7:4 of the immediate stand for; above 7 they are reserved.
inline constexpr unsigned vector_adjustments[] = {0, 4, 5, 8, 16, 24, 31, 32};

// `v` times 2^adjust as an integer from `lowest` to `highest`. Beyond them the nearer of the two,
// for a NaN 0, both with IE.
template <class Bits>
std::int64_t vector_to_integer(Bits v, unsigned adjust, std::int64_t lowest, std::int64_t highest,
                               vector_environment&);
template <class Bits>
std::uint32_t vector_to_int32(Bits v, unsigned adjust, vector_environment& e) {
    return static_cast<std::uint32_t>(vector_to_integer(v, adjust, INT32_MIN, INT32_MAX, e));
}
template <class Bits>
std::uint32_t vector_to_uint32(Bits v, unsigned adjust, vector_environment& e) {
    return static_cast<std::uint32_t>(vector_to_integer(v, adjust, 0, UINT32_MAX, e));
}

// `v` times 2^-adjust.
template <class Bits>
Bits vector_from_integer(std::int64_t v, unsigned adjust, vector_environment&);

// VRNDFXPNT: `v` rounded to a multiple of 2^-adjust.
template <class Bits>
Bits vector_round_to_fixed(Bits v, unsigned adjust, vector_environment&);

}  // namespace knc::isa

#endif

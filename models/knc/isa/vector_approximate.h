// The approximations of the extended math unit, float32 only.
//
// Models: VRCP23PS, VRSQRT23PS, VLOG2PS, VEXP223PS. Denormal operands are zeros and tiny results
// become zeros whatever MXCSR says; the direction is to nearest. IE and ZE alone are raised.
// Results are the numbers nearest to the exact values. The manual asks for less (0.912, 0.775, 4
// and 0.99 units of the last place), so they are not always the card's.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001), pages of the instructions.
#ifndef KNC_ISA_VECTOR_APPROXIMATE_H
#define KNC_ISA_VECTOR_APPROXIMATE_H

#include <cstdint>

#include <knc/isa/vector_environment.h>

namespace knc::isa {

std::uint32_t vector_reciprocal(std::uint32_t, vector_environment&);
std::uint32_t vector_reciprocal_square_root(std::uint32_t, vector_environment&);
std::uint32_t vector_log2(std::uint32_t, vector_environment&);

// 2^(v / 2^24): 8 bits of integer, 24 of fraction. The largest `v` stands for overflow: infinity.
std::uint32_t vector_exp2(std::int32_t v);

}  // namespace knc::isa

#endif

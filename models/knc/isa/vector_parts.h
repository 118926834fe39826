// Exponents and significands of vector elements, scaling, and the fix-up of special values.
//
// Models: VGETEXP, VGETMANT, VSCALEPS, VFIXUPNAN with DAZ, FZ and the flags.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001), pages of the instructions.
#ifndef KNC_ISA_VECTOR_PARTS_H
#define KNC_ISA_VECTOR_PARTS_H

#include <cstdint>

#include <knc/isa/vector_environment.h>

namespace knc::isa {

// The exponent of |v| as a number; of zero -infinity, of an infinity +infinity.
template <class Bits>
Bits vector_exponent(Bits v, vector_environment&);

// The significand of `v`. Immediate, bits 1:0: the interval, [1, 2), [1/2, 2), [1/2, 1) or
// [3/4, 3/2); bits 3:2: the sign, of `v` (0), plus (1), or plus and invalid for negative `v` (2,
// 3). Zeros and infinities stay.
template <class Bits>
Bits vector_significand(Bits v, unsigned immediate, vector_environment&);

// v * 2^power.
std::uint32_t vector_scale(std::uint32_t v, std::int32_t power, vector_environment&);

// VFIXUPNAN: `value` selects three bits of `table`, and they the result. A NaN always results in
// itself, quiet.
template <class Bits>
Bits vector_fix_up(Bits destination, Bits value, std::uint32_t table, vector_environment&);

}  // namespace knc::isa

#endif

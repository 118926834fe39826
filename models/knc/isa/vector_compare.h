// Comparisons, minimum and maximum of vector elements.
//
// Models: the eight predicates of VCMPPS and VCMPPD; VGMIN, VGMAX and VGMAXABS, which prefer a
// number to a NaN and know that -0 is below +0. DAZ applies, FZ does not.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001); IEEE 754-2008, minNum and maxNum.
#ifndef KNC_ISA_VECTOR_COMPARE_H
#define KNC_ISA_VECTOR_COMPARE_H

#include <cstdint>

#include <knc/isa/vector_environment.h>

namespace knc::isa {

// Bits 2:0 of the immediate. All but eq, unordered, neq and ordered raise IE for quiet NaNs too.
enum class vector_predicate : std::uint8_t { eq, lt, le, unordered, neq, nlt, nle, ordered };

template <class Bits>
bool vector_compare(Bits a, Bits b, vector_predicate, vector_environment&);

template <class Bits>
Bits vector_minimum(Bits a, Bits b, vector_environment&);
template <class Bits>
Bits vector_maximum(Bits a, Bits b, vector_environment&);
// The maximum of the magnitudes; a NaN loses its sign too.
template <class Bits>
Bits vector_maximum_magnitude(Bits a, Bits b, vector_environment&);

}  // namespace knc::isa

#endif

// Addition, multiplication and fused multiply-add of vector elements, float32 and float64.
//
// Models: one rounding per operation, NaNs, infinities, signed zeros, DAZ, FZ and the flags. `Bits`
// is std::uint32_t or std::uint64_t, the element as bits. Of several NaNs the first operand's wins.
// Leaves out: which register is which operand of VFMADD132, 213 and 231.
// Source: Intel Xeon Phi ISA Reference Manual (327364-001); IEEE 754.
#ifndef KNC_ISA_VECTOR_ARITHMETIC_H
#define KNC_ISA_VECTOR_ARITHMETIC_H

#include <cstdint>

#include <knc/isa/vector_environment.h>

namespace knc::isa {

template <class Bits>
Bits vector_add(Bits a, Bits b, vector_environment&);
template <class Bits>
Bits vector_subtract(Bits a, Bits b, vector_environment&);
// VADDN: (-a) + (-b).
template <class Bits>
Bits vector_add_negated(Bits a, Bits b, vector_environment&);
template <class Bits>
Bits vector_multiply(Bits a, Bits b, vector_environment&);

// a * b + c and its forms with a negated product, a negated addend, or both.
template <class Bits>
Bits vector_multiply_add(Bits a, Bits b, Bits c, vector_environment&);  // VFMADD
template <class Bits>
Bits vector_multiply_subtract(Bits a, Bits b, Bits c, vector_environment&);  // VFMSUB
template <class Bits>
Bits vector_negated_multiply_add(Bits a, Bits b, Bits c, vector_environment&);  // VFNMADD
template <class Bits>
Bits vector_negated_multiply_subtract(Bits a, Bits b, Bits c, vector_environment&);  // VFNMSUB

}  // namespace knc::isa

#endif

// Arithmetic of whole vectors by the host's own vector instructions.
//
// Models: sums, products and fused multiply-adds of float32 and float64 lanes, with the rounding
// direction, DAZ, FZ and the flags, which MXCSR of the host stands for. x86 and the card agree
// about them but for NaNs, so a result with a NaN in it is left to vector_arithmetic.h, as is
// everything on a host without AVX2 and FMA. Source: Intel SDM vol. 1, 11.5 and 14.5;
// docs/vector.md.
#ifndef KNC_ISA_VECTOR_HOST_H
#define KNC_ISA_VECTOR_HOST_H

#include <cstdint>

#include <knc/isa/vector_environment.h>
#include <knc/isa/vector_state.h>

namespace knc::isa {

// Of operands a, b and c: a + b, a - b, b - a, -a - b, a * b, +-(a * b) +- c.
enum class vector_host_operation : std::uint8_t {
    add,
    subtract,
    subtract_reversed,
    add_negated,
    multiply,
    multiply_add,
    multiply_subtract,
    negated_multiply_add,
    negated_multiply_subtract
};

// Writes the active lanes of the result to `to` and raises their flags, or does nothing and returns
// false. `T`, std::uint32_t or std::uint64_t, is a lane's bits. `to` may be one of the operands.
template <class T, vector_host_operation Operation>
bool vector_by_host(const vector_register& a, const vector_register& b, const vector_register& c,
                    mask_t active, vector_environment&, vector_register& to);

}  // namespace knc::isa

#endif

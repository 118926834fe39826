// The floating-point formats of vector elements, as bits.
//
// Models: fields and classes of float16, float32 and float64, DAZ, the quiet form of a NaN.
// Source: IEEE 754; Intel Xeon Phi ISA Reference Manual (327364-001), chapter 4.
#ifndef KNC_ISA_VECTOR_FORMAT_H
#define KNC_ISA_VECTOR_FORMAT_H

#include <cstdint>

#include <knc/isa/vector_environment.h>
#include <knc/isa/wide.h>

namespace knc::isa {

// `Wide` holds the product of two significands and some bits more.
template <class Bits, class Wide, int Fraction, int Bias>
struct vector_layout {
    using wide = Wide;
    static constexpr int fraction = Fraction, bias = Bias, min_exponent = 1 - Bias;
    static constexpr int wide_bits = 8 * sizeof(Wide);
    static constexpr Bits sign_bit = Bits(Bits{1} << (8 * sizeof(Bits) - 1)),
                          implicit_bit = Bits(Bits{1} << Fraction),
                          fraction_mask = Bits(implicit_bit - 1),
                          infinity = Bits(Bits(2 * Bias + 1) << Fraction),
                          largest = Bits(infinity - 1), quiet_bit = Bits(Bits{1} << (Fraction - 1)),
                          default_nan = Bits(sign_bit | infinity | quiet_bit),
                          magnitude_mask = Bits(sign_bit - 1);
};
template <class Bits>
struct vector_format;
template <>
struct vector_format<std::uint16_t> : vector_layout<std::uint16_t, std::uint64_t, 10, 15> {};
template <>
struct vector_format<std::uint32_t> : vector_layout<std::uint32_t, std::uint64_t, 23, 127> {};
template <>
struct vector_format<std::uint64_t> : vector_layout<std::uint64_t, uint128, 52, 1023> {};

template <class Bits>
constexpr Bits vector_magnitude(Bits v) {
    return Bits(v & vector_format<Bits>::magnitude_mask);
}
template <class Bits>
constexpr bool vector_negative(Bits v) {
    return (v & vector_format<Bits>::sign_bit) != 0;
}
template <class Bits>
constexpr bool vector_nan(Bits v) {
    return vector_magnitude(v) > vector_format<Bits>::infinity;
}
template <class Bits>
constexpr bool vector_signaling(Bits v) {
    return vector_nan(v) && (v & vector_format<Bits>::quiet_bit) == 0;
}
template <class Bits>
constexpr bool vector_infinite(Bits v) {
    return vector_magnitude(v) == vector_format<Bits>::infinity;
}
template <class Bits>
constexpr bool vector_zero(Bits v) {
    return vector_magnitude(v) == 0;
}
template <class Bits>
constexpr bool vector_denormal(Bits v) {
    return Bits(vector_magnitude(v) - 1) < vector_format<Bits>::fraction_mask;
}
// `magnitude` with the sign `negative`.
template <class Bits>
constexpr Bits vector_signed(bool negative, Bits magnitude) {
    return Bits(magnitude | (negative ? vector_format<Bits>::sign_bit : Bits{0}));
}
template <class Bits>
constexpr Bits vector_negated(Bits v) {
    return Bits(v ^ vector_format<Bits>::sign_bit);
}
template <class Bits>
constexpr Bits vector_quiet(Bits nan) {
    return Bits(nan | vector_format<Bits>::quiet_bit);
}

// The result where the operand is a NaN.
template <class Bits>
Bits vector_pass_nan(Bits nan, vector_environment& e) {
    if (vector_signaling(nan)) e.raise(mxcsr_ie);
    return vector_quiet(nan);
}
template <class Bits>
Bits vector_invalid(vector_environment& e) {
    e.raise(mxcsr_ie);
    return vector_format<Bits>::default_nan;
}
// A denormal operand as DAZ leaves it, without DE.
template <class Bits>
Bits vector_daz(Bits v, const vector_environment& e) {
    return e.daz && vector_denormal(v) ? Bits(v & vector_format<Bits>::sign_bit) : v;
}
// The same; raises DE for a denormal that stays.
template <class Bits>
Bits vector_operand(Bits v, vector_environment& e) {
    if (!vector_denormal(v)) return v;
    if (e.daz) return Bits(v & vector_format<Bits>::sign_bit);
    e.raise(mxcsr_de);
    return v;
}

}  // namespace knc::isa

#endif

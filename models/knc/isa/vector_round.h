// Rounding of exact vector results to float16, float32 and float64.
//
// Models: the four directions, gradual underflow, FZ, the flags OE, UE and PE. The unit detects
// tininess after rounding; FZ makes every tiny result a zero, exact ones too.
// Source: IEEE 754; Intel SDM vol. 1, chapter 4.8 and 11.5 (masked responses).
#ifndef KNC_ISA_VECTOR_ROUND_H
#define KNC_ISA_VECTOR_ROUND_H

#include <knc/isa/vector_format.h>
#include <knc/isa/wide.h>

namespace knc::isa {

// A number that is not zero, exact but for bit 0, which also stands for all bits below it. As
// vector_rounded takes it, the highest bit is 1 and weighs 2^exponent.
template <class Bits>
struct vector_exact {
    using wide = typename vector_format<Bits>::wide;
    bool negative = false;
    int exponent = 0;
    wide significand = 0;
};

inline int leading_zeros(std::uint64_t v) {
    return __builtin_clzll(v);
}
inline int leading_zeros(uint128 v) {
    const auto high = static_cast<std::uint64_t>(v >> 64);
    return high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(static_cast<std::uint64_t>(v));
}

template <class Bits>
vector_exact<Bits> vector_normalized(vector_exact<Bits> x) {
    const int shift = leading_zeros(x.significand);
    return {x.negative, x.exponent - shift, x.significand << shift};
}

// A number that is neither zero, infinity nor NaN.
template <class Bits>
vector_exact<Bits> vector_decode(Bits v) {
    using f = vector_format<Bits>;
    using wide = typename f::wide;
    constexpr int left = f::wide_bits - 1 - f::fraction;
    const int biased = static_cast<int>(vector_magnitude(v) >> f::fraction);
    const Bits low = Bits(v & f::fraction_mask);
    if (biased == 0)
        return vector_normalized<Bits>({vector_negative(v), f::min_exponent, wide{low} << left});
    return {vector_negative(v), biased - f::bias, wide(Bits(low | f::implicit_bit)) << left};
}

// Whether the magnitude grows by one unit; `rest` is what was cut off, in which `half` is half a
// unit.
template <class Wide>
bool vector_rounds_away(vector_rounding r, bool negative, bool odd, Wide rest, Wide half) {
    switch (r) {
        case vector_rounding::nearest:
            return rest > half || (rest == half && odd);
        case vector_rounding::down:
            return negative && rest != 0;
        case vector_rounding::up:
            return !negative && rest != 0;
        default:
            return false;
    }
}

template <class Bits>
Bits vector_overflow(bool negative, vector_environment& e) {
    e.raise(mxcsr_oe | mxcsr_pe);
    const bool infinite = e.rounding == vector_rounding::nearest ||
                          e.rounding == (negative ? vector_rounding::down : vector_rounding::up);
    using f = vector_format<Bits>;
    return vector_signed<Bits>(negative, infinite ? f::infinity : f::largest);
}

template <class Bits>
Bits vector_rounded(const vector_exact<Bits>& x, vector_environment& e) {
    using f = vector_format<Bits>;
    using wide = typename f::wide;
    constexpr int cut = f::wide_bits - 1 - f::fraction;
    constexpr wide unit = wide{1} << cut, half = unit >> 1;
    wide s = x.significand;
    const bool below = x.exponent < f::min_exponent;
    bool tiny = false;
    if (below) {
        // Not tiny: the highest denormal's successor, rounded up to it with an unlimited exponent.
        tiny = x.exponent < f::min_exponent - 1 || (s | (unit - 1)) != wide(~wide{0}) ||
               !vector_rounds_away(e.rounding, x.negative, true, s & (unit - 1), half);
        if (tiny && e.fz) {
            e.raise(mxcsr_ue | mxcsr_pe);
            return vector_signed<Bits>(x.negative, 0);
        }
        s = shift_right_jam(s, static_cast<unsigned>(f::min_exponent - x.exponent));
    }
    const wide rest = s & (unit - 1);
    Bits kept = static_cast<Bits>(s >> cut);
    if (rest != 0) {
        e.raise(tiny ? mxcsr_ue | mxcsr_pe : mxcsr_pe);
        kept = Bits(kept + vector_rounds_away(e.rounding, x.negative, (kept & 1) != 0, rest, half));
    }
    // A carry out of the significand goes into the exponent as it should.
    if (below) return vector_signed<Bits>(x.negative, kept);
    if (x.exponent > f::bias || (x.exponent == f::bias && kept >> f::fraction >> 1 != 0))
        return vector_overflow<Bits>(x.negative, e);
    const auto biased = static_cast<Bits>(x.exponent + f::bias - 1);
    return vector_signed<Bits>(x.negative, Bits((biased << f::fraction) + kept));
}

}  // namespace knc::isa

#endif

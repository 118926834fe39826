// Vector arithmetic by the host's double precision, where that is certain to be exact.
//
// Models: rounding to nearest of zeros and normal numbers with a result well inside the normal
// range, and PE. Everything else is left to the integers (the functions return false). The host
// rounds to nearest, as every C++ program finds it.
// The sum of two doubles and its error are exact (Knuth's two-sum). A sum rounded to odd keeps what
// the second rounding, to float32, has to know (Boldo and Melquiond). Whether a float64 product is
// exact is not worth finding out: the host is used once PE is set, as it soon is and remains.
#ifndef KNC_ISA_VECTOR_FAST_H
#define KNC_ISA_VECTOR_FAST_H

#include <cmath>
#include <cstring>

#include <knc/isa/vector_format.h>

namespace knc::isa {

template <class To, class From>
To vector_bit_cast(From v) {
    static_assert(sizeof(To) == sizeof(From));
    To r;
    std::memcpy(&r, &v, sizeof r);
    return r;
}

struct vector_two_sum {
    double sum, error;
};
inline vector_two_sum vector_sum_exactly(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// Zero or normal.
template <class Bits>
bool vector_plain(Bits v) {
    using f = vector_format<Bits>;
    const Bits m = vector_magnitude(v);
    return Bits(m - f::implicit_bit) < Bits(f::infinity - f::implicit_bit) || m == 0;
}
// Normal, and too large to have been tiny before the rounding.
template <class Bits>
bool vector_central(Bits v) {
    using f = vector_format<Bits>;
    constexpr Bits least = 2 * f::implicit_bit;
    return Bits(vector_magnitude(v) - least) < Bits(f::infinity - least);
}

inline double vector_value(std::uint32_t v) {
    return static_cast<double>(vector_bit_cast<float>(v));
}
// `exact`, a number whose rounding to float32 is that of the result.
inline bool vector_fast_round(double exact, vector_environment& e, std::uint32_t& result) {
    const auto rounded = static_cast<float>(exact);
    result = vector_bit_cast<std::uint32_t>(rounded);
    if (!vector_central(result)) return false;
    if (static_cast<double>(rounded) != exact) e.raise(mxcsr_pe);
    return true;
}
inline bool vector_fast_round(const vector_two_sum& s, vector_environment& e,
                              std::uint32_t& result) {
    // Toward zero, then odd, without branches that no host could predict.
    auto odd = vector_bit_cast<std::uint64_t>(s.sum);
    odd -= static_cast<std::uint64_t>((s.error < 0) != (s.sum < 0) && s.error != 0);
    odd |= static_cast<std::uint64_t>(s.error != 0);
    return vector_fast_round(vector_bit_cast<double>(odd), e, result);
}

inline bool vector_fast_add(std::uint32_t a, std::uint32_t b, vector_environment& e,
                            std::uint32_t& result) {
    return vector_fast_round(vector_sum_exactly(vector_value(a), vector_value(b)), e, result);
}
// The product of 48 bits is exact in a double.
inline bool vector_fast_multiply(std::uint32_t a, std::uint32_t b, vector_environment& e,
                                 std::uint32_t& result) {
    return vector_fast_round(vector_value(a) * vector_value(b), e, result);
}
inline bool vector_fast_multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                     vector_environment& e, std::uint32_t& result) {
    const double product = vector_value(a) * vector_value(b);
    return vector_fast_round(vector_sum_exactly(product, vector_value(c)), e, result);
}

inline double vector_value(std::uint64_t v) {
    return vector_bit_cast<double>(v);
}
inline bool vector_fast_add(std::uint64_t a, std::uint64_t b, vector_environment& e,
                            std::uint64_t& result) {
    const vector_two_sum s = vector_sum_exactly(vector_value(a), vector_value(b));
    result = vector_bit_cast<std::uint64_t>(s.sum);
    if (!vector_central(result)) return false;
    if (s.error != 0) e.raise(mxcsr_pe);
    return true;
}
inline bool vector_fast_multiply(std::uint64_t a, std::uint64_t b, const vector_environment& e,
                                 std::uint64_t& result) {
    if ((e.flags & mxcsr_pe) == 0) return false;
    result = vector_bit_cast<std::uint64_t>(vector_value(a) * vector_value(b));
    return vector_central(result);
}
inline bool vector_fast_multiply_add(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                     const vector_environment& e, std::uint64_t& result) {
    if ((e.flags & mxcsr_pe) == 0) return false;
    const double r = std::fma(vector_value(a), vector_value(b), vector_value(c));
    result = vector_bit_cast<std::uint64_t>(r);
    return vector_central(result);
}

}  // namespace knc::isa

#endif

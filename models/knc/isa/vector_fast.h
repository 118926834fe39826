// Vector arithmetic by the host's double precision, where that is certain to be exact.
//
// Models: rounding to nearest of zeros and normal numbers with a result well inside the normal
// range, and PE. Everything else is left to the integers (the functions return false). The host
// rounds to nearest, as every C++ program finds it.
// The sum of two doubles and its error are exact (Knuth's two-sum). A sum rounded to odd keeps what
// the second rounding, to float32, has to know (Boldo and Melquiond).
#ifndef KNC_ISA_VECTOR_FAST_H
#define KNC_ISA_VECTOR_FAST_H

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
// Neither zero nor close to the ends of the normal range.
template <class Bits>
bool vector_central(Bits v) {
    using f = vector_format<Bits>;
    return Bits(vector_magnitude(v) - 2 * f::implicit_bit) <
           Bits(f::infinity - 3 * f::implicit_bit);
}

// a * b + c, each a float32's value: the product of 48 bits is exact in a double.
inline bool vector_fast_multiply_add(double a, double b, double c, vector_environment& e,
                                     std::uint32_t& result) {
    const vector_two_sum s = vector_sum_exactly(a * b, c);
    auto odd = vector_bit_cast<std::uint64_t>(s.sum);
    // Toward zero, then odd, without branches that no host could predict.
    odd -= static_cast<std::uint64_t>((s.error < 0) != (s.sum < 0) && s.error != 0);
    odd |= static_cast<std::uint64_t>(s.error != 0);
    const auto exact = vector_bit_cast<double>(odd);
    const auto rounded = static_cast<float>(exact);
    result = vector_bit_cast<std::uint32_t>(rounded);
    if (!vector_central(result)) return false;
    if (static_cast<double>(rounded) != exact) e.raise(mxcsr_pe);
    return true;
}

inline double vector_value(std::uint32_t v) {
    return static_cast<double>(vector_bit_cast<float>(v));
}

inline bool vector_fast_add(std::uint32_t a, std::uint32_t b, vector_environment& e,
                            std::uint32_t& result) {
    return vector_fast_multiply_add(vector_value(a), 1, vector_value(b), e, result);
}
inline bool vector_fast_add(std::uint64_t a, std::uint64_t b, vector_environment& e,
                            std::uint64_t& result) {
    const vector_two_sum s =
        vector_sum_exactly(vector_bit_cast<double>(a), vector_bit_cast<double>(b));
    result = vector_bit_cast<std::uint64_t>(s.sum);
    if (!vector_central(result)) return false;
    if (s.error != 0) e.raise(mxcsr_pe);
    return true;
}
inline bool vector_fast_multiply(std::uint32_t a, std::uint32_t b, vector_environment& e,
                                 std::uint32_t& result) {
    const double exact = vector_value(a) * vector_value(b);
    const auto rounded = static_cast<float>(exact);
    result = vector_bit_cast<std::uint32_t>(rounded);
    if (!vector_central(result)) return false;
    if (static_cast<double>(rounded) != exact) e.raise(mxcsr_pe);
    return true;
}

}  // namespace knc::isa

#endif

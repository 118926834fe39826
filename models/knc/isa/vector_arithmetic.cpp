#include <knc/isa/vector_arithmetic.h>

#include <utility>

#include <knc/isa/vector_fast.h>
#include <knc/isa/vector_round.h>

namespace knc::isa {
namespace {

// x + y. The highest bit of either significand is the second highest of the type.
template <class Bits>
Bits sum(vector_exact<Bits> x, vector_exact<Bits> y, vector_environment& e) {
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand))
        std::swap(x, y);
    y.significand = shift_right_jam(y.significand, static_cast<unsigned>(x.exponent - y.exponent));
    if (x.negative == y.negative) {
        x.significand += y.significand;
    } else {
        x.significand -= y.significand;
        if (x.significand == 0) return vector_signed<Bits>(e.rounding == vector_rounding::down, 0);
    }
    return vector_rounded(vector_normalized(x), e);
}

// Room for a carry: the highest bit becomes the second highest. The lowest bits of a significand
// are free.
template <class Bits>
vector_exact<Bits> with_room(vector_exact<Bits> x) {
    x.significand >>= 1;
    ++x.exponent;
    return x;
}

// The sum of two zeros.
template <class Bits>
Bits zero_sum(bool a_negative, bool b_negative, const vector_environment& e) {
    const bool negative =
        a_negative == b_negative ? a_negative : e.rounding == vector_rounding::down;
    return vector_signed<Bits>(negative, 0);
}

// A product that is not zero, normalized.
template <class Bits>
vector_exact<Bits> product(Bits a, Bits b) {
    using f = vector_format<Bits>;
    using wide = typename f::wide;
    constexpr int left = f::wide_bits - 1 - f::fraction;
    const vector_exact<Bits> x = vector_decode(a), y = vector_decode(b);
    const wide p = (x.significand >> left) * (y.significand >> left);
    // The product of two numbers in [1, 2) is in [1, 4).
    constexpr int spare = f::wide_bits - 2 * (f::fraction + 1);
    const bool two = p >> (2 * f::fraction + 1) != 0;
    return {x.negative != y.negative, x.exponent + y.exponent + (two ? 1 : 0),
            p << (two ? spare : spare + 1)};
}

// Whether the host's arithmetic may be tried.
template <class... Bits>
bool simple(const vector_environment& e, Bits... operands) {
    return e.rounding == vector_rounding::nearest && (vector_plain(operands) && ...);
}

template <class Bits>
Bits slow_add(Bits a, Bits b, vector_environment& e) {
    a = vector_operand(a, e);
    b = vector_operand(b, e);
    if (vector_infinite(a)) return vector_infinite(b) && a != b ? vector_invalid<Bits>(e) : a;
    if (vector_infinite(b)) return b;
    if (vector_zero(a)) {
        if (vector_zero(b)) return zero_sum<Bits>(vector_negative(a), vector_negative(b), e);
        return vector_rounded(vector_decode(b), e);
    }
    if (vector_zero(b)) return vector_rounded(vector_decode(a), e);
    return sum(with_room(vector_decode(a)), with_room(vector_decode(b)), e);
}

// `b` and the result of two NaNs.
template <class Bits>
Bits pass_nans(Bits a, Bits b, vector_environment& e) {
    if (!vector_nan(a)) return vector_pass_nan(b, e);
    if (vector_signaling(b)) e.raise(mxcsr_ie);
    return vector_pass_nan(a, e);
}

template <class Bits>
Bits add(Bits a, Bits b, Bits negate_a, Bits negate_b, vector_environment& e) {
    if (vector_nan(a) || vector_nan(b)) return pass_nans(a, b, e);
    a ^= negate_a;
    b ^= negate_b;
    Bits r;
    if (simple(e, a, b) && vector_fast_add(a, b, e, r)) return r;
    return slow_add(a, b, e);
}

template <class Bits>
Bits slow_multiply(Bits a, Bits b, vector_environment& e) {
    const bool negative = vector_negative(a) != vector_negative(b);
    if (vector_infinite(a) || vector_infinite(b)) {
        if (vector_zero(vector_daz(a, e)) || vector_zero(vector_daz(b, e)))
            return vector_invalid<Bits>(e);
        vector_operand(a, e);
        vector_operand(b, e);
        return vector_signed(negative, vector_format<Bits>::infinity);
    }
    a = vector_operand(a, e);
    b = vector_operand(b, e);
    if (vector_zero(a) || vector_zero(b)) return vector_signed<Bits>(negative, 0);
    return vector_rounded(product(a, b), e);
}

template <class Bits>
Bits slow_multiply_add(Bits a, Bits b, Bits c, vector_environment& e) {
    a = vector_daz(a, e);
    b = vector_daz(b, e);
    c = vector_daz(c, e);
    const bool infinite = vector_infinite(a) || vector_infinite(b);
    const bool negative = vector_negative(a) != vector_negative(b);
    const Bits infinity = vector_signed(negative, vector_format<Bits>::infinity);
    if (infinite && (vector_zero(a) || vector_zero(b) || (vector_infinite(c) && c != infinity)))
        return vector_invalid<Bits>(e);
    if (vector_denormal(a) || vector_denormal(b) || vector_denormal(c)) e.raise(mxcsr_de);
    if (infinite) return infinity;
    if (vector_infinite(c)) return c;
    if (vector_zero(a) || vector_zero(b)) {
        if (vector_zero(c)) return zero_sum<Bits>(negative, vector_negative(c), e);
        return vector_rounded(vector_decode(c), e);
    }
    const vector_exact<Bits> p = product(a, b);
    if (vector_zero(c)) return vector_rounded(p, e);
    return sum(with_room(p), with_room(vector_decode(c)), e);
}

template <class Bits>
Bits multiply_add(Bits a, Bits b, Bits c, Bits negate_a, Bits negate_c, vector_environment& e) {
    if (vector_nan(a) || vector_nan(b) || vector_nan(c)) {
        if (!vector_nan(a) && !vector_nan(b)) return vector_pass_nan(c, e);
        if (vector_signaling(c)) e.raise(mxcsr_ie);
        return pass_nans(a, b, e);
    }
    a ^= negate_a;
    c ^= negate_c;
    Bits r;
    if (simple(e, a, b, c) && vector_fast_multiply_add(a, b, c, e, r)) return r;
    return slow_multiply_add(a, b, c, e);
}

}  // namespace

template <class Bits>
Bits vector_add(Bits a, Bits b, vector_environment& e) {
    return add<Bits>(a, b, 0, 0, e);
}
template <class Bits>
Bits vector_subtract(Bits a, Bits b, vector_environment& e) {
    return add<Bits>(a, b, 0, vector_format<Bits>::sign_bit, e);
}
template <class Bits>
Bits vector_add_negated(Bits a, Bits b, vector_environment& e) {
    constexpr Bits sign = vector_format<Bits>::sign_bit;
    return add<Bits>(a, b, sign, sign, e);
}
template <class Bits>
Bits vector_multiply(Bits a, Bits b, vector_environment& e) {
    if (vector_nan(a) || vector_nan(b)) return pass_nans(a, b, e);
    Bits r;
    if (simple(e, a, b) && vector_fast_multiply(a, b, e, r)) return r;
    return slow_multiply(a, b, e);
}
template <class Bits>
Bits vector_multiply_add(Bits a, Bits b, Bits c, vector_environment& e) {
    return multiply_add<Bits>(a, b, c, 0, 0, e);
}
template <class Bits>
Bits vector_multiply_subtract(Bits a, Bits b, Bits c, vector_environment& e) {
    return multiply_add<Bits>(a, b, c, 0, vector_format<Bits>::sign_bit, e);
}
template <class Bits>
Bits vector_negated_multiply_add(Bits a, Bits b, Bits c, vector_environment& e) {
    return multiply_add<Bits>(a, b, c, vector_format<Bits>::sign_bit, 0, e);
}
template <class Bits>
Bits vector_negated_multiply_subtract(Bits a, Bits b, Bits c, vector_environment& e) {
    constexpr Bits sign = vector_format<Bits>::sign_bit;
    return multiply_add<Bits>(a, b, c, sign, sign, e);
}

#define KNC_VECTOR_ARITHMETIC(Bits)                                                   \
    template Bits vector_add(Bits, Bits, vector_environment&);                        \
    template Bits vector_subtract(Bits, Bits, vector_environment&);                   \
    template Bits vector_add_negated(Bits, Bits, vector_environment&);                \
    template Bits vector_multiply(Bits, Bits, vector_environment&);                   \
    template Bits vector_multiply_add(Bits, Bits, Bits, vector_environment&);         \
    template Bits vector_multiply_subtract(Bits, Bits, Bits, vector_environment&);    \
    template Bits vector_negated_multiply_add(Bits, Bits, Bits, vector_environment&); \
    template Bits vector_negated_multiply_subtract(Bits, Bits, Bits, vector_environment&);
KNC_VECTOR_ARITHMETIC(std::uint32_t)
KNC_VECTOR_ARITHMETIC(std::uint64_t)
#undef KNC_VECTOR_ARITHMETIC

}  // namespace knc::isa

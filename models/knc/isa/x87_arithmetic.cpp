#include <knc/isa/x87_arithmetic.h>

#include <utility>

#include <knc/isa/x87_round.h>

namespace knc::isa {
namespace {

x87_result rounded(const x87_unrounded& u, unsigned control, unsigned flags) {
    return x87_deliver(u, x87_precision(control), control, flags);
}

unsigned denormal(const x87_operand& a, const x87_operand& b) {
    return x87_denormal(a) | x87_denormal(b);
}

// The sum of numbers neither of which is zero.
x87_result sum_of_numbers(x87_operand a, x87_operand b, unsigned control, unsigned flags) {
    if (std::pair(a.exponent, a.significand) < std::pair(b.exponent, b.significand))
        std::swap(a, b);
    // One bit of room for a carry.
    const uint128 x = uint128{a.significand} << 63;
    const uint128 y = shift_right_jam(uint128{b.significand} << 63,
                                      static_cast<unsigned>(a.exponent - b.exponent));
    const uint128 s = a.negative == b.negative ? x + y : x - y;
    if (s == 0) return {x87_zero(x87_rounding(control) == x87_direction::down), flags};
    return rounded(x87_normalized(a.negative, a.exponent + 1, s), control, flags);
}

// `b` already has the sign with which it is added.
x87_result sum(const x87_operand& a, const x87_operand& b, unsigned control) {
    const bool opposite = a.negative != b.negative;
    if (a.infinite() && b.infinite() && opposite) return x87_invalid;
    const unsigned flags = denormal(a, b);
    if (x87_stops(flags, control)) return {{}, flags};
    if (a.infinite()) return {x87_infinity(a.negative), flags};
    if (b.infinite()) return {x87_infinity(b.negative), flags};
    if (a.zero() && b.zero()) {
        const bool down = x87_rounding(control) == x87_direction::down;
        return {x87_zero(opposite ? down : a.negative), flags};
    }
    if (a.zero()) return rounded(x87_exact(b), control, flags);
    if (b.zero()) return rounded(x87_exact(a), control, flags);
    return sum_of_numbers(a, b, control, flags);
}

}  // namespace

x87_result x87_add(const x87_operand& a, const x87_operand& b, unsigned control) {
    x87_result r;
    return x87_decided(a, b, r) ? r : sum(a, b, control);
}

x87_result x87_subtract(const x87_operand& a, const x87_operand& b, unsigned control) {
    x87_result r;
    if (x87_decided(a, b, r)) return r;
    x87_operand minus_b = b;
    minus_b.negative = !b.negative;
    return sum(a, minus_b, control);
}

x87_result x87_multiply(const x87_operand& a, const x87_operand& b, unsigned control) {
    x87_result r;
    if (x87_decided(a, b, r)) return r;
    const bool negative = a.negative != b.negative;
    if ((a.infinite() && b.zero()) || (a.zero() && b.infinite())) return x87_invalid;
    const unsigned flags = denormal(a, b);
    if (x87_stops(flags, control)) return {{}, flags};
    if (a.infinite() || b.infinite()) return {x87_infinity(negative), flags};
    if (a.zero() || b.zero()) return {x87_zero(negative), flags};
    const uint128 product = uint128{a.significand} * b.significand;
    return rounded(x87_normalized(negative, a.exponent + b.exponent + 1, product), control, flags);
}

x87_result x87_divide(const x87_operand& a, const x87_operand& b, unsigned control) {
    x87_result r;
    if (x87_decided(a, b, r)) return r;
    const bool negative = a.negative != b.negative;
    if ((a.infinite() && b.infinite()) || (a.zero() && b.zero())) return x87_invalid;
    if (b.zero() && !a.infinite()) return {x87_infinity(negative), x87_ze};
    const unsigned flags = denormal(a, b);
    if (x87_stops(flags, control)) return {{}, flags};
    if (a.infinite()) return {x87_infinity(negative), flags};
    if (a.zero() || b.infinite()) return {x87_zero(negative), flags};
    // 128 bits of quotient, 127 of them after the point.
    const uint128 dividend = uint128{a.significand} << 63;
    const uint128 rest = dividend % b.significand << 64;
    const uint128 quotient = (dividend / b.significand << 64) | rest / b.significand;
    const uint128 sticky = rest % b.significand != 0;
    return rounded(x87_normalized(negative, a.exponent - b.exponent, quotient | sticky), control,
                   flags);
}

x87_result x87_square_root(const x87_operand& a, unsigned control) {
    x87_result r;
    if (x87_decided(a, r)) return r;
    if (a.zero()) return {x87_zero(a.negative), 0};
    if (a.negative) return x87_invalid;
    const unsigned flags = x87_denormal(a);
    if (x87_stops(flags, control)) return {{}, flags};
    if (a.infinite()) return {x87_infinity(false), flags};
    // Digit by digit: 66 bits of root from a radicand of 132 bits, of which 64 or 65 are not 0.
    const bool odd = (a.exponent & 1) != 0;
    uint128 radicand = uint128{a.significand} << (odd ? 64 : 63);
    uint128 root = 0, rest = 0;
    for (unsigned n = 0; n < 66; ++n) {
        rest = rest << 2 | radicand >> 126;
        radicand <<= 2;
        const uint128 trial = root << 2 | 1;
        const bool one = rest >= trial;
        if (one) rest -= trial;
        root = root << 1 | one;
    }
    const uint128 significand = root << 62 | (rest != 0);
    return rounded({false, (a.exponent - odd) / 2, significand}, control, flags);
}

unsigned x87_compare(const x87_operand& a, const x87_operand& b, bool quiet) {
    constexpr unsigned unordered = x87_c3 | x87_c2 | x87_c0;
    if (a.kind == x87_kind::unsupported || b.kind == x87_kind::unsupported)
        return unordered | x87_ie;
    if (a.nan() || b.nan()) {
        const bool signals = a.kind == x87_kind::signaling_nan || b.kind == x87_kind::signaling_nan;
        return unordered | (quiet && !signals ? 0 : x87_ie);
    }
    const unsigned flags = denormal(a, b);
    // Orders magnitudes: zeros below numbers below infinities.
    const auto magnitude = [](const x87_operand& v) {
        const int rank = v.zero() ? 0 : v.infinite() ? 2 : 1;
        return std::pair(rank, std::pair(v.exponent, v.significand));
    };
    const auto x = magnitude(a), y = magnitude(b);
    if (a.zero() && b.zero()) return flags | x87_c3;
    if (a.negative != b.negative) return flags | (a.negative ? x87_c0 : 0);
    if (x == y) return flags | x87_c3;
    return flags | ((x < y) != a.negative ? x87_c0 : 0);
}

}  // namespace knc::isa

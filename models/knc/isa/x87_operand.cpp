#include <knc/isa/x87_operand.h>

namespace knc::isa {
namespace {

x87_operand special(x87_kind kind, bool negative, std::uint64_t significand = 0) {
    return {kind, negative, 0, significand};
}

x87_operand finite(x87_kind kind, bool negative, int exponent, std::uint64_t significand) {
    const int shift = __builtin_clzll(significand);
    return {kind, negative, exponent - shift, significand << shift};
}

x87_operand nan(bool negative, std::uint64_t significand) {
    const bool quiet = (significand & x87_quiet_bit) != 0;
    return special(quiet ? x87_kind::quiet_nan : x87_kind::signaling_nan, negative, significand);
}

// An IEEE format with hidden integer bit: `fraction` bits of fraction, exponent field of `width`.
x87_operand from_ieee(std::uint64_t bits, unsigned fraction, unsigned width) {
    const bool negative = (bits >> (fraction + width) & 1) != 0;
    const unsigned all_ones = (1u << width) - 1;
    const unsigned exponent = static_cast<unsigned>(bits >> fraction) & all_ones;
    const int bias = static_cast<int>(all_ones >> 1);
    const std::uint64_t tail = bits << (64 - fraction) >> 1;  // from bit 62 down
    if (exponent == all_ones)
        return tail == 0 ? special(x87_kind::infinity, negative)
                         : nan(negative, x87_integer_bit | tail);
    if (exponent != 0)
        return finite(x87_kind::normal, negative, static_cast<int>(exponent) - bias,
                      x87_integer_bit | tail);
    if (tail == 0) return special(x87_kind::zero, negative);
    return finite(x87_kind::denormal, negative, 1 - bias, tail);
}

x87_register quieted(const x87_operand& a) {
    return x87_make(a.negative, 0x7fff, a.significand | x87_quiet_bit);
}

// Of two NaNs of one sort: the one with the larger significand; the positive one if they are equal.
const x87_operand& larger(const x87_operand& a, const x87_operand& b) {
    const std::uint64_t x = a.significand | x87_quiet_bit, y = b.significand | x87_quiet_bit;
    if (x != y) return x > y ? a : b;
    return a.negative ? b : a;
}

}  // namespace

x87_operand x87_decode(const x87_register& r) {
    const unsigned exponent = r.exponent();
    const std::uint64_t s = r.significand;
    const bool integer = (s & x87_integer_bit) != 0;
    if (exponent == 0) {
        if (s == 0) return special(x87_kind::zero, r.negative());
        return finite(x87_kind::denormal, r.negative(), 1 - x87_bias, s);
    }
    if (!integer) return special(x87_kind::unsupported, r.negative());
    if (exponent != 0x7fff)
        return {x87_kind::normal, r.negative(), static_cast<int>(exponent) - x87_bias, s};
    if (s == x87_integer_bit) return special(x87_kind::infinity, r.negative());
    return nan(r.negative(), s);
}

x87_operand x87_from_real(std::uint32_t bits) {
    return from_ieee(bits, 23, 8);
}
x87_operand x87_from_real(std::uint64_t bits) {
    return from_ieee(bits, 52, 11);
}

x87_operand x87_from_magnitude(bool negative, std::uint64_t v) {
    if (v == 0) return special(x87_kind::zero, negative);
    return finite(x87_kind::normal, negative, 63, v);
}
x87_operand x87_from_integer(std::int64_t v) {
    const auto u = static_cast<std::uint64_t>(v);
    return x87_from_magnitude(v < 0, v < 0 ? 0 - u : u);
}

x87_register x87_encode(const x87_operand& a) {
    switch (a.kind) {
        case x87_kind::zero:
            return x87_zero(a.negative);
        case x87_kind::infinity:
            return x87_infinity(a.negative);
        case x87_kind::quiet_nan:
        case x87_kind::signaling_nan:
            return x87_make(a.negative, 0x7fff, a.significand);
        case x87_kind::unsupported:
            return x87_indefinite;
        default:
            break;
    }
    const int biased = a.exponent + x87_bias;
    if (biased > 0) return x87_make(a.negative, static_cast<unsigned>(biased), a.significand);
    return x87_make(a.negative, 0, a.significand >> (1 - biased));
}

bool x87_decided(const x87_operand& a, x87_result& r) {
    if (a.kind == x87_kind::unsupported) {
        r = x87_invalid;
    } else if (a.nan()) {
        r = {quieted(a), a.kind == x87_kind::signaling_nan ? x87_ie : 0};
    } else {
        return false;
    }
    return true;
}

bool x87_decided(const x87_operand& a, const x87_operand& b, x87_result& r) {
    if (a.kind == x87_kind::unsupported || b.kind == x87_kind::unsupported) {
        r = x87_invalid;
        return true;
    }
    if (!a.nan()) return x87_decided(b, r);
    if (!b.nan()) return x87_decided(a, r);
    const bool a_signals = a.kind == x87_kind::signaling_nan,
               b_signals = b.kind == x87_kind::signaling_nan;
    const x87_operand& chosen = a_signals == b_signals ? larger(a, b) : a_signals ? b : a;
    r = {quieted(chosen), a_signals || b_signals ? x87_ie : 0};
    return true;
}

}  // namespace knc::isa

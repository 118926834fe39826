#include <knc/isa/x87_round.h>

namespace knc::isa {
namespace {

constexpr int bias_adjust = 24576;

struct cut {
    std::uint64_t kept = 0;
    bool carry = false;  // the kept part became 2^64
    bool inexact = false, away = false;
};

// Whether a magnitude increases by one unit of its last place; `rest` compares the part cut off
// with half of that unit (0: nothing cut off, 1: less, 2: half, 3: more).
bool rounds_away(x87_direction d, bool negative, bool odd, unsigned rest) {
    switch (d) {
        case x87_direction::nearest:
            return rest == 3 || (rest == 2 && odd);
        case x87_direction::down:
            return negative && rest != 0;
        case x87_direction::up:
            return !negative && rest != 0;
        default:
            return false;
    }
}

unsigned compare_with_half(uint128 low, uint128 half) {
    return low == 0 ? 0 : low < half ? 1 : low == half ? 2 : 3;
}

// The upper `keep` bits (1 .. 64) of `v`, rounded, left-aligned.
cut cut_off(uint128 v, unsigned keep, x87_direction d, bool negative) {
    const uint128 unit = uint128{1} << (128 - keep);
    const uint128 low = v & (unit - 1);
    const unsigned rest = compare_with_half(low, unit >> 1);
    cut c;
    c.inexact = rest != 0;
    c.away = rounds_away(d, negative, (v & unit) != 0, rest);
    const uint128 sum = v - low + (c.away ? unit : 0);
    c.carry = sum < v - low;
    c.kept = static_cast<std::uint64_t>(sum >> 64);
    return c;
}

unsigned flags_of(const cut& c) {
    return (c.inexact ? x87_pe : 0) | (c.away ? x87_c1 : 0);
}

x87_rounded overflowed(const x87_format& f, x87_direction d, bool negative) {
    x87_rounded r;
    r.infinite =
        d == x87_direction::nearest || d == (negative ? x87_direction::down : x87_direction::up);
    r.exponent = f.max_exponent;
    r.significand = ~std::uint64_t{0} << (64 - f.precision);
    r.flags = x87_oe | x87_pe | (r.infinite ? x87_c1 : 0);
    return r;
}

x87_rounded denormal(const x87_unrounded& u, const x87_format& f, x87_direction d) {
    const auto shift = static_cast<unsigned>(f.min_exponent - u.exponent);
    const cut c = cut_off(shift_right_jam(u.significand, shift), f.precision, d, u.negative);
    x87_rounded r;
    r.exponent = f.min_exponent;
    r.significand = c.kept;
    r.flags = flags_of(c) | (c.inexact ? x87_ue : 0);
    return r;
}

}  // namespace

x87_unrounded x87_normalized(bool negative, int exponent, uint128 significand) {
    const auto high = static_cast<std::uint64_t>(significand >> 64);
    const int shift = high != 0 ? __builtin_clzll(high)
                                : 64 + __builtin_clzll(static_cast<std::uint64_t>(significand));
    return {negative, exponent - shift, significand << shift};
}

unsigned x87_precision(unsigned control) {
    constexpr unsigned bits[] = {24, 64, 53, 64};  // 01 is reserved
    return bits[control >> x87_precision_shift & 3];
}

x87_rounded x87_round(const x87_unrounded& u, const x87_format& f, unsigned control, int adjust) {
    const x87_direction d = x87_rounding(control);
    const cut c = cut_off(u.significand, f.precision, d, u.negative);
    x87_rounded r;
    r.exponent = u.exponent + (c.carry ? 1 : 0);
    r.significand = c.carry ? x87_integer_bit : c.kept;
    r.flags = flags_of(c);
    if (r.exponent > f.max_exponent) {
        if ((control & x87_oe) != 0) return overflowed(f, d, u.negative);
        r.flags |= x87_oe;
        r.exponent -= adjust;
        if (r.exponent > f.max_exponent) return overflowed(f, x87_direction::nearest, u.negative);
    } else if (r.exponent < f.min_exponent) {
        if ((control & x87_ue) != 0) return denormal(u, f, d);
        r.flags |= x87_ue;
        r.exponent += adjust;
        if (r.exponent < f.min_exponent) return {false, f.min_exponent, 0, x87_ue | x87_pe};
    }
    return r;
}

x87_result x87_deliver(const x87_unrounded& u, unsigned precision, unsigned control,
                       unsigned flags) {
    const x87_rounded r = x87_round(u, x87_extended(precision), control, bias_adjust);
    const unsigned all = r.flags | flags;
    if (r.infinite) return {x87_infinity(u.negative), all};
    const int biased = (r.significand & x87_integer_bit) != 0 ? r.exponent + x87_bias : 0;
    return {x87_make(u.negative, static_cast<unsigned>(biased), r.significand), all};
}

x87_integer x87_round_to_integer(const x87_operand& v, x87_direction d) {
    x87_integer r;
    if (v.zero()) return r;
    if (v.exponent > 63) {
        r.overflow = true;
        return r;
    }
    // Fixed point: 64 bits before, 64 bits after the point.
    const uint128 fixed =
        v.exponent >= -1 ? uint128{v.significand} << (v.exponent + 1)
                         : shift_right_jam(v.significand, static_cast<unsigned>(-1 - v.exponent));
    r.magnitude = static_cast<std::uint64_t>(fixed >> 64);
    const unsigned rest = compare_with_half(static_cast<std::uint64_t>(fixed), x87_integer_bit);
    const bool away = rounds_away(d, v.negative, (r.magnitude & 1) != 0, rest);
    r.magnitude += away;
    r.flags = (rest != 0 ? x87_pe : 0) | (away ? x87_c1 : 0);
    return r;
}

}  // namespace knc::isa

// Operations on exponents and integral parts: remainders, scaling, extraction, rounding to integer.

#include <algorithm>

#include <knc/isa/x87_arithmetic.h>
#include <knc/isa/x87_round.h>

namespace knc::isa {
namespace {

constexpr unsigned all_bits = 64;

unsigned quotient_flags(unsigned q) {
    return ((q & 4) != 0 ? x87_c0 : 0) | ((q & 2) != 0 ? x87_c3 : 0) | ((q & 1) != 0 ? x87_c1 : 0);
}

// The special cases: infinite dividend, zero divisor, infinite divisor, zero dividend. `flags`: DE.
bool remainder_decided(const x87_operand& a, const x87_operand& b, unsigned control, x87_result& r,
                       unsigned& flags) {
    if (x87_decided(a, b, r)) return true;
    if (a.infinite() || b.zero()) {
        r = x87_invalid;
        return true;
    }
    flags = x87_denormal(a) | x87_denormal(b);
    if (x87_stops(flags, control)) {
        r = {{}, flags};
        return true;
    }
    if (a.zero()) {
        r = {x87_zero(a.negative), flags};
        return true;
    }
    if (b.infinite()) {
        r = x87_deliver(x87_exact(a), all_bits, control, flags);
        return true;
    }
    return false;
}

// `significand`, whose bit 63 weighs 2^exponent, as the remainder.
x87_result remainder_of(bool negative, bool zero_negative, int exponent, uint128 significand,
                        unsigned control, unsigned flags) {
    if (significand == 0) return {x87_zero(zero_negative), flags};
    return x87_deliver(x87_normalized(negative, exponent + 64, significand), all_bits, control,
                       flags);
}

// A step of an incomplete reduction takes 32 to 63 bits, so that a multiple of 32 remains.
x87_result partial(const x87_operand& a, const x87_operand& b, int distance, unsigned control,
                   unsigned flags) {
    const unsigned n = (static_cast<unsigned>(distance) & 31) | 32;
    const uint128 rest = (uint128{a.significand} << n) % b.significand;
    return remainder_of(a.negative, a.negative, a.exponent - static_cast<int>(n), rest, control,
                        flags | x87_c2);
}

}  // namespace

x87_result x87_remainder(const x87_operand& a, const x87_operand& b, unsigned control) {
    x87_result r;
    unsigned flags = 0;
    if (remainder_decided(a, b, control, r, flags)) return r;
    const int distance = a.exponent - b.exponent;
    if (distance < 0) return x87_deliver(x87_exact(a), all_bits, control, flags);
    if (distance >= 64) return partial(a, b, distance, control, flags);
    const uint128 dividend = uint128{a.significand} << distance;
    const auto q = static_cast<unsigned>(dividend / b.significand & 7);
    return remainder_of(a.negative, a.negative, b.exponent, dividend % b.significand, control,
                        flags | quotient_flags(q));
}

x87_result x87_ieee_remainder(const x87_operand& a, const x87_operand& b, unsigned control) {
    x87_result r;
    unsigned flags = 0;
    if (remainder_decided(a, b, control, r, flags)) return r;
    const int distance = a.exponent - b.exponent;
    if (distance < -1) return x87_deliver(x87_exact(a), all_bits, control, flags);
    if (distance >= 64) return partial(a, b, distance, control, flags);
    // In units of half the divisor's last place.
    const uint128 divisor = uint128{b.significand} << 1;
    uint128 rest = 0;
    unsigned q = 0;
    if (distance < 0) {
        rest = a.significand;
    } else {
        const uint128 dividend = uint128{a.significand} << distance;
        q = static_cast<unsigned>(dividend / b.significand & 7);
        rest = dividend % b.significand << 1;
    }
    const uint128 complement = divisor - rest;
    const bool up = rest > complement || (rest == complement && (q & 1) != 0);
    return remainder_of(a.negative != up, a.negative, b.exponent - 1, up ? complement : rest,
                        control, flags | quotient_flags(q + up));
}

x87_result x87_to_integral(const x87_operand& a, unsigned control) {
    x87_result r;
    if (x87_decided(a, r)) return r;
    const unsigned flags = x87_denormal(a);
    if (x87_stops(flags, control)) return {{}, flags};
    if (!a.number() || a.exponent >= 63) return {x87_encode(a), flags};
    const x87_integer i = x87_round_to_integer(a, x87_rounding(control));
    return {x87_encode(x87_from_magnitude(a.negative, i.magnitude)), flags | i.flags};
}

x87_result x87_scale(const x87_operand& a, const x87_operand& by, unsigned control) {
    x87_result r;
    if (x87_decided(a, by, r)) return r;
    if (by.infinite() && (by.negative ? a.infinite() : a.zero())) return x87_invalid;
    const unsigned flags = x87_denormal(a) | x87_denormal(by);
    if (x87_stops(flags, control)) return {{}, flags};
    if (by.infinite() && by.negative) return {x87_zero(a.negative), flags};
    if (by.infinite() || a.infinite()) return {x87_infinity(a.negative), flags};
    if (a.zero()) return {x87_zero(a.negative), flags};
    // Beyond this every result overflows or underflows, adjusted or not.
    constexpr std::uint64_t limit = 0x10000;
    const x87_integer n = x87_round_to_integer(by, x87_direction::zero);
    const auto amount = static_cast<int>(n.overflow ? limit : std::min(n.magnitude, limit));
    x87_unrounded u = x87_exact(a);
    u.exponent += by.negative ? -amount : amount;
    return x87_deliver(u, all_bits, control, flags);
}

x87_parts x87_extract(const x87_operand& a) {
    x87_result r;
    if (x87_decided(a, r)) return {r, r};
    if (a.zero()) return {{x87_infinity(true), x87_ze}, {x87_zero(a.negative), x87_ze}};
    if (a.infinite()) return {{x87_infinity(false), 0}, {x87_infinity(a.negative), 0}};
    const unsigned flags = x87_denormal(a);
    return {{x87_encode(x87_from_integer(a.exponent)), flags},
            {x87_make(a.negative, x87_bias, a.significand), flags}};
}

}  // namespace knc::isa

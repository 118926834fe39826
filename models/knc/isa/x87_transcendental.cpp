#include <knc/isa/x87_transcendental.h>

#include <knc/isa/x87_big.h>
#include <knc/isa/x87_round.h>

namespace knc::isa {
namespace {

// Results are truncated to 128 bits, with the ternary value for the rest, and then rounded once.
// Intermediate values have so many more bits that their error cannot reach the rounding: the exact
// value is irrational, and nothing makes it lie close to a number of 65 bits.
constexpr unsigned result_bits = 128, inner_bits = 320;

// Processors report every value that they have computed as inexact, even the few exact ones.
x87_result deliver(mpfr_ptr v, bool inexact, unsigned control, unsigned flags) {
    const bool negative = mpfr_signbit(v) != 0;
    if (mpfr_zero_p(v) != 0) return {x87_zero(negative), flags};
    static_assert(sizeof(mp_limb_t) == 8);
    const auto* limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(v));
    const uint128 significand = uint128{limbs[1]} << 64 | limbs[0];
    x87_result r =
        x87_deliver({negative, static_cast<int>(mpfr_get_exp(v)) - 1, significand | inexact}, 64,
                    control, flags | x87_pe);
    const bool tiny = r.value.exponent() == 0;
    if (tiny) r.flags |= x87_ue;
    return r;
}

using function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

x87_result evaluate(function f, mpfr_srcptr x, bool negate, unsigned control, unsigned flags) {
    x87_big r(result_bits);
    const int ternary = f(r, x, MPFR_RNDZ);
    if (negate) mpfr_neg(r, r, MPFR_RNDN);
    return deliver(r, ternary != 0, control, flags);
}

// y * log: `log` is exact if `exact`.
x87_result product(mpfr_srcptr log, bool exact, const x87_operand& y, unsigned control,
                   unsigned flags) {
    x87_big r(result_bits);
    const int ternary = mpfr_mul(r, x87_big(y, inner_bits), log, MPFR_RNDZ);
    return deliver(r, ternary != 0 || !exact, control, flags);
}

bool is_one(const x87_operand& x) {
    return x.number() && !x.negative && x.exponent == 0 && x.significand == x87_integer_bit;
}

// The magnitude of an angle as a multiple of pi/2 (modulo 4) and a rest of at most pi/4.
struct reduced_angle {
    x87_big rest{inner_bits};
    unsigned quadrant = 0;

    explicit reduced_angle(const x87_operand& angle) {
        // pi is taken for 3.243F6A88 85A308D3 (hexadecimal): C90FDAA2 2168C234 C times 2^-66.
        x87_big half_pi(inner_bits), low(inner_bits), multiple(inner_bits);
        mpfr_set_uj_2exp(half_pi, 0xc90fdaa2'2168c234, -63, MPFR_RNDN);
        mpfr_set_uj_2exp(low, 0xc, -67, MPFR_RNDN);
        mpfr_add(half_pi, half_pi, low, MPFR_RNDN);

        x87_big magnitude(angle, inner_bits);
        mpfr_abs(magnitude, magnitude, MPFR_RNDN);
        mpfr_div(multiple, magnitude, half_pi, MPFR_RNDN);
        mpfr_rint(multiple, multiple, MPFR_RNDN);
        quadrant = static_cast<unsigned>(mpfr_get_uj(multiple, MPFR_RNDN) & 3);
        mpfr_mul(multiple, multiple, half_pi, MPFR_RNDN);
        mpfr_sub(rest, magnitude, multiple, MPFR_RNDN);
    }
};

// The common part of the three functions: operands without an ordinary result. `at_zero` is the
// result for zero.
bool angle_decided(const x87_operand& x, const x87_register& at_zero, unsigned control,
                   x87_result& r) {
    if (x87_decided(x, r)) return true;
    if (x.infinite()) {
        r = x87_invalid;
    } else if (x87_stops(x87_denormal(x), control)) {
        r = {{}, x87_de};
    } else if (x.zero()) {
        r = {at_zero, 0};
    } else if (x.exponent >= 63) {
        r = {{}, x87_c2};
    } else {
        return false;
    }
    return true;
}

}  // namespace

x87_result x87_sine(const x87_operand& x, unsigned control) {
    x87_result r;
    if (angle_decided(x, x87_zero(x.negative), control, r)) return r;
    reduced_angle a(x);
    return evaluate((a.quadrant & 1) != 0 ? mpfr_cos : mpfr_sin, a.rest,
                    x.negative != (a.quadrant >= 2), control, x87_denormal(x));
}

x87_result x87_cosine(const x87_operand& x, unsigned control) {
    x87_result r;
    if (angle_decided(x, x87_one, control, r)) return r;
    reduced_angle a(x);
    return evaluate((a.quadrant & 1) != 0 ? mpfr_sin : mpfr_cos, a.rest,
                    a.quadrant == 1 || a.quadrant == 2, control, x87_denormal(x));
}

x87_result x87_tangent(const x87_operand& x, unsigned control) {
    x87_result r;
    if (angle_decided(x, x87_zero(x.negative), control, r)) return r;
    reduced_angle a(x);
    const bool odd = (a.quadrant & 1) != 0;
    return evaluate(odd ? mpfr_cot : mpfr_tan, a.rest, x.negative != odd, control, x87_denormal(x));
}

x87_result x87_exp2_minus_1(const x87_operand& x, unsigned control) {
    x87_result r;
    if (x87_decided(x, r)) return r;
    const unsigned flags = x87_denormal(x);
    if (x87_stops(flags, control)) return {{}, flags};
    if (x.zero()) return {x87_zero(x.negative), 0};
    if (x.infinite()) {
        const x87_register minus_one = x87_make(true, x87_bias, x87_integer_bit);
        return {x.negative ? minus_one : x87_infinity(false), 0};
    }
    // The manual leaves the result undefined outside [-1, 1]: the operand stays.
    if (x.exponent > 0 || (x.exponent == 0 && x.significand != x87_integer_bit))
        return {x87_encode(x), x87_pe};
    return evaluate(mpfr_exp2m1, x87_big(x, inner_bits), false, control, flags);
}

x87_result x87_log2(const x87_operand& x, const x87_operand& y, unsigned control) {
    x87_result r;
    if (x87_decided(x, y, r)) return r;
    if (x.negative && !x.zero()) return x87_invalid;
    if ((x.infinite() || x.zero()) && y.zero()) return x87_invalid;
    if (is_one(x) && y.infinite()) return x87_invalid;
    const bool below_one = x.zero() || (x.number() && x.exponent < 0);
    const bool negative = y.negative != below_one;
    if (x.zero() && !y.infinite()) return {x87_infinity(negative), x87_ze};
    const unsigned flags = x87_denormal(x) | x87_denormal(y);
    if (x87_stops(flags, control)) return {{}, flags};
    if (x.infinite() || y.infinite()) return {x87_infinity(negative), flags};
    if (y.zero() || is_one(x)) return {x87_zero(negative), flags};
    x87_big log(inner_bits);
    const int ternary = mpfr_log2(log, x87_big(x, inner_bits), MPFR_RNDZ);
    return product(log, ternary == 0, y, control, flags);
}

x87_result x87_log2_plus_1(const x87_operand& x, const x87_operand& y, unsigned control) {
    x87_result r;
    if (x87_decided(x, y, r)) return r;
    if (x.negative && x.infinite()) return x87_invalid;
    if ((x.zero() && y.infinite()) || (x.infinite() && y.zero())) return x87_invalid;
    const bool negative = x.negative != y.negative;
    const unsigned flags = x87_denormal(x) | x87_denormal(y);
    if (x87_stops(flags, control)) return {{}, flags};
    if (x.infinite() || y.infinite()) return {x87_infinity(negative), flags};
    if (x.zero() || y.zero()) return {x87_zero(negative), flags};
    // For -1 and less there is no logarithm, and the manual gives no result: ST(0) is the result.
    if (x.negative && x.exponent >= 0) return {x87_encode(x), flags | x87_pe};
    x87_big log(inner_bits);
    const int ternary = mpfr_log2p1(log, x87_big(x, inner_bits), MPFR_RNDZ);
    return product(log, ternary == 0, y, control, flags);
}

x87_result x87_arctangent(const x87_operand& x, const x87_operand& y, unsigned control) {
    x87_result r;
    if (x87_decided(x, y, r)) return r;
    const unsigned flags = x87_denormal(x) | x87_denormal(y);
    if (x87_stops(flags, control)) return {{}, flags};
    x87_big angle(result_bits);
    const int ternary =
        mpfr_atan2(angle, x87_big(y, inner_bits), x87_big(x, inner_bits), MPFR_RNDZ);
    return deliver(angle, ternary != 0, control, flags);
}

}  // namespace knc::isa

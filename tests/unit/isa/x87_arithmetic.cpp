// Corner cases of x87 arithmetic, with exact bits.
#include <gtest/gtest.h>

#include <knc/isa/x87_arithmetic.h>
#include <knc/isa/x87_transcendental.h>

#include "x87_machine.h"

namespace knc::isa::test {
namespace {

constexpr unsigned masked = x87_control_initial;  // all masked, 64 bits, to nearest
constexpr unsigned single = 0x007f, double_ = 0x027f, down = 0x077f, up = 0x0b7f, chop = 0x0f7f;

constexpr x87_register reg(unsigned sign_exponent, std::uint64_t significand) {
    return {significand, static_cast<std::uint16_t>(sign_exponent)};
}
constexpr x87_register plus_1 = x87_one, minus_1 = reg(0xbfff, one_bits),
                       smallest = reg(0, 1),                                // denormal
    least_normal = reg(1, one_bits),                                        // 2^-16382
    largest = reg(0x7ffe, ~std::uint64_t{0}), ulp = reg(0x3fc0, one_bits),  // 2^-63
    half_ulp = reg(0x3fbf, one_bits),                                       // 2^-64
    pseudo_denormal = reg(0, one_bits), unnormal = reg(0x3fff, 0x7fffffffffffffff),
                       pseudo_infinity = reg(0x7fff, 0),
                       pseudo_nan = reg(0x7fff, 0x4000000000000000),
                       signaling = reg(0x7fff, 0x8000000000000003),
                       quiet_small = reg(0xffff, 0xc000000000000001),
                       quiet_large = reg(0x7fff, 0xc000000000000002), zero = x87_zero(false),
                       minus_zero = x87_zero(true), infinity = x87_infinity(false),
                       minus_infinity = x87_infinity(true), none = {};

struct binary_case {
    const char* what;
    x87_binary f;
    x87_register a, b;
    unsigned control;
    x87_register value;
    unsigned flags;
};

void check(const binary_case& t) {
    const x87_result r = t.f(x87_decode(t.a), x87_decode(t.b), t.control);
    EXPECT_EQ(r.flags, t.flags) << t.what;
    if (x87_stops(r.flags, t.control)) return;
    EXPECT_EQ(r.value, t.value) << t.what;
}

TEST(x87_arithmetic, rounding_directions_and_precisions) {
    const x87_register above_1 = reg(0x3fff, one_bits + 1);  // 1 + 2^-63
    const binary_case cases[] = {
        {"1 + 2^-64 is half way: to even", x87_add, plus_1, half_ulp, masked, plus_1, x87_pe},
        {"an odd last bit: to even is up", x87_add, above_1, half_ulp, masked,
         reg(0x3fff, one_bits + 2), x87_pe | x87_c1},
        {"up", x87_add, plus_1, half_ulp, up, above_1, x87_pe | x87_c1},
        {"down", x87_add, plus_1, half_ulp, down, plus_1, x87_pe},
        {"a negative sum goes down away from zero", x87_subtract, minus_1, half_ulp, down,
         reg(0xbfff, one_bits + 1), x87_pe | x87_c1},
        {"toward zero", x87_subtract, minus_1, half_ulp, chop, minus_1, x87_pe},
        {"exact: no PE, no C1", x87_add, plus_1, ulp, up, above_1, 0},
        {"1 - 2^-64 fits below 1", x87_subtract, plus_1, half_ulp, masked,
         reg(0x3ffe, ~std::uint64_t{0}), 0},
        {"24 bits: 2^-63 is lost", x87_add, plus_1, ulp, single, plus_1, x87_pe},
        {"53 bits, up: last bit 2^-52", x87_add, plus_1, ulp, double_ | 0x0800,
         reg(0x3fff, one_bits + 0x800), x87_pe | x87_c1},
        // 1/3 = 0.AAAA...: the bit behind the 64th is 1, the rest is not 0.
        {"1/3 to nearest", x87_divide, plus_1, reg(0x4000, 0xc000000000000000), masked,
         reg(0x3ffd, 0xaaaaaaaaaaaaaaab), x87_pe | x87_c1},
        {"1/3 in 24 bits", x87_divide, plus_1, reg(0x4000, 0xc000000000000000), single,
         reg(0x3ffd, 0xaaaaab0000000000), x87_pe | x87_c1},
        {"x - x is +0", x87_subtract, plus_1, plus_1, masked, zero, 0},
        {"x - x is -0 when rounding down", x87_subtract, plus_1, plus_1, down, minus_zero, 0},
        {"-0 + -0", x87_add, minus_zero, minus_zero, masked, minus_zero, 0},
        {"0 - 0 down", x87_subtract, zero, zero, down, minus_zero, 0},
        {"precision control also rounds x + 0", x87_add, above_1, zero, single, plus_1, x87_pe},
    };
    for (const binary_case& t : cases) check(t);
}

TEST(x87_arithmetic, overflow_and_underflow) {
    constexpr unsigned oe_open = masked & ~x87_oe, ue_open = masked & ~x87_ue;
    const x87_register half = reg(0x3ffe, one_bits), two = reg(0x4000, one_bits),
                       one_and_half = reg(0x3fff, 0xc000000000000000);
    const binary_case cases[] = {
        {"masked: infinity, rounded up", x87_add, largest, largest, masked, infinity,
         x87_oe | x87_pe | x87_c1},
        {"toward zero: the largest number", x87_add, largest, largest, chop, largest,
         x87_oe | x87_pe},
        {"... of 24 bits", x87_add, largest, largest, chop & ~0x300u,
         reg(0x7ffe, 0xffffff0000000000), x87_oe | x87_pe},
        {"down, negative: minus infinity", x87_multiply, reg(0xfffe, one_bits), largest, down,
         minus_infinity, x87_oe | x87_pe | x87_c1},
        // 2 * largest has exponent 7FFF; 7FFF - 6000.
        {"unmasked: exponent less 24576, exact", x87_add, largest, largest, oe_open,
         reg(0x1fff, ~std::uint64_t{0}), x87_oe},
        {"half the smallest: to even is 0", x87_multiply, smallest, half, masked, zero,
         x87_de | x87_ue | x87_pe},
        {"... up is the smallest", x87_multiply, smallest, half, up, smallest,
         x87_de | x87_ue | x87_pe | x87_c1},
        {"an exact denormal is no underflow", x87_multiply, least_normal, half, masked,
         reg(0, one_bits >> 1), 0},
        // 0000:4000.. = 1.0 * 2^-16383: exponent 0 - 0 + 24576.
        {"... unless unmasked: exponent plus 24576", x87_multiply, least_normal, half, ue_open,
         reg(0x6000, one_bits), x87_ue},
        // 2^-16382 * (1 - 2^-63) * (1 + 2^-63) = 2^-16382 * (1 - 2^-126): 64 bits with an exponent
        // of any size make 2^-16382 of it.
        {"tiny before, not after rounding", x87_multiply, reg(1, ~std::uint64_t{1}),
         reg(0x3ffe, one_bits + 1), masked, least_normal, x87_pe | x87_c1},
        {"two denormals add without rounding", x87_add, smallest, smallest, masked, reg(0, 2),
         x87_de},
        {"denormals add to a normal number", x87_add, reg(0, one_bits - 1), smallest, masked,
         least_normal, x87_de},
        {"a pseudo-denormal is 2^-16382 and a denormal operand", x87_multiply, pseudo_denormal, two,
         masked, reg(2, one_bits), x87_de},
        {"24 bits: rounded where the denormal's 24th bit is", x87_multiply,
         reg(1, 0xffffff0000000000), half, single, least_normal, x87_ue | x87_pe | x87_c1},
        {"1.5 times the smallest: half way, to even", x87_multiply, smallest, one_and_half, masked,
         reg(0, 2), x87_de | x87_ue | x87_pe | x87_c1},
    };
    for (const binary_case& t : cases) check(t);
}

TEST(x87_arithmetic, invalid_operands_zeros_and_infinities) {
    constexpr unsigned ze_open = masked & ~x87_ze, de_open = masked & ~x87_de;
    const x87_register& bad = x87_indefinite;
    const binary_case cases[] = {
        {"inf - inf", x87_subtract, infinity, infinity, masked, bad, x87_ie},
        {"inf + -inf", x87_add, infinity, minus_infinity, masked, bad, x87_ie},
        {"inf + inf", x87_add, infinity, infinity, masked, infinity, 0},
        {"0 * inf", x87_multiply, zero, minus_infinity, masked, bad, x87_ie},
        {"0 / 0", x87_divide, zero, minus_zero, masked, bad, x87_ie},
        {"inf / inf", x87_divide, infinity, infinity, masked, bad, x87_ie},
        {"1 / -0", x87_divide, plus_1, minus_zero, masked, minus_infinity, x87_ze},
        {"1 / 0 unmasked has no result", x87_divide, plus_1, zero, ze_open, none, x87_ze},
        {"inf / 0 is no division by zero", x87_divide, infinity, zero, masked, infinity, 0},
        {"denormal / 0 is one, and no more", x87_divide, smallest, zero, masked, infinity, x87_ze},
        {"denormal / inf", x87_divide, smallest, infinity, masked, zero, x87_de},
        {"an unmasked denormal ends it", x87_divide, smallest, infinity, de_open, none, x87_de},
        {"unnormal", x87_add, unnormal, plus_1, masked, bad, x87_ie},
        {"pseudo-infinity", x87_add, plus_1, pseudo_infinity, masked, bad, x87_ie},
        {"pseudo-NaN beside a NaN", x87_add, quiet_large, pseudo_nan, masked, bad, x87_ie},
        {"QNaN", x87_multiply, quiet_small, plus_1, masked, quiet_small, 0},
        {"QNaN and denormal: no DE", x87_multiply, smallest, quiet_small, masked, quiet_small, 0},
        {"SNaN becomes quiet", x87_multiply, plus_1, signaling, masked,
         reg(0x7fff, 0xc000000000000003), x87_ie},
        {"SNaN and QNaN: the QNaN", x87_add, signaling, quiet_small, masked, quiet_small, x87_ie},
        {"two QNaNs: the larger significand", x87_add, quiet_small, quiet_large, masked,
         quiet_large, 0},
        {"equal significands: the positive one", x87_add, quiet_small,
         reg(0x7fff, quiet_small.significand), masked, reg(0x7fff, quiet_small.significand), 0},
        {"a NaN keeps its sign in a subtraction", x87_subtract, plus_1, quiet_small, masked,
         quiet_small, 0},
    };
    for (const binary_case& t : cases) check(t);
}

TEST(x87_arithmetic, remainders) {
    const auto n = x87_machine::number;
    const x87_register big = reg(0x3fff + 100, one_bits);  // 2^100
    const binary_case cases[] = {
        // 13 = 4 * 3 + 1: quotient 100 binary is C0 alone.
        {"FPREM 13, 3", x87_remainder, n(13), n(3), masked, plus_1, x87_c0},
        {"FPREM -8, 3: quotient 2", x87_remainder, n(-8), n(3), masked, n(-2), x87_c3},
        {"FPREM1 8, 3: nearest quotient 3", x87_ieee_remainder, n(8), n(3), masked, n(-1),
         x87_c3 | x87_c1},
        {"FPREM1 3, 2: 1.5 to even is 2", x87_ieee_remainder, n(3), n(2), masked, n(-1), x87_c3},
        {"FPREM1 1, 2: 0.5 to even is 0", x87_ieee_remainder, n(1), n(2), masked, plus_1, 0},
        {"FPREM1 5, 9: nearest quotient 1", x87_ieee_remainder, n(5), n(9), masked, n(-4), x87_c1},
        // 2^100 has 99 bits more than 3; 35 of them (99 mod 32 = 3, and 32) are done, which leaves
        // 2^36 * 2^64 mod 3 * 2^64 = 2^64.
        {"FPREM 2^100, 3: incomplete", x87_remainder, big, n(3), masked, reg(0x3fff + 64, one_bits),
         x87_c2},
        {"FPREM -6, 3: zero keeps the sign", x87_remainder, n(-6), n(3), masked, minus_zero,
         x87_c3},
        {"FPREM by 0", x87_remainder, n(1), zero, masked, x87_indefinite, x87_ie},
        {"FPREM of infinity", x87_remainder, infinity, n(1), masked, x87_indefinite, x87_ie},
        {"FPREM by infinity", x87_remainder, n(5), infinity, masked, n(5), 0},
    };
    for (const binary_case& t : cases) check(t);
}

TEST(x87_arithmetic, scaling) {
    const auto n = x87_machine::number;
    const x87_register far = reg(0x3fff + 40, one_bits);
    const binary_case cases[] = {
        {"3 * 2^5", x87_scale, n(3), n(5), masked, n(96), 0},
        {"-1.5 truncates to -1", x87_scale, n(3), reg(0xbfff, 0xc000000000000000), masked,
         reg(0x3fff, 0xc000000000000000), 0},
        {"far up", x87_scale, n(-3), far, masked, minus_infinity, x87_oe | x87_pe | x87_c1},
        {"far up, unmasked: beyond the adjustment", x87_scale, n(-3), far, masked & ~x87_oe,
         minus_infinity, x87_oe | x87_pe | x87_c1},
        {"0 * 2^inf", x87_scale, zero, infinity, masked, x87_indefinite, x87_ie},
        {"inf * 2^-inf", x87_scale, infinity, minus_infinity, masked, x87_indefinite, x87_ie},
        {"3 * 2^-inf", x87_scale, n(3), minus_infinity, masked, zero, 0},
    };
    for (const binary_case& t : cases) check(t);
}

struct unary_case {
    const char* what;
    x87_unary f;
    x87_register a;
    unsigned control;
    x87_register value;
    unsigned flags;
};

TEST(x87_arithmetic, functions_of_one_operand) {
    const auto n = x87_machine::number;
    const x87_register half = reg(0x3ffe, one_bits), two_and_half = reg(0x4000, 0xa000000000000000);
    // Values of the functions: 60 digits of decimal arithmetic, rounded by hand.
    const unary_case cases[] = {
        {"sqrt 2", x87_square_root, n(2), masked, reg(0x3fff, 0xb504f333f9de6484), x87_pe},
        {"sqrt 2 up", x87_square_root, n(2), up, reg(0x3fff, 0xb504f333f9de6485), x87_pe | x87_c1},
        {"sqrt 2, 24 bits", x87_square_root, n(2), single, reg(0x3fff, 0xb504f30000000000), x87_pe},
        {"sqrt 9", x87_square_root, n(9), up, n(3), 0},
        {"sqrt of 2^-16444", x87_square_root, reg(0, 2), masked, reg(0x3fff - 8222, one_bits),
         x87_de},
        {"sqrt -0", x87_square_root, minus_zero, masked, minus_zero, 0},
        {"sqrt -1", x87_square_root, minus_1, masked, x87_indefinite, x87_ie},
        {"round 2.5 to even", x87_to_integral, two_and_half, masked, n(2), x87_pe},
        {"round 2.5 up", x87_to_integral, two_and_half, up, n(3), x87_pe | x87_c1},
        {"round -0.5", x87_to_integral, reg(0xbffe, one_bits), masked, minus_zero, x87_pe},
        {"round 2^-16445 up", x87_to_integral, smallest, up, plus_1, x87_de | x87_pe | x87_c1},
        {"round the largest", x87_to_integral, largest, up, largest, 0},
        {"2^0.5 - 1", x87_exp2_minus_1, half, masked, reg(0x3ffd, 0xd413cccfe7799211), x87_pe},
        // Exact, and reported as inexact all the same; not rounded, so C1 is 0.
        {"2^-1 - 1", x87_exp2_minus_1, minus_1, masked, reg(0xbffe, one_bits), x87_pe},
        {"2^1 - 1 up", x87_exp2_minus_1, plus_1, up, plus_1, x87_pe},
        {"2^-inf - 1", x87_exp2_minus_1, minus_infinity, masked, minus_1, 0},
        {"beyond 1 the operand stays", x87_exp2_minus_1, n(3), masked, n(3), x87_pe},
        {"sin 1", x87_sine, plus_1, masked, reg(0x3ffe, 0xd76aa47848677021), x87_pe | x87_c1},
        {"sin 1 toward zero", x87_sine, plus_1, chop, reg(0x3ffe, 0xd76aa47848677020), x87_pe},
        {"cos 1", x87_cosine, plus_1, masked, reg(0x3ffe, 0x8a51407da8345c92), x87_pe | x87_c1},
        {"tan 1", x87_tangent, plus_1, masked, reg(0x3fff, 0xc75922e5f71d2dc5), x87_pe},
        // The nearest number of 64 bits to pi is 2^-64 above the unit's pi, of which the
        // significand goes on with the bits 11.
        {"sin of pi with 66 bits of pi", x87_sine, reg(0x4000, 0xc90fdaa22168c235), masked,
         reg(0xbfbf, one_bits), x87_pe | x87_c1},
        // With pi itself: BFFD:B332592B46C33A4C.
        {"sin 10^6", x87_sine, n(1000000), masked, reg(0xbffd, 0xb332592b46c28c7f), x87_pe},
        {"sin -0", x87_sine, minus_zero, masked, minus_zero, 0},
        {"cos 0", x87_cosine, zero, masked, plus_1, 0},
        {"cos inf", x87_cosine, infinity, masked, x87_indefinite, x87_ie},
        {"sin 2^63", x87_sine, reg(0x403e, one_bits), masked, none, x87_c2},
        {"sin of the smallest", x87_sine, smallest, masked, smallest,
         x87_de | x87_ue | x87_pe | x87_c1},
    };
    for (const unary_case& t : cases) {
        const x87_result r = t.f(x87_decode(t.a), t.control);
        EXPECT_EQ(r.flags, t.flags) << t.what;
        EXPECT_EQ(r.value, t.value) << t.what;
    }
}

TEST(x87_arithmetic, logarithms_and_arctangent) {
    const auto n = x87_machine::number;
    const x87_register quarter = reg(0x3ffd, one_bits), half = reg(0x3ffe, one_bits);
    const binary_case cases[] = {
        {"log2 10", x87_log2, n(10), plus_1, masked, reg(0x4000, 0xd49a784bcd1b8afe), x87_pe},
        // Exact, and reported as inexact all the same, unless the logarithm or a factor is 0.
        {"-3 log2 8", x87_log2, n(8), n(-3), masked, n(-9), x87_pe},
        {"3 log2 0.5 up", x87_log2, half, n(3), up, n(-3), x87_pe},
        {"the smallest times log2 2", x87_log2, n(2), smallest, masked, smallest,
         x87_de | x87_ue | x87_pe},
        {"0 log2 2", x87_log2, n(2), zero, masked, zero, 0},
        {"3 log2(1 + 1)", x87_log2_plus_1, plus_1, n(3), masked, n(3), x87_pe},
        {"log2 1", x87_log2, plus_1, n(-3), masked, minus_zero, 0},
        {"log2 0", x87_log2, zero, n(2), masked, minus_infinity, x87_ze},
        {"0 log2 0", x87_log2, zero, zero, masked, x87_indefinite, x87_ie},
        {"log2 -1", x87_log2, minus_1, n(2), masked, x87_indefinite, x87_ie},
        {"inf log2 1", x87_log2, plus_1, infinity, masked, x87_indefinite, x87_ie},
        {"inf log2 0.5", x87_log2, half, infinity, masked, minus_infinity, 0},
        {"3 log2 1.25", x87_log2_plus_1, quarter, n(3), masked, reg(0x3ffe, 0xf73da38d9d4a83eb),
         x87_pe},
        {"log2(1 - 0)", x87_log2_plus_1, minus_zero, n(3), masked, minus_zero, 0},
        {"inf log2(1 + 0)", x87_log2_plus_1, zero, infinity, masked, x87_indefinite, x87_ie},
        // Arctangents: x, then y.
        {"point (1, 1)", x87_arctangent, plus_1, plus_1, masked, reg(0x3ffe, 0xc90fdaa22168c235),
         x87_pe | x87_c1},
        {"point (-1, -1)", x87_arctangent, minus_1, minus_1, masked,
         reg(0xc000, 0x96cbe3f9990e91a8), x87_pe | x87_c1},
        {"point (-0, +0) is pi", x87_arctangent, minus_zero, zero, masked,
         reg(0x4000, 0xc90fdaa22168c235), x87_pe | x87_c1},
        {"point (+0, -0)", x87_arctangent, zero, minus_zero, masked, minus_zero, 0},
        {"point (inf, inf)", x87_arctangent, infinity, infinity, masked,
         reg(0x3ffe, 0xc90fdaa22168c235), x87_pe | x87_c1},
    };
    for (const binary_case& t : cases) check(t);
}

TEST(x87_arithmetic, extraction) {
    const x87_parts p = x87_extract(x87_decode(x87_machine::number(-12)));  // -1.5 * 2^3
    EXPECT_EQ(p.exponent.value, x87_machine::number(3));
    EXPECT_EQ(p.significand.value, reg(0xbfff, 0xc000000000000000));
    const x87_parts d = x87_extract(x87_decode(smallest));  // 1.0 * 2^-16445
    EXPECT_EQ(d.exponent.value, x87_machine::number(-16445));
    EXPECT_EQ(d.significand.value, plus_1);
    EXPECT_EQ(d.significand.flags, x87_de);
    const x87_parts z = x87_extract(x87_decode(minus_zero));
    EXPECT_EQ(z.exponent.value, minus_infinity);
    EXPECT_EQ(z.significand.value, minus_zero);
    EXPECT_EQ(z.significand.flags, x87_ze);
}

}  // namespace
}  // namespace knc::isa::test

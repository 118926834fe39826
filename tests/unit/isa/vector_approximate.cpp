// The approximations of the extended math unit: every significand of the reciprocals, many operands
// of the others.
#include <knc/isa/vector_approximate.h>

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/wide.h>

#include "vector_generator.h"

namespace knc::isa::test {
namespace {

constexpr std::uint32_t one = 0x3f800000, implicit = 0x800000, infinity = 0x7f800000,
                        sign = 0x80000000;
#ifdef KNC_SANITIZED
constexpr std::uint32_t step = 101;
#else
constexpr std::uint32_t step = 1;
#endif

std::uint32_t significand(std::uint32_t v) {
    return (v & 0x7fffff) | implicit;
}
int exponent(std::uint32_t v) {
    return static_cast<int>(v >> 23 & 0xff) - 127;
}

// y = Y 2^k is nearest to 1/x, x = X 2^j, if |XY - 2^n| <= X/2 for 2^n = 2^-(j + k).
TEST(vector_approximate, reciprocal_of_every_significand) {
    for (std::uint32_t v = one; v < one + implicit; v += step) {
        vector_environment e;
        const std::uint32_t y = vector_reciprocal(v, e);
        const std::int64_t x_int = significand(v), y_int = significand(y);
        const int n = 46 - exponent(v) - exponent(y);
        const std::int64_t difference = x_int * y_int - (std::int64_t{1} << n);
        ASSERT_LE(2 * std::abs(difference), x_int) << std::hex << v;
        ASSERT_EQ(e.flags, 0u);
    }
}

// y = Y 2^k is nearest to 1/sqrt(x), x = X 2^j, if (Y - 1/2)^2 X <= 2^n <= (Y + 1/2)^2 X for
// 2^n = 2^-(j + 2k).
TEST(vector_approximate, reciprocal_square_root_of_every_significand) {
    for (std::uint32_t v = one; v < one + 2 * implicit; v += step) {
        vector_environment e;
        const std::uint32_t y = vector_reciprocal_square_root(v, e);
        const uint128 x_int = significand(v), twice = 2 * significand(y);
        const int n = 23 - exponent(v) + 2 * (23 - exponent(y));
        const uint128 bound = uint128{4} << n;
        ASSERT_TRUE((twice - 1) * (twice - 1) * x_int <= bound &&
                    bound <= (twice + 1) * (twice + 1) * x_int)
            << std::hex << v;
        ASSERT_EQ(e.flags, 0u);
    }
}

// Powers of two scale the results, down to where they are tiny.
TEST(vector_approximate, reciprocals_in_every_binade) {
    vector_environment e;
    for (int n = -126; n <= 127; ++n) {
        const std::uint32_t power = static_cast<std::uint32_t>(n + 127) << 23;
        for (std::uint32_t f : {0u, 1u, 0x2aaaaau, 0x400000u, 0x7fffffu}) {
            const std::uint32_t at_one = vector_reciprocal(one | f, e);
            const std::uint32_t expected =
                exponent(at_one) - n < -126 ? 0 : at_one - (static_cast<std::uint32_t>(n) << 23);
            EXPECT_EQ(vector_reciprocal(power | f, e), expected) << n;
            EXPECT_EQ(vector_reciprocal(sign | power | f, e), sign | expected) << n;
            const std::uint32_t base = (n & 1) != 0 ? one + implicit : one;
            const std::uint32_t root_at_one = vector_reciprocal_square_root(base | f, e);
            const auto half = static_cast<std::uint32_t>((n - (n & 1)) / 2);
            EXPECT_EQ(vector_reciprocal_square_root(power | f, e), root_at_one - (half << 23)) << n;
        }
    }
    EXPECT_EQ(e.flags, 0u);
}

// `exact` has 200 bits and is neither zero nor tiny.
std::uint64_t nearest(mpfr_srcptr exact) {
    return reference_round(float32, exact, {}).bits;
}

TEST(vector_approximate, logarithm) {
    const auto check = [](std::uint32_t v) {
        exact_number x(53), exact(200);
        reference_decode(float32, v, x);
        mpfr_log2(exact, x, MPFR_RNDN);
        vector_environment e;
        ASSERT_EQ(vector_log2(v, e), nearest(exact)) << std::hex << v;
        ASSERT_EQ(e.flags, 0u);
    };
    // Close to 1 the logarithm has the fewest digits after the point that count.
    for (std::uint32_t n = 1; n < 4000; ++n) {
        check(one + n);
        check(one - n);
    }
    for (std::uint64_t n = 0; n < vector_cases(60000); ++n) {
        vector_generator g(float32, vector_first_seed() + n);
        check(static_cast<std::uint32_t>(implicit + g.any() % (infinity - implicit)));
        check(static_cast<std::uint32_t>(one - implicit + g.any() % (2 * implicit)) | 1);
    }
    for (int n = -126; n <= 127; ++n) {
        vector_environment e;
        const auto expected = static_cast<float>(n);
        std::uint32_t bits;
        std::memcpy(&bits, &expected, sizeof bits);
        EXPECT_EQ(vector_log2(static_cast<std::uint32_t>(n + 127) << 23, e), bits) << n;
    }
}

TEST(vector_approximate, power_of_two) {
    const auto check = [](std::int32_t v) {
        exact_number x(53), exact(200);
        mpfr_set_si_2exp(x, v, -24, MPFR_RNDN);
        mpfr_exp2(exact, x, MPFR_RNDN);
        ASSERT_EQ(vector_exp2(v), nearest(exact)) << v;
    };
    constexpr std::int32_t least = -126 * 0x1000000;  // the least normal number
    for (std::int32_t n = 0; n < 2000; ++n) {
        check(n);
        check(-n);
        check(least + n);
        check(INT32_MAX - 1 - n);
    }
    for (std::uint64_t n = 0; n < vector_cases(60000); ++n) {
        vector_generator g(float32, vector_first_seed() + n);
        check(static_cast<std::int32_t>(
            least + static_cast<std::int64_t>(g.any() % (std::uint64_t{254} << 24))));
    }
    for (std::int32_t n = -126; n <= 127; ++n)
        EXPECT_EQ(vector_exp2(n * 0x1000000), static_cast<std::uint32_t>(n + 127) << 23);
    EXPECT_EQ(vector_exp2(INT32_MAX), infinity);
    EXPECT_EQ(vector_exp2(INT32_MIN), 0u);
    EXPECT_EQ(vector_exp2(least - 0x1000000), 0u);  // 2^-127 is tiny
}

TEST(vector_approximate, special_operands) {
    constexpr std::uint32_t quiet = 0x7fc00005, signaling = 0xff800005, indefinite = 0xffc00000,
                            denormal = 1;
    using function = std::uint32_t (*)(std::uint32_t, vector_environment&);
    const function reciprocal = vector_reciprocal, root = vector_reciprocal_square_root,
                   logarithm = vector_log2;
    const struct {
        const char* what;
        function f;
        std::uint32_t operand, value;
        unsigned flags;
    } cases[] = {
        {"1 / +0", reciprocal, 0, infinity, mxcsr_ze},
        {"1 / -0", reciprocal, sign, sign | infinity, mxcsr_ze},
        {"1 / denormal: as of zero", reciprocal, sign | denormal, sign | infinity, mxcsr_ze},
        {"1 / -inf", reciprocal, sign | infinity, sign, 0},
        {"1 / QNaN", reciprocal, quiet, quiet, 0},
        {"1 / SNaN", reciprocal, signaling, 0xffc00005, mxcsr_ie},
        {"1 / sqrt(+0)", root, 0, infinity, mxcsr_ze},
        {"1 / sqrt(-0)", root, sign, sign | infinity, mxcsr_ze},
        {"1 / sqrt(-denormal)", root, sign | denormal, sign | infinity, mxcsr_ze},
        {"1 / sqrt(inf)", root, infinity, 0, 0},
        {"1 / sqrt(-inf)", root, sign | infinity, indefinite, mxcsr_ie},
        {"1 / sqrt(-1)", root, sign | one, indefinite, mxcsr_ie},
        {"1 / sqrt(QNaN)", root, quiet, quiet, 0},
        {"1 / sqrt(SNaN)", root, signaling, 0xffc00005, mxcsr_ie},
        {"log2 +0", logarithm, 0, sign | infinity, mxcsr_ze},
        {"log2 -0", logarithm, sign, sign | infinity, mxcsr_ze},
        {"log2 denormal", logarithm, denormal, sign | infinity, mxcsr_ze},
        {"log2 inf", logarithm, infinity, infinity, 0},
        {"log2 -inf", logarithm, sign | infinity, indefinite, mxcsr_ie},
        {"log2 -1", logarithm, sign | one, indefinite, mxcsr_ie},
        {"log2 QNaN", logarithm, quiet, quiet, 0},
        {"log2 SNaN", logarithm, signaling, 0xffc00005, mxcsr_ie},
    };
    for (const auto& c : cases)
        for (unsigned mode = 0; mode < 16; ++mode) {  // which make no difference
            vector_environment e =
                vector_environment_of({mode & 3, (mode & 4) != 0, (mode & 8) != 0});
            EXPECT_EQ(c.f(c.operand, e), c.value) << c.what;
            EXPECT_EQ(e.flags, c.flags) << c.what;
        }
}

}  // namespace
}  // namespace knc::isa::test

// Comparisons and the parts of numbers against the AVX-512 instructions that came after the card's.
//
// They differ by the manuals in minima and maxima of signaling NaNs and in the significands of
// zeros and infinities; these cases are left out. Skipped on hosts without AVX-512.
#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <cstring>

#include <fmt/format.h>

#include <knc/isa/vector_compare.h>
#include <knc/isa/vector_format.h>
#include <knc/isa/vector_integer.h>
#include <knc/isa/vector_parts.h>

#include "vector_host.h"

namespace knc::isa::test {
namespace {

// The host's scalar AVX-512 instruction of two operands and an immediate.
#define KNC_HOST_IMMEDIATE(name, type, to, text)                                     \
    template <int Immediate>                                                         \
    type name(type a, type b) {                                                      \
        auto r = to(a);                                                              \
        asm volatile(text " %1, %2, %0, %0" : "+x"(r) : "i"(Immediate), "x"(to(b))); \
        return bits(r);                                                              \
    }
KNC_HOST_IMMEDIATE(range_s, std::uint32_t, single, "vrangess")
KNC_HOST_IMMEDIATE(range_d, std::uint64_t, number, "vrangesd")
KNC_HOST_IMMEDIATE(getmant_s, std::uint32_t, single, "vgetmantss")
KNC_HOST_IMMEDIATE(getmant_d, std::uint64_t, number, "vgetmantsd")
KNC_HOST_IMMEDIATE(round_s, std::uint32_t, single, "vrndscaless")
KNC_HOST_IMMEDIATE(round_d, std::uint64_t, number, "vrndscalesd")
#undef KNC_HOST_IMMEDIATE
#define KNC_HOST_COMPARE(name, type, to, text)                                   \
    template <int Predicate>                                                     \
    bool name(type a, type b) {                                                  \
        auto r = to(a);                                                          \
        asm volatile(text " %1, %2, %0" : "+x"(r) : "i"(Predicate), "x"(to(b))); \
        return bits(r) != 0;                                                     \
    }
KNC_HOST_COMPARE(compare_s, std::uint32_t, single, "cmpss")
KNC_HOST_COMPARE(compare_d, std::uint64_t, number, "cmpsd")
#undef KNC_HOST_COMPARE
#define KNC_HOST_PAIR(name, type, to, text)                      \
    type name(type a, type b) {                                  \
        auto r = to(a);                                          \
        asm volatile(text " %1, %0, %0" : "+x"(r) : "x"(to(b))); \
        return bits(r);                                          \
    }
KNC_HOST_PAIR(getexp_s, std::uint32_t, single, "vgetexpss")
KNC_HOST_PAIR(getexp_d, std::uint64_t, number, "vgetexpsd")
KNC_HOST_PAIR(scale_s, std::uint32_t, single, "vscalefss")
#undef KNC_HOST_PAIR

// An operation of the host and the model's, on two operands.
template <class Bits>
struct pair_row {
    const char* name;
    std::uint64_t (*host)(Bits, Bits);
    std::uint64_t (*model)(Bits, Bits, vector_environment&);
    bool (*left_out)(Bits, Bits);  // where the two processors differ by their manuals
};
template <class Bits>
bool never(Bits, Bits) {
    return false;
}
template <class Bits>
bool signaling(Bits a, Bits b) {
    return vector_signaling(a) || vector_signaling(b);
}
template <class Bits>
bool zero_or_infinite(Bits, Bits b) {
    return vector_zero(b) || vector_denormal(b) || vector_infinite(b);
}

template <class Bits>
void compare_pairs(const reference_format& f, std::initializer_list<pair_row<Bits>> rows) {
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(100000);
    for (const pair_row<Bits>& r : rows)
        for (std::uint64_t n = 0; n < cases && !testing::Test::HasFailure(); ++n) {
            vector_generator g(f, first + n);
            const reference_mode m = g.mode();
            const auto a = static_cast<Bits>(g.operand()), b = static_cast<Bits>(g.operand());
            if (r.left_out(a, b)) continue;
            const auto [expected, flags] = on_host(m, [&] { return r.host(a, b); });
            vector_environment e = vector_environment_of(m);
            const std::uint64_t got = r.model(a, b, e);
            EXPECT_TRUE(got == expected && e.flags == flags) << fmt::format(
                "{}: {:#x}, {:#x} rounding {} daz {} fz {}: {:#x} flags {:#x}, the host {:#x} "
                "flags {:#x}; KNC_SEED={} KNC_CASES=1",
                r.name, a, b, m.rounding, m.daz, m.fz, got, e.flags, expected, flags, first + n);
        }
}

#define KNC_ROW(name, host, model, left_out)                                        \
    {                                                                               \
        name, []([[maybe_unused]] w a, w b) -> std::uint64_t { return host; },      \
            []([[maybe_unused]] w a, w b, vector_environment& e) -> std::uint64_t { \
                return model;                                                       \
            },                                                                      \
            left_out<w>                                                             \
    }
#define KNC_COMPARE(host, p)                \
    KNC_ROW("predicate " #p, host<p>(a, b), \
            vector_compare(a, b, static_cast<vector_predicate>(p), e), never)
// Both operands of the unary instructions are b.
#define KNC_SIGNIFICAND(host, i) \
    KNC_ROW("significand " #i, host<i>(b, b), vector_significand(b, i, e), zero_or_infinite)
// vrndscale: bits 7:4 are the bits of fraction, 1:0 the rounding, 3 suppresses PE, 2 is MXCSR's.
#define KNC_ROUND(host, n) \
    KNC_ROW("round to fixed " #n, host<(n << 4 | 4)>(b, b), vector_round_to_fixed(b, n, e), never)
#define KNC_PARTS(bits)                                                                         \
    KNC_COMPARE(compare_##bits, 0), KNC_COMPARE(compare_##bits, 1),                             \
        KNC_COMPARE(compare_##bits, 2), KNC_COMPARE(compare_##bits, 3),                         \
        KNC_COMPARE(compare_##bits, 4), KNC_COMPARE(compare_##bits, 5),                         \
        KNC_COMPARE(compare_##bits, 6), KNC_COMPARE(compare_##bits, 7),                         \
        KNC_ROW("minimum", range_##bits<4>(a, b), vector_minimum(a, b, e), signaling),          \
        KNC_ROW("maximum", range_##bits<5>(a, b), vector_maximum(a, b, e), signaling),          \
        KNC_ROW("maximum magnitude", range_##bits<5>(vector_magnitude(a), vector_magnitude(b)), \
                vector_maximum_magnitude(a, b, e), signaling),                                  \
        KNC_ROW("exponent", getexp_##bits(b, b), vector_exponent(b, e), never),                 \
        KNC_SIGNIFICAND(getmant_##bits, 0), KNC_SIGNIFICAND(getmant_##bits, 1),                 \
        KNC_SIGNIFICAND(getmant_##bits, 2), KNC_SIGNIFICAND(getmant_##bits, 3),                 \
        KNC_SIGNIFICAND(getmant_##bits, 5), KNC_SIGNIFICAND(getmant_##bits, 10),                \
        KNC_ROUND(round_##bits, 0), KNC_ROUND(round_##bits, 4), KNC_ROUND(round_##bits, 5),     \
        KNC_ROUND(round_##bits, 8)

TEST(vector_host, parts_float32) {
    if (!__builtin_cpu_supports("avx512dq")) GTEST_SKIP() << "this host has no AVX-512";
    using w = std::uint32_t;
    compare_pairs<w>(float32, {KNC_PARTS(s)});
}
TEST(vector_host, parts_float64) {
    if (!__builtin_cpu_supports("avx512dq")) GTEST_SKIP() << "this host has no AVX-512";
    using w = std::uint64_t;
    compare_pairs<w>(float64, {KNC_PARTS(d)});
}

// VSCALEF takes the power as a float.
TEST(vector_host, scaling) {
    if (!__builtin_cpu_supports("avx512dq")) GTEST_SKIP() << "this host has no AVX-512";
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(500000);
    for (std::uint64_t n = 0; n < cases && !HasFailure(); ++n) {
        vector_generator g(float32, first + n);
        const reference_mode m = g.mode();
        const auto v = static_cast<std::uint32_t>(g.operand());
        const int power = static_cast<int>(g.below(700)) - 350;
        const auto as_float = static_cast<float>(power);
        std::uint32_t power_bits;
        std::memcpy(&power_bits, &as_float, sizeof power_bits);
        compare_conversion(
            "scale", v, m, [=](std::uint32_t x) { return scale_s(x, power_bits); },
            [=](std::uint32_t x, vector_environment& e) { return vector_scale(x, power, e); });
    }
}

}  // namespace
}  // namespace knc::isa::test

#else

TEST(vector_host, parts_float32) {
    GTEST_SKIP() << "this host is no x86 processor";
}

#endif

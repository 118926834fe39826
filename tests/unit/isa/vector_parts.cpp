// Comparisons, minimum and maximum, exponents, significands, scaling and fix-ups of vector elements
// against their definitions.
#include <knc/isa/vector_parts.h>

#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/vector_compare.h>

#include "vector_generator.h"

namespace knc::isa::test {
namespace {

template <class Bits>
const reference_format& format_of() {
    return sizeof(Bits) == 4 ? float32 : float64;
}

constexpr unsigned failures_shown = 5;

// An operation on two operands; those on one leave out the second.
struct operation {
    std::string name;
    std::function<std::uint64_t(std::uint64_t, std::uint64_t, vector_environment&)> model;
    std::function<reference_result(std::uint64_t, std::uint64_t, const reference_mode&)> reference;
};

bool agrees(const operation& o, std::uint64_t a, std::uint64_t b, const reference_mode& m,
            std::uint64_t seed) {
    vector_environment e = vector_environment_of(m);
    const reference_result expected = o.reference(a, b, m);
    reference_result got;
    got.bits = o.model(a, b, e);
    got.flags = e.flags;
    if (got == expected) return true;
    ADD_FAILURE() << fmt::format(
        "{}: {:#x}, {:#x} rounding {} daz {} fz {}: {:#x} flags {:#x}, expected {:#x} flags {:#x}; "
        "KNC_SEED={} KNC_CASES=1",
        o.name, a, b, m.rounding, m.daz, m.fz, got.bits, got.flags, expected.bits, expected.flags,
        seed);
    return false;
}

template <class Bits>
void compare(const operation& o, std::uint64_t cases) {
    const std::vector<std::uint64_t> special = vector_special_values(format_of<Bits>());
    unsigned failures = 0;
    for (std::uint64_t a : special)
        for (std::uint64_t b : special)
            for (unsigned n = 0; n < 16; ++n) {
                const reference_mode m = {n & 3, (n & 4) != 0, (n & 8) != 0};
                if (!agrees(o, a, b, m, 0) && ++failures == failures_shown) return;
            }
    const std::uint64_t first = vector_first_seed();
    for (std::uint64_t n = 0; n < vector_cases(cases); ++n) {
        vector_generator g(format_of<Bits>(), first + n);
        const reference_mode m = g.mode();
        const std::uint64_t a = g.operand(), b = g.operand();
        if (!agrees(o, a, b, m, first + n) && ++failures == failures_shown) return;
    }
}

template <class Bits>
void comparisons() {
    const reference_format& f = format_of<Bits>();
    for (unsigned p = 0; p < 8; ++p)
        compare<Bits>(
            {fmt::format("compare {}", p),
             [=](std::uint64_t a, std::uint64_t b, vector_environment& e) {
                 return std::uint64_t{vector_compare(static_cast<Bits>(a), static_cast<Bits>(b),
                                                     static_cast<vector_predicate>(p), e)};
             },
             [&f, p](std::uint64_t a, std::uint64_t b, const reference_mode& m) {
                 return reference_compare(f, a, b, p, m);
             }},
            60000);
    const struct {
        const char* name;
        Bits (*model)(Bits, Bits, vector_environment&);
        reference_choice choice;
    } rows[] = {
        {"minimum", vector_minimum, reference_choice::minimum},
        {"maximum", vector_maximum, reference_choice::maximum},
        {"maximum magnitude", vector_maximum_magnitude, reference_choice::maximum_magnitude},
    };
    for (const auto& r : rows)
        compare<Bits>(
            {r.name,
             [&r](std::uint64_t a, std::uint64_t b, vector_environment& e) {
                 return std::uint64_t{r.model(static_cast<Bits>(a), static_cast<Bits>(b), e)};
             },
             [&](std::uint64_t a, std::uint64_t b, const reference_mode& m) {
                 return reference_choose(f, a, b, r.choice, m);
             }},
            200000);
}

TEST(vector_parts, comparisons_float32) {
    comparisons<std::uint32_t>();
}
TEST(vector_parts, comparisons_float64) {
    comparisons<std::uint64_t>();
}

template <class Bits>
void parts() {
    const reference_format& f = format_of<Bits>();
    compare<Bits>({"exponent",
                   [](std::uint64_t a, std::uint64_t, vector_environment& e) {
                       return std::uint64_t{vector_exponent(static_cast<Bits>(a), e)};
                   },
                   [&](std::uint64_t a, std::uint64_t, const reference_mode& m) {
                       return reference_exponent(f, a, m);
                   }},
                  200000);
    for (unsigned immediate = 0; immediate < 16; ++immediate)
        compare<Bits>(
            {fmt::format("significand {}", immediate),
             [=](std::uint64_t a, std::uint64_t, vector_environment& e) {
                 return std::uint64_t{vector_significand(static_cast<Bits>(a), immediate, e)};
             },
             [&](std::uint64_t a, std::uint64_t, const reference_mode& m) {
                 return reference_significand(f, a, immediate, m);
             }},
            20000);
}

TEST(vector_parts, exponents_and_significands_float32) {
    parts<std::uint32_t>();
}
TEST(vector_parts, exponents_and_significands_float64) {
    parts<std::uint64_t>();
}

TEST(vector_parts, scaling) {
    // Any power, and those that lead to the ends of the range.
    for (unsigned shift : {0u, 22u, 24u})
        compare<std::uint32_t>(
            {"scale",
             [=](std::uint64_t a, std::uint64_t b, vector_environment& e) {
                 const auto power = static_cast<std::int32_t>(b) >> shift;
                 return std::uint64_t{vector_scale(static_cast<std::uint32_t>(a), power, e)};
             },
             [=](std::uint64_t a, std::uint64_t b, const reference_mode& m) {
                 const auto power = static_cast<std::int32_t>(b) >> shift;
                 return reference_scale(float32, a, power, m);
             }},
            300000);
}

// Every class of value with every code of the table, the other fields all different from it.
template <class Bits>
void fix_ups(const reference_format& f) {
    const auto destination = static_cast<Bits>(0x1234567);
    const auto bits = [](std::uint64_t v) { return static_cast<Bits>(v); };
    const Bits one = bits(static_cast<std::uint64_t>(f.exponent_max) << (f.precision - 1)),
               sign = bits(f.sign()), infinity = bits(f.infinity());
    const Bits values[] = {bits(sign | infinity), bits(sign | one), sign, 0, one, infinity};
    const Bits results[] = {
        destination,        bits(sign | infinity),      sign, 0, infinity, bits(f.indefinite()),
        bits(infinity - 1), bits(sign | (infinity - 1))};
    for (unsigned c = 0; c < 6; ++c)
        for (unsigned code = 0; code < 8; ++code) {
            const std::uint32_t others = 0x249249 * (code ^ 7);  // each field is code ^ 7
            const std::uint32_t table = (others & ~(7u << 3 * c)) | code << 3 * c;
            vector_environment e;
            EXPECT_EQ(vector_fix_up(destination, values[c], table, e), results[code])
                << c << ' ' << code;
            EXPECT_EQ(e.flags, 0u);
        }
    // A denormal is a number, or a zero with DAZ. Table: +0 to +infinity, positive to -0.
    constexpr std::uint32_t table = 4 << 9 | 2 << 12;
    vector_environment e;
    EXPECT_EQ(vector_fix_up<Bits>(destination, 1, table, e), sign);
    e.daz = true;
    EXPECT_EQ(vector_fix_up<Bits>(destination, 1, table, e), infinity);
    EXPECT_EQ(e.flags, 0u);
    // NaNs pass whatever the table says.
    for (std::uint32_t any : {0u, 3u << 18, ~0u}) {
        e.flags = 0;
        const Bits quiet = bits(sign | infinity | f.quiet() | 5);
        EXPECT_EQ(vector_fix_up(destination, quiet, any, e), quiet);
        EXPECT_EQ(e.flags, 0u);
        EXPECT_EQ(vector_fix_up(destination, bits(quiet & ~f.quiet()), any, e), quiet);
        EXPECT_EQ(e.flags, mxcsr_ie);
    }
}

TEST(vector_parts, fix_ups) {
    fix_ups<std::uint32_t>(float32);
    fix_ups<std::uint64_t>(float64);
}

}  // namespace
}  // namespace knc::isa::test

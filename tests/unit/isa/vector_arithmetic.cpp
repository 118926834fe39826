// Addition, multiplication and fused multiply-add of vector elements against exact arithmetic.
#include <knc/isa/vector_arithmetic.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vector_generator.h"

namespace knc::isa::test {
namespace {

template <class Bits>
const reference_format& format_of() {
    return sizeof(Bits) == 4 ? float32 : float64;
}

// An operation of three operands; those of two leave out the third.
template <class Bits>
struct row {
    const char* name;
    unsigned operands;
    Bits (*model)(Bits, Bits, Bits, vector_environment&);
    reference_result (*reference)(std::uint64_t, std::uint64_t, std::uint64_t,
                                  const reference_mode&);
};

#define KNC_BINARY(f, expected)                                                                   \
    {                                                                                             \
#f, 2,                                                                                    \
            [](Bits a, Bits b, Bits,                                                              \
               vector_environment &                                                               \
                   e) { return f<Bits>(a, b, e); },                                               \
                                                 [](std::uint64_t a, std::uint64_t b,             \
                                                    std::uint64_t,                                \
                                                    const reference_mode& m) { return expected; } \
    }
#define KNC_TERNARY(f, negate_product, negate_addend)                                  \
    {                                                                                  \
#f, 3, f<Bits>,                                                                      \
     [](std::uint64_t a, std::uint64_t b, std::uint64_t c, const reference_mode& m) {     \
         return reference_fma(format_of<Bits>(), a, b, c, negate_product, negate_addend, m); \
     } \
    }

template <class Bits>
const std::vector<row<Bits>>& rows() {
    static const std::vector<row<Bits>> all = {
        KNC_BINARY(vector_add, reference_add(format_of<Bits>(), a, b, false, false, m)),
        KNC_BINARY(vector_subtract, reference_add(format_of<Bits>(), a, b, false, true, m)),
        KNC_BINARY(vector_add_negated, reference_add(format_of<Bits>(), a, b, true, true, m)),
        KNC_BINARY(vector_multiply, reference_multiply(format_of<Bits>(), a, b, m)),
        KNC_TERNARY(vector_multiply_add, false, false),
        KNC_TERNARY(vector_multiply_subtract, false, true),
        KNC_TERNARY(vector_negated_multiply_add, true, false),
        KNC_TERNARY(vector_negated_multiply_subtract, true, true),
    };
    return all;
}
#undef KNC_BINARY
#undef KNC_TERNARY

template <class Bits>
bool agrees(const row<Bits>& r, std::uint64_t a, std::uint64_t b, std::uint64_t c,
            const reference_mode& m, unsigned before, std::uint64_t seed) {
    vector_environment e = vector_environment_of(m);
    e.flags = before;
    reference_result expected = r.reference(a, b, c, m);
    expected.flags |= before;
    reference_result got;
    got.bits = r.model(static_cast<Bits>(a), static_cast<Bits>(b), static_cast<Bits>(c), e);
    got.flags = e.flags;
    if (got == expected) return true;
    ADD_FAILURE() << fmt::format(
        "{} of {} bits: {:#x}, {:#x}, {:#x} rounding {} daz {} fz {} flags {:#x}: {:#x} flags "
        "{:#x}, expected "
        "{:#x} flags {:#x}; KNC_SEED={} KNC_CASES=1",
        r.name, 8 * sizeof(Bits), a, b, c, m.rounding, m.daz, m.fz, before, got.bits, got.flags,
        expected.bits, expected.flags, seed);
    return false;
}

constexpr unsigned failures_shown = 5;

template <class Bits>
void random_cases() {
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(200000);
    for (const row<Bits>& r : rows<Bits>()) {
        unsigned failures = 0;
        for (std::uint64_t n = 0; n < cases && failures < failures_shown; ++n) {
            vector_generator g(format_of<Bits>(), first + n);
            const reference_mode m = g.mode();
            const std::uint64_t a = g.operand(), b = g.operand();
            const std::uint64_t c = r.operands == 3 ? g.operand() : 0;
            const unsigned before = g.below(4) == 0 ? mxcsr_pe : g.below(mxcsr_flags + 1);
            if (!agrees(r, a, b, c, m, before, first + n)) ++failures;
        }
    }
}

// All pairs of special values in all modes, before and after PE; of triples one in 13.
template <class Bits>
void special_cases() {
    const std::vector<std::uint64_t> special = vector_special_values(format_of<Bits>());
    const std::vector<std::uint64_t> zero = {0};
    for (const row<Bits>& r : rows<Bits>()) {
        unsigned failures = 0;
        std::uint64_t n = 0;
        for (std::uint64_t a : special)
            for (std::uint64_t b : special)
                for (std::uint64_t c : r.operands == 3 ? special : zero)
                    for (unsigned mode = 0; mode < 32; ++mode) {
                        if (r.operands == 3 && ++n % 13 != 0) continue;
                        const reference_mode m = {mode & 3, (mode & 4) != 0, (mode & 8) != 0};
                        if (!agrees(r, a, b, c, m, (mode & 16) != 0 ? mxcsr_pe : 0, 0) &&
                            ++failures == failures_shown)
                            return;
                    }
    }
}

TEST(vector_arithmetic, random_float32) {
    random_cases<std::uint32_t>();
}
TEST(vector_arithmetic, random_float64) {
    random_cases<std::uint64_t>();
}
TEST(vector_arithmetic, special_float32) {
    special_cases<std::uint32_t>();
}
TEST(vector_arithmetic, special_float64) {
    special_cases<std::uint64_t>();
}

}  // namespace
}  // namespace knc::isa::test

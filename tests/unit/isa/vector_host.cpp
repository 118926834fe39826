// Vector arithmetic against the SSE and FMA instructions of the host, a second opinion.
//
// Skipped on hosts that are no x86 processors or have no FMA.
#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <fmt/format.h>

#include <knc/isa/vector_arithmetic.h>
#include <knc/isa/vector_convert.h>

#include "vector_host.h"

namespace knc::isa::test {
namespace {

template <class Bits>
using arithmetic = Bits (*)(Bits, Bits, Bits);

// Volatile assembly stays where MXCSR is set, and in this operand order.
#define KNC_HOST_BINARY(name, type, to, text)            \
    type name(type a, type b, type) {                    \
        auto x = to(a), y = to(b);                       \
        asm volatile(text " %1, %0" : "+x"(x) : "x"(y)); \
        return bits(x);                                  \
    }
#define KNC_HOST_TERNARY(name, type, to, text)                              \
    type name(type a, type b, type c) {                                     \
        auto x = to(b), y = to(a), z = to(c); /* 213: second times first */ \
        asm volatile(text " %2, %1, %0" : "+x"(x) : "x"(y), "x"(z));        \
        return bits(x);                                                     \
    }
KNC_HOST_BINARY(add_s, std::uint32_t, single, "addss")
KNC_HOST_BINARY(sub_s, std::uint32_t, single, "subss")
KNC_HOST_BINARY(mul_s, std::uint32_t, single, "mulss")
KNC_HOST_BINARY(add_d, std::uint64_t, number, "addsd")
KNC_HOST_BINARY(sub_d, std::uint64_t, number, "subsd")
KNC_HOST_BINARY(mul_d, std::uint64_t, number, "mulsd")
KNC_HOST_TERNARY(fmadd_s, std::uint32_t, single, "vfmadd213ss")
KNC_HOST_TERNARY(fmsub_s, std::uint32_t, single, "vfmsub213ss")
KNC_HOST_TERNARY(fnmadd_s, std::uint32_t, single, "vfnmadd213ss")
KNC_HOST_TERNARY(fnmsub_s, std::uint32_t, single, "vfnmsub213ss")
KNC_HOST_TERNARY(fmadd_d, std::uint64_t, number, "vfmadd213sd")
KNC_HOST_TERNARY(fmsub_d, std::uint64_t, number, "vfmsub213sd")
KNC_HOST_TERNARY(fnmadd_d, std::uint64_t, number, "vfnmadd213sd")
KNC_HOST_TERNARY(fnmsub_d, std::uint64_t, number, "vfnmsub213sd")
#undef KNC_HOST_BINARY
#undef KNC_HOST_TERNARY

template <class Bits>
struct row {
    const char* name;
    arithmetic<Bits> host;
    Bits (*model)(Bits, Bits, Bits, vector_environment&);
};
template <class Bits, Bits (*F)(Bits, Bits, vector_environment&)>
Bits of_two(Bits a, Bits b, Bits, vector_environment& e) {
    return F(a, b, e);
}

template <class Bits>
void compare(const reference_format& f, std::initializer_list<row<Bits>> rows) {
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(300000);
    for (const row<Bits>& r : rows) {
        unsigned failures = 0;
        for (std::uint64_t n = 0; n < cases && failures < 5; ++n) {
            vector_generator g(f, first + n);
            const reference_mode m = g.mode();
            const auto a = static_cast<Bits>(g.operand()), b = static_cast<Bits>(g.operand()),
                       c = static_cast<Bits>(g.operand());
            const auto [expected, flags] = on_host(m, [&] { return r.host(a, b, c); });
            vector_environment e = vector_environment_of(m);
            const Bits got = r.model(a, b, c, e);
            if (got == expected && e.flags == flags) continue;
            ++failures;
            ADD_FAILURE() << fmt::format(
                "{}: {:#x}, {:#x}, {:#x} rounding {} daz {} fz {}: {:#x} flags {:#x}, the host "
                "{:#x} flags {:#x}; KNC_SEED={} KNC_CASES=1",
                r.name, a, b, c, m.rounding, m.daz, m.fz, got, e.flags, expected, flags, first + n);
        }
    }
}

TEST(vector_host, float32_arithmetic) {
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this host has no FMA";
    using w = std::uint32_t;
    compare<w>(float32, {{"add", add_s, of_two<w, vector_add<w>>},
                         {"subtract", sub_s, of_two<w, vector_subtract<w>>},
                         {"multiply", mul_s, of_two<w, vector_multiply<w>>},
                         {"fmadd", fmadd_s, vector_multiply_add<w>},
                         {"fmsub", fmsub_s, vector_multiply_subtract<w>},
                         {"fnmadd", fnmadd_s, vector_negated_multiply_add<w>},
                         {"fnmsub", fnmsub_s, vector_negated_multiply_subtract<w>}});
}

TEST(vector_host, float64_arithmetic) {
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this host has no FMA";
    using w = std::uint64_t;
    compare<w>(float64, {{"add", add_d, of_two<w, vector_add<w>>},
                         {"subtract", sub_d, of_two<w, vector_subtract<w>>},
                         {"multiply", mul_d, of_two<w, vector_multiply<w>>},
                         {"fmadd", fmadd_d, vector_multiply_add<w>},
                         {"fmsub", fmsub_d, vector_multiply_subtract<w>},
                         {"fnmadd", fnmadd_d, vector_negated_multiply_add<w>},
                         {"fnmsub", fnmsub_d, vector_negated_multiply_subtract<w>}});
}

std::uint32_t from_half(std::uint32_t v) {
    __m128 r;
    asm volatile("vcvtph2ps %1, %0" : "=x"(r) : "x"(_mm_cvtsi32_si128(static_cast<int>(v))));
    return bits(r);
}
std::uint32_t to_half(std::uint32_t v) {
    __m128i r;
    asm volatile("vcvtps2ph $4, %1, %0" : "=x"(r) : "x"(single(v)));  // 4: rounded as MXCSR says
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(r)) & 0xffff;
}
std::uint64_t to_double(std::uint32_t v) {
    __m128d r = _mm_setzero_pd();
    asm volatile("cvtss2sd %1, %0" : "+x"(r) : "x"(single(v)));
    return bits(r);
}
std::uint32_t to_single(std::uint64_t v) {
    __m128 r = _mm_setzero_ps();
    asm volatile("cvtsd2ss %1, %0" : "+x"(r) : "x"(number(v)));
    return bits(r);
}

TEST(vector_host, conversions) {
    if (!__builtin_cpu_supports("f16c")) GTEST_SKIP() << "this host has no F16C";
    for (std::uint32_t v = 0; v < 65536; ++v)
        for (unsigned mode = 0; mode < 16; ++mode)
            compare_conversion("float16", v, {mode & 3, (mode & 4) != 0, (mode & 8) != 0},
                               from_half, vector_load_f32[3].convert);
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(500000);
    for (std::uint64_t n = 0; n < cases && !HasFailure(); ++n) {
        vector_generator g(float32, first + n), wide(float64, first + n);
        const reference_mode m = g.mode();
        const auto v = static_cast<std::uint32_t>(g.operand());
        compare_conversion("to float16", v, m, to_half, vector_store_f32[3].convert);
        compare_conversion("to float64", v, m, to_double, vector_to_float64);
        compare_conversion("to float32", wide.operand(), m, to_single, vector_to_float32);
    }
}

}  // namespace
}  // namespace knc::isa::test

#else

TEST(vector_host, float32_arithmetic) {
    GTEST_SKIP() << "this host is no x86 processor";
}

#endif

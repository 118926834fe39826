// Vector instructions of the host, a second opinion on the model. On x86 processors only.
#ifndef KNC_TESTS_ISA_VECTOR_HOST_H
#define KNC_TESTS_ISA_VECTOR_HOST_H

#if defined(__x86_64__)

#include <immintrin.h>

#include <utility>

#include <gtest/gtest.h>

#include "vector_generator.h"

namespace knc::isa::test {

inline constexpr unsigned all_masked = 0x1f80;

// Result and flags of `f` on the host in mode `m`.
template <class F>
auto on_host(const reference_mode& m, F&& f) {
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(all_masked | m.rounding << mxcsr_rounding_shift | (m.daz ? mxcsr_daz : 0) |
               (m.fz ? mxcsr_fz : 0));
    const auto value = f();
    const unsigned flags = _mm_getcsr() & mxcsr_flags;
    _mm_setcsr(saved);
    return std::pair(value, flags);
}

inline __m128 single(std::uint32_t v) {
    return _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(v)));
}
inline __m128d number(std::uint64_t v) {
    return _mm_castsi128_pd(_mm_cvtsi64_si128(static_cast<long long>(v)));
}
inline std::uint32_t bits(__m128 v) {
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(v)));
}
inline std::uint64_t bits(__m128d v) {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_castpd_si128(v)));
}

template <class Value, class Host, class Model>
void compare_conversion(const char* name, Value v, const reference_mode& m, Host host,
                        Model model) {
    const auto [expected, flags] = on_host(m, [&] { return host(v); });
    vector_environment e = vector_environment_of(m);
    EXPECT_EQ(model(v, e), expected) << name << std::hex << " of " << v;
    EXPECT_EQ(e.flags, flags) << name << std::hex << " of " << v;
}

}  // namespace knc::isa::test

#endif

#endif

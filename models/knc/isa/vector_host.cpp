#include <knc/isa/vector_host.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace knc::isa {

#if defined(__x86_64__)
namespace {

const bool host_is_able = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;

constexpr std::uint32_t all_masked = 0x1f80;

std::uint32_t control_of(const vector_environment& e) {
    return all_masked | static_cast<std::uint32_t>(e.rounding) << mxcsr_rounding_shift |
           (e.daz ? mxcsr_daz : 0) | (e.fz ? mxcsr_fz : 0);
}

using op = vector_host_operation;

// A pragma does not reach functions made of templates.
#define KNC_AVX2 __attribute__((target("avx2,fma")))

// The statements are volatile, so they stay between the accesses to MXCSR.
#define KNC_HOST(text) asm volatile(text " %2, %1, %0" : "=x"(r) : "x"(a), "x"(b))
#define KNC_HOST_REVERSED(text) asm volatile(text " %1, %2, %0" : "=x"(r) : "x"(a), "x"(b))
// c = a * b + c
#define KNC_HOST_FUSED(text) asm volatile(text " %2, %1, %0" : "+x"(r) : "x"(a), "x"(b))

template <op Operation>
KNC_AVX2 inline __m256i apply(__m256i a, __m256i b, __m256i c, std::uint32_t) {
    __m256i r = c;
    if constexpr (Operation == op::add || Operation == op::add_negated) KNC_HOST("vaddps");
    if constexpr (Operation == op::subtract) KNC_HOST("vsubps");
    if constexpr (Operation == op::subtract_reversed) KNC_HOST_REVERSED("vsubps");
    if constexpr (Operation == op::multiply) KNC_HOST("vmulps");
    if constexpr (Operation == op::multiply_add) KNC_HOST_FUSED("vfmadd231ps");
    if constexpr (Operation == op::multiply_subtract) KNC_HOST_FUSED("vfmsub231ps");
    if constexpr (Operation == op::negated_multiply_add) KNC_HOST_FUSED("vfnmadd231ps");
    if constexpr (Operation == op::negated_multiply_subtract) KNC_HOST_FUSED("vfnmsub231ps");
    return r;
}
template <op Operation>
KNC_AVX2 inline __m256i apply(__m256i a, __m256i b, __m256i c, std::uint64_t) {
    __m256i r = c;
    if constexpr (Operation == op::add || Operation == op::add_negated) KNC_HOST("vaddpd");
    if constexpr (Operation == op::subtract) KNC_HOST("vsubpd");
    if constexpr (Operation == op::subtract_reversed) KNC_HOST_REVERSED("vsubpd");
    if constexpr (Operation == op::multiply) KNC_HOST("vmulpd");
    if constexpr (Operation == op::multiply_add) KNC_HOST_FUSED("vfmadd231pd");
    if constexpr (Operation == op::multiply_subtract) KNC_HOST_FUSED("vfmsub231pd");
    if constexpr (Operation == op::negated_multiply_add) KNC_HOST_FUSED("vfnmadd231pd");
    if constexpr (Operation == op::negated_multiply_subtract) KNC_HOST_FUSED("vfnmsub231pd");
    return r;
}
#undef KNC_HOST
#undef KNC_HOST_REVERSED
#undef KNC_HOST_FUSED

// All bits of the lanes that `active` selects.
KNC_AVX2 inline __m256i lanes(unsigned active, std::uint32_t) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(static_cast<int>(active));
    return _mm256_cmpeq_epi32(_mm256_and_si256(all, bits), bits);
}
KNC_AVX2 inline __m256i lanes(unsigned active, std::uint64_t) {
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i all = _mm256_set1_epi64x(static_cast<long long>(active));
    return _mm256_cmpeq_epi64(_mm256_and_si256(all, bits), bits);
}
KNC_AVX2 inline __m256i signs(std::uint32_t) {
    return _mm256_set1_epi32(INT32_MIN);
}
KNC_AVX2 inline __m256i signs(std::uint64_t) {
    return _mm256_set1_epi64x(INT64_MIN);
}
// Whether a lane is a NaN, without touching MXCSR.
KNC_AVX2 inline bool has_nan(__m256i v, std::uint32_t) {
    const __m256i magnitude = _mm256_andnot_si256(signs(std::uint32_t{}), v);
    const __m256i infinity = _mm256_set1_epi32(0x7f800000);
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32(magnitude, infinity)) != 0;
}
KNC_AVX2 inline bool has_nan(__m256i v, std::uint64_t) {
    const __m256i magnitude = _mm256_andnot_si256(signs(std::uint64_t{}), v);
    const __m256i infinity = _mm256_set1_epi64x(0x7ff0000000000000);
    return _mm256_movemask_epi8(_mm256_cmpgt_epi64(magnitude, infinity)) != 0;
}

KNC_AVX2 inline __m256i half(const vector_register& r, unsigned n) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(r.bytes.data()) + n);
}

template <class T, op Operation>
KNC_AVX2 bool by_avx2(const vector_register& a, const vector_register& b, const vector_register& c,
                      mask_t active, vector_environment& e, vector_register& to) {
    constexpr unsigned of_half = 32 / sizeof(T);
    const std::uint32_t before = _mm_getcsr();
    __m256i chosen[2], result[2];
    _mm_setcsr(control_of(e));
    for (unsigned n = 0; n < 2; ++n) {
        // Lanes that are not active become zeros, which raise nothing.
        chosen[n] = lanes(active >> n * of_half, T{});
        __m256i x = _mm256_and_si256(half(a, n), chosen[n]);
        __m256i y = _mm256_and_si256(half(b, n), chosen[n]);
        const __m256i z = _mm256_and_si256(half(c, n), chosen[n]);
        if constexpr (Operation == op::add_negated) {
            x = _mm256_xor_si256(x, signs(T{}));
            y = _mm256_xor_si256(y, signs(T{}));
        }
        result[n] = apply<Operation>(x, y, z, T{});
    }
    const unsigned flags = _mm_getcsr() & mxcsr_flags;
    _mm_setcsr(before);
    if (has_nan(result[0], T{}) || has_nan(result[1], T{})) return false;
    for (unsigned n = 0; n < 2; ++n) {
        auto* at = reinterpret_cast<__m256i*>(to.bytes.data()) + n;
        _mm256_store_si256(at, _mm256_blendv_epi8(_mm256_load_si256(at), result[n], chosen[n]));
    }
    e.raise(flags);
    return true;
}
#undef KNC_AVX2

}  // namespace

template <class T, vector_host_operation Operation>
bool vector_by_host(const vector_register& a, const vector_register& b, const vector_register& c,
                    mask_t active, vector_environment& e, vector_register& to) {
    return host_is_able && by_avx2<T, Operation>(a, b, c, active, e, to);
}
#else
template <class T, vector_host_operation Operation>
bool vector_by_host(const vector_register&, const vector_register&, const vector_register&, mask_t,
                    vector_environment&, vector_register&) {
    return false;
}
#endif

#define KNC_HOST_INSTANCE(operation)                                                    \
    template bool vector_by_host<std::uint32_t, vector_host_operation::operation>(      \
        const vector_register&, const vector_register&, const vector_register&, mask_t, \
        vector_environment&, vector_register&);                                         \
    template bool vector_by_host<std::uint64_t, vector_host_operation::operation>(      \
        const vector_register&, const vector_register&, const vector_register&, mask_t, \
        vector_environment&, vector_register&)
KNC_HOST_INSTANCE(add);
KNC_HOST_INSTANCE(subtract);
KNC_HOST_INSTANCE(subtract_reversed);
KNC_HOST_INSTANCE(add_negated);
KNC_HOST_INSTANCE(multiply);
KNC_HOST_INSTANCE(multiply_add);
KNC_HOST_INSTANCE(multiply_subtract);
KNC_HOST_INSTANCE(negated_multiply_add);
KNC_HOST_INSTANCE(negated_multiply_subtract);
#undef KNC_HOST_INSTANCE

}  // namespace knc::isa

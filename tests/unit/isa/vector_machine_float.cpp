// Lanes of floating-point operations.
#include "vector_machine_lanes.h"

namespace knc::isa::test::lanes {
namespace {

constexpr unsigned ie = 1, ze = 4;

const reference_format& format(const vm_lane& x) {
    return vm_format(x.size);
}
vm_result fma(const vm_lane& x, std::uint64_t a, std::uint64_t b, std::uint64_t c,
              bool negate_product, bool negate_addend) {
    return reference_fma(format(x), a, b, c, negate_product, negate_addend, x.mode);
}

// Significant bits of the result of a mathematical function before its rounding.
constexpr int plenty = 200;
// Nearest float32 number; a tiny one is a zero. No flags.
std::uint64_t nearest(mpfr_srcptr exact) {
    reference_mode m;
    m.fz = true;
    return reference_round(float32, exact, m).bits;
}
std::uint64_t without_denormals(std::uint64_t v) {
    return reference_denormal(float32, v) ? v & float32.sign() : v;
}

}  // namespace

vm_result add(const vm_lane& x) {
    return reference_add(format(x), x.a(), x.b(), false, false, x.mode);
}
vm_result addn(const vm_lane& x) {
    return reference_add(format(x), x.a(), x.b(), true, true, x.mode);
}
vm_result sub(const vm_lane& x) {
    return reference_add(format(x), x.a(), x.b(), false, true, x.mode);
}
vm_result subr(const vm_lane& x) {
    return reference_add(format(x), x.b(), x.a(), false, true, x.mode);
}
vm_result mul(const vm_lane& x) {
    return reference_multiply(format(x), x.a(), x.b(), x.mode);
}

// The digits name the operands of product and sum: 1 destination, 2 second, 3 third.
#define KNC_FMA(name, negate_product, negate_addend)                       \
    vm_result name##132(const vm_lane& x) {                                \
        return fma(x, x.d(), x.b(), x.a(), negate_product, negate_addend); \
    }                                                                      \
    vm_result name##213(const vm_lane& x) {                                \
        return fma(x, x.a(), x.d(), x.b(), negate_product, negate_addend); \
    }                                                                      \
    vm_result name##231(const vm_lane& x) {                                \
        return fma(x, x.a(), x.b(), x.d(), negate_product, negate_addend); \
    }
KNC_FMA(fmadd, false, false)
KNC_FMA(fmsub, false, true)
KNC_FMA(fnmadd, true, false)
KNC_FMA(fnmsub, true, true)
#undef KNC_FMA

// Each group of four lanes has an addend and a factor of its own in the third operand.
vm_result fmadd233(const vm_lane& x) {
    const unsigned group = x.n / 4 * 4;
    return fma(x, x.a(), x.third.get(group + 1, 4), x.third.get(group, 4), false, false);
}

vm_result gmin(const vm_lane& x) {
    return reference_choose(format(x), x.a(), x.b(), reference_choice::minimum, x.mode);
}
vm_result gmax(const vm_lane& x) {
    return reference_choose(format(x), x.a(), x.b(), reference_choice::maximum, x.mode);
}
vm_result gmaxabs(const vm_lane& x) {
    return reference_choose(format(x), x.a(), x.b(), reference_choice::maximum_magnitude, x.mode);
}
vm_result cmp(const vm_lane& x) {
    return reference_compare(format(x), x.a(), x.b(), x.imm & 7, x.mode);
}
vm_result getexp(const vm_lane& x) {
    return reference_exponent(format(x), x.b(), x.mode);
}
vm_result getmant(const vm_lane& x) {
    return reference_significand(format(x), x.b(), x.imm & 15, x.mode);
}
vm_result scale(const vm_lane& x) {
    return reference_scale(float32, x.a(), static_cast<std::int32_t>(x.b()), x.mode);
}

vm_result fixupnan(const vm_lane& x) {
    const reference_format& f = format(x);
    const std::uint64_t v = reference_daz(f, x.a(), x.mode), sign = f.sign();
    if (reference_nan(f, v)) return {v | f.quiet(), reference_signaling(f, v) ? ie : 0};
    const unsigned kind = v == (sign | f.infinity()) ? 0
                          : v == sign                ? 2
                          : v == 0                   ? 3
                          : v == f.infinity()        ? 5
                          : (v & sign) != 0          ? 1
                                                     : 4;
    const std::uint64_t largest = f.infinity() - 1;
    const std::uint64_t results[] = {x.d(),        sign | f.infinity(), sign,    0,
                                     f.infinity(), f.indefinite(),      largest, sign | largest};
    return results[x.b() >> 3 * kind & 7];
}

vm_result addsets(const vm_lane& x) {
    vm_result r = add(x);
    r.bit = (r.bits & format(x).sign()) != 0;
    return r;
}

vm_result rcp23(const vm_lane& x) {
    const std::uint64_t v = without_denormals(x.b()), sign = v & float32.sign();
    if (reference_nan(float32, v)) return reference_first_nan(float32, {v});
    if (v == sign) return {sign | float32.infinity(), ze};
    if (v == (sign | float32.infinity())) return sign;
    exact_number number(53), exact(plenty);
    reference_decode(float32, v, number);
    mpfr_ui_div(exact, 1, number, MPFR_RNDN);
    return nearest(exact);
}

vm_result rsqrt23(const vm_lane& x) {
    const std::uint64_t v = without_denormals(x.b()), sign = v & float32.sign();
    if (reference_nan(float32, v)) return reference_first_nan(float32, {v});
    if (v == sign) return {sign | float32.infinity(), ze};
    if (sign != 0) return {float32.indefinite(), ie};
    if (v == float32.infinity()) return 0;
    exact_number number(53), exact(plenty);
    reference_decode(float32, v, number);
    mpfr_rec_sqrt(exact, number, MPFR_RNDN);
    return nearest(exact);
}

vm_result log2(const vm_lane& x) {
    const std::uint64_t v = without_denormals(x.b()), sign = v & float32.sign();
    if (reference_nan(float32, v)) return reference_first_nan(float32, {v});
    if (v == sign) return {float32.sign() | float32.infinity(), ze};
    if (sign != 0) return {float32.indefinite(), ie};
    if (v == float32.infinity()) return v;
    exact_number number(53), exact(plenty);
    reference_decode(float32, v, number);
    mpfr_log2(exact, number, MPFR_RNDN);
    return nearest(exact);
}

// The operand is a fixed-point number with 24 bits after the point.
vm_result exp223(const vm_lane& x) {
    const auto v = static_cast<std::int32_t>(x.b());
    if (v == INT32_MAX) return float32.infinity();
    exact_number number(53), exact(plenty);
    mpfr_set_si_2exp(number, v, -24, MPFR_RNDN);
    mpfr_exp2(exact, number, MPFR_RNDN);
    return nearest(exact);
}

}  // namespace knc::isa::test::lanes

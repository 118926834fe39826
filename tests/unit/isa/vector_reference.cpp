#include "vector_reference.h"

namespace knc::isa::test {
namespace {

constexpr unsigned ie = 1, de = 2, oe = 8, ue = 0x10, pe = 0x20;

std::uint64_t magnitude(const reference_format& f, std::uint64_t v) {
    return v & (f.sign() - 1);
}
bool sign_of(const reference_format& f, std::uint64_t v) {
    return (v & f.sign()) != 0;
}
bool any_nan(const reference_format& f, std::initializer_list<std::uint64_t> operands) {
    for (std::uint64_t v : operands)
        if (reference_nan(f, v)) return true;
    return false;
}
void take(const reference_format& f, std::uint64_t bits, const reference_mode& m, bool negate,
          mpfr_ptr v) {
    reference_decode(f, reference_daz(f, bits, m), v);
    if (negate) mpfr_neg(v, v, MPFR_RNDN);
}

}  // namespace

bool reference_nan(const reference_format& f, std::uint64_t v) {
    return magnitude(f, v) > f.infinity();
}
bool reference_signaling(const reference_format& f, std::uint64_t v) {
    return reference_nan(f, v) && (v & f.quiet()) == 0;
}
bool reference_denormal(const reference_format& f, std::uint64_t v) {
    return magnitude(f, v) != 0 && magnitude(f, v) < f.one_bit(f.precision - 1);
}

reference_result reference_with_denormals(const reference_format& f, reference_result r,
                                          std::initializer_list<std::uint64_t> operands,
                                          const reference_mode& m) {
    if ((r.flags & ie) != 0 || m.daz) return r;
    for (std::uint64_t v : operands)
        if (reference_nan(f, v)) return r;
    for (std::uint64_t v : operands)
        if (reference_denormal(f, v)) r.flags |= de;
    return r;
}

void reference_decode(const reference_format& f, std::uint64_t bits, mpfr_ptr v) {
    const std::uint64_t m = magnitude(f, bits);
    const int sign = sign_of(f, bits) ? -1 : 1;
    if (m == f.infinity()) {
        mpfr_set_inf(v, sign);
        return;
    }
    const auto biased = static_cast<int>(m >> (f.precision - 1));
    const std::uint64_t fraction = m & (f.one_bit(f.precision - 1) - 1);
    const std::uint64_t significand =
        biased == 0 ? fraction : fraction | f.one_bit(f.precision - 1);
    const int exponent = (biased == 0 ? f.exponent_min() : biased - f.exponent_max);
    mpfr_set_ui_2exp(v, significand, exponent - (f.precision - 1), MPFR_RNDN);
    if (sign < 0) mpfr_neg(v, v, MPFR_RNDN);
}

std::uint64_t reference_daz(const reference_format& f, std::uint64_t bits,
                            const reference_mode& m) {
    return m.daz && reference_denormal(f, bits) ? bits & f.sign() : bits;
}

reference_result reference_round(const reference_format& f, mpfr_srcptr exact,
                                 const reference_mode& m) {
    if (mpfr_nan_p(exact)) return {f.indefinite(), ie};
    const std::uint64_t sign = mpfr_signbit(exact) ? f.sign() : 0;
    if (mpfr_inf_p(exact)) return {sign | f.infinity(), 0};
    if (mpfr_zero_p(exact)) return {sign, 0};
    exact_number rounded(f.precision);
    const bool inexact = mpfr_set(rounded, exact, m.direction()) != 0;
    // MPFR's significands are in [1/2, 1).
    const mpfr_exp_t exponent = mpfr_get_exp(rounded) - 1;
    if (exponent > f.exponent_max) {
        const bool infinite = m.rounding == 0 || m.rounding == (sign != 0 ? 1u : 2u);
        return {sign | (infinite ? f.infinity() : f.infinity() - 1), oe | pe};
    }
    if (exponent < f.exponent_min()) {
        if (m.fz) return {sign, ue | pe};
        exact_number units(4400), whole(64);
        mpfr_mul_2si(units, exact, f.precision - 1 - f.exponent_min(), MPFR_RNDN);
        const int difference = mpfr_rint(whole, units, m.direction());
        mpfr_abs(whole, whole, MPFR_RNDN);
        return {sign | mpfr_get_ui(whole, MPFR_RNDN), difference != 0 ? ue | pe : 0};
    }
    mpfr_abs(rounded, rounded, MPFR_RNDN);
    mpfr_mul_2si(rounded, rounded, f.precision - 1 - exponent, MPFR_RNDN);
    const std::uint64_t significand = mpfr_get_ui(rounded, MPFR_RNDN);
    const auto biased = static_cast<std::uint64_t>(exponent + f.exponent_max);
    return {sign | (biased << (f.precision - 1)) | (significand - f.one_bit(f.precision - 1)),
            inexact ? pe : 0};
}

reference_result reference_first_nan(const reference_format& f,
                                     std::initializer_list<std::uint64_t> operands) {
    reference_result r;
    bool found = false;
    for (std::uint64_t v : operands) {
        if (reference_signaling(f, v)) r.flags = ie;
        if (found || !reference_nan(f, v)) continue;
        r.bits = v | f.quiet();
        found = true;
    }
    return r;
}

reference_result reference_fma(const reference_format& f, std::uint64_t a, std::uint64_t b,
                               std::uint64_t c, bool negate_product, bool negate_addend,
                               const reference_mode& m) {
    if (any_nan(f, {a, b, c})) return reference_first_nan(f, {a, b, c});
    static exact_number x(53), y(53), z(53), exact;
    take(f, a, m, negate_product, x);
    take(f, b, m, false, y);
    take(f, c, m, negate_addend, z);
    mpfr_fma(exact, x, y, z, m.direction());
    return reference_with_denormals(f, reference_round(f, exact, m), {a, b, c}, m);
}

reference_result reference_add(const reference_format& f, std::uint64_t a, std::uint64_t b,
                               bool negate_a, bool negate_b, const reference_mode& m) {
    if (any_nan(f, {a, b})) return reference_first_nan(f, {a, b});
    static exact_number x(53), y(53), exact;
    take(f, a, m, negate_a, x);
    take(f, b, m, negate_b, y);
    mpfr_add(exact, x, y, m.direction());
    return reference_with_denormals(f, reference_round(f, exact, m), {a, b}, m);
}

reference_result reference_multiply(const reference_format& f, std::uint64_t a, std::uint64_t b,
                                    const reference_mode& m) {
    if (any_nan(f, {a, b})) return reference_first_nan(f, {a, b});
    static exact_number x(53), y(53), exact(106);
    take(f, a, m, false, x);
    take(f, b, m, false, y);
    mpfr_mul(exact, x, y, m.direction());
    return reference_with_denormals(f, reference_round(f, exact, m), {a, b}, m);
}

}  // namespace knc::isa::test

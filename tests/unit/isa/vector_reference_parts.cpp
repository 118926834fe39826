// Comparisons and the parts of numbers from their definitions.
#include "vector_reference.h"

namespace knc::isa::test {
namespace {

constexpr unsigned ie = 1;

void decode(const reference_format& f, std::uint64_t v, const reference_mode& m, mpfr_ptr x) {
    reference_decode(f, reference_daz(f, v, m), x);
}
unsigned if_signaling(const reference_format& f, std::uint64_t a, std::uint64_t b) {
    return reference_signaling(f, a) || reference_signaling(f, b) ? ie : 0;
}

}  // namespace

reference_result reference_compare(const reference_format& f, std::uint64_t a, std::uint64_t b,
                                   unsigned predicate, const reference_mode& m) {
    // For each predicate: less, equal, greater, unordered; whether a quiet NaN is invalid.
    constexpr struct {
        bool less, equal, greater, unordered, signals;
    } table[] = {{false, true, false, false, false}, {true, false, false, false, true},
                 {true, true, false, false, true},   {false, false, false, true, false},
                 {true, false, true, true, false},   {false, true, true, true, true},
                 {false, false, true, true, true},   {true, true, true, false, false}};
    const auto& row = table[predicate];
    if (reference_nan(f, a) || reference_nan(f, b))
        return {row.unordered, row.signals ? ie : if_signaling(f, a, b)};
    exact_number x(53), y(53);
    decode(f, a, m, x);
    decode(f, b, m, y);
    const int order = mpfr_cmp(x, y);
    const bool holds = order < 0 ? row.less : order > 0 ? row.greater : row.equal;
    return reference_with_denormals(f, {holds, 0}, {a, b}, m);
}

reference_result reference_choose(const reference_format& f, std::uint64_t a, std::uint64_t b,
                                  reference_choice c, const reference_mode& m) {
    if (c == reference_choice::maximum_magnitude) {
        a &= ~f.sign();
        b &= ~f.sign();
    }
    const std::uint64_t a_used = reference_daz(f, a, m), b_used = reference_daz(f, b, m);
    const unsigned flags = if_signaling(f, a, b);
    if (reference_nan(f, a) && reference_nan(f, b)) return {a | f.quiet(), flags};
    if (reference_nan(f, a)) return {b_used, flags};
    if (reference_nan(f, b)) return {a_used, flags};
    exact_number x(53), y(53);
    decode(f, a, m, x);
    decode(f, b, m, y);
    int order = mpfr_cmp(x, y);
    // Of equal numbers only zeros differ: the negative one is less.
    if (order == 0) order = static_cast<int>(mpfr_signbit(y) != 0) - (mpfr_signbit(x) != 0);
    const bool first = c == reference_choice::minimum ? order <= 0 : order >= 0;
    return reference_with_denormals(f, {first ? a_used : b_used, 0}, {a, b}, m);
}

reference_result reference_exponent(const reference_format& f, std::uint64_t v,
                                    const reference_mode& m) {
    if (reference_nan(f, v)) return reference_first_nan(f, {v});
    exact_number x(53), r(53);
    decode(f, v, m, x);
    if (mpfr_inf_p(x)) {
        mpfr_set_inf(r, 1);
    } else if (mpfr_zero_p(x)) {
        mpfr_set_inf(r, -1);
    } else {
        mpfr_set_si(r, mpfr_get_exp(x) - 1, MPFR_RNDN);
    }
    return reference_with_denormals(f, reference_round(f, r, m), {v}, m);
}

reference_result reference_significand(const reference_format& f, std::uint64_t v,
                                       unsigned immediate, const reference_mode& m) {
    if (reference_nan(f, v)) return reference_first_nan(f, {v});
    if ((immediate & 8) != 0 && (v & f.sign()) != 0) return {f.indefinite(), ie};
    exact_number x(53);
    decode(f, v, m, x);
    if ((immediate & 4) != 0) mpfr_abs(x, x, MPFR_RNDN);
    if (!mpfr_zero_p(x) && !mpfr_inf_p(x)) {
        // [low, 2 low); or [1/2, 2), of which an even power of two was taken out.
        constexpr double lows[] = {1, 0.5, 0.5, 0.75};
        const unsigned interval = immediate & 3;
        const int step = interval == 1 ? 2 : 1;
        const double low = lows[interval], high = low * (1 << step);
        mpfr_mul_2si(x, x, -(mpfr_get_exp(x) / 2 * 2 + 2), MPFR_RNDN);
        exact_number size(53);
        mpfr_abs(size, x, MPFR_RNDN);
        for (; mpfr_cmp_d(size, low) < 0; mpfr_mul_2si(size, size, step, MPFR_RNDN))
            mpfr_mul_2si(x, x, step, MPFR_RNDN);
        for (; mpfr_cmp_d(size, high) >= 0; mpfr_mul_2si(size, size, -step, MPFR_RNDN))
            mpfr_mul_2si(x, x, -step, MPFR_RNDN);
    }
    return reference_with_denormals(f, reference_round(f, x, m), {v}, m);
}

reference_result reference_scale(const reference_format& f, std::uint64_t v, int power,
                                 const reference_mode& m) {
    if (reference_nan(f, v)) return reference_first_nan(f, {v});
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());  // for any power
    exact_number x(53);
    decode(f, v, m, x);
    mpfr_mul_2si(x, x, power, MPFR_RNDN);
    return reference_with_denormals(f, reference_round(f, x, m), {v}, m);
}

}  // namespace knc::isa::test

// Conversions from their definitions.
#include "vector_reference.h"

namespace knc::isa::test {
namespace {

constexpr unsigned ie = 1, de = 2, pe = 0x20;

}  // namespace

reference_result reference_convert(const reference_format& from, const reference_format& to,
                                   std::uint64_t v, bool daz_and_de, bool fz,
                                   const reference_mode& m) {
    const std::uint64_t sign = (v & from.sign()) != 0 ? to.sign() : 0;
    if (reference_nan(from, v)) {
        const std::uint64_t payload = (v | from.quiet()) & (from.one_bit(from.precision - 1) - 1);
        const int left = to.precision - from.precision;
        return {sign | to.infinity() | (left >= 0 ? payload << left : payload >> -left),
                reference_signaling(from, v) ? ie : 0};
    }
    reference_mode used = m;
    used.daz = m.daz && daz_and_de;
    used.fz = m.fz && fz;
    exact_number x(53);
    reference_decode(from, reference_daz(from, v, used), x);
    reference_result r = reference_round(to, x, used);
    if (daz_and_de && !m.daz && reference_denormal(from, v)) r.flags |= de;
    return r;
}

reference_result reference_to_integer(const reference_format& f, std::uint64_t v, int adjust,
                                      std::int64_t lowest, std::int64_t highest,
                                      const reference_mode& m) {
    if (reference_nan(f, v)) return {0, ie};
    exact_number x(53), whole(64);
    reference_decode(f, reference_daz(f, v, m), x);
    mpfr_mul_2si(x, x, adjust, MPFR_RNDN);
    const bool inexact = mpfr_integer_p(x) == 0;
    mpfr_rint(whole, x, m.direction());
    if (mpfr_cmp_si(whole, lowest) < 0) return {static_cast<std::uint64_t>(lowest), ie};
    if (mpfr_cmp_si(whole, highest) > 0) return {static_cast<std::uint64_t>(highest), ie};
    return {static_cast<std::uint64_t>(mpfr_get_si(whole, MPFR_RNDN)),
            inexact && !mpfr_inf_p(x) ? pe : 0};
}

reference_result reference_from_integer(const reference_format& f, std::int64_t v, int adjust,
                                        const reference_mode& m) {
    exact_number x(64);
    mpfr_set_si_2exp(x, v, -adjust, MPFR_RNDN);
    return reference_round(f, x, m);
}

reference_result reference_round_to_fixed(const reference_format& f, std::uint64_t v, int adjust,
                                          const reference_mode& m) {
    if (reference_nan(f, v)) return reference_first_nan(f, {v});
    exact_number x(53), whole(1100);
    reference_decode(f, reference_daz(f, v, m), x);
    mpfr_mul_2si(x, x, adjust, MPFR_RNDN);
    const bool inexact = mpfr_number_p(x) && !mpfr_integer_p(x);
    mpfr_rint(whole, x, m.direction());
    mpfr_mul_2si(whole, whole, -adjust, MPFR_RNDN);
    reference_result r = reference_round(f, whole, m);
    r.flags |= inexact ? pe : 0;
    return r;
}

}  // namespace knc::isa::test

// The vector unit's arithmetic from its definitions, with GNU MPFR: exact values, then one
// rounding.
#ifndef KNC_TESTS_ISA_VECTOR_REFERENCE_H
#define KNC_TESTS_ISA_VECTOR_REFERENCE_H

#include <cstdint>
#include <initializer_list>

#include <mpfr.h>

namespace knc::isa::test {

// Rounding, DAZ and FZ of a case; numbers as in MXCSR.
struct reference_mode {
    unsigned rounding = 0;  // 0 nearest, 1 down, 2 up, 3 toward zero
    bool daz = false, fz = false;

    mpfr_rnd_t direction() const {
        constexpr mpfr_rnd_t all[] = {MPFR_RNDN, MPFR_RNDD, MPFR_RNDU, MPFR_RNDZ};
        return all[rounding];
    }
};
struct reference_result {
    std::uint64_t bits = 0;
    unsigned flags = 0;  // IE 1, DE 2, ZE 4, OE 8, UE 10H, PE 20H

    bool operator==(const reference_result& o) const { return bits == o.bits && flags == o.flags; }
};

// 16, 32 or 64 bits.
struct reference_format {
    int width, precision, exponent_max;

    std::uint64_t one_bit(int n) const { return std::uint64_t{1} << n; }
    std::uint64_t sign() const { return one_bit(width - 1); }
    std::uint64_t infinity() const {
        return static_cast<std::uint64_t>(2 * exponent_max + 1) << (precision - 1);
    }
    std::uint64_t quiet() const { return one_bit(precision - 2); }
    std::uint64_t indefinite() const { return sign() | infinity() | quiet(); }
    int exponent_min() const { return 1 - exponent_max; }
};
inline constexpr reference_format float16{16, 11, 15}, float32{32, 24, 127}, float64{64, 53, 1023};

// Wide enough for sums and products of float64 numbers.
class exact_number {
  public:
    explicit exact_number(mpfr_prec_t precision = 4400) { mpfr_init2(v_, precision); }
    ~exact_number() { mpfr_clear(v_); }
    exact_number(const exact_number&) = delete;
    exact_number& operator=(const exact_number&) = delete;
    operator mpfr_ptr() { return v_; }
    operator mpfr_srcptr() const { return v_; }

  private:
    mpfr_t v_;
};

bool reference_nan(const reference_format&, std::uint64_t);
bool reference_signaling(const reference_format&, std::uint64_t);
bool reference_denormal(const reference_format&, std::uint64_t);
// DE, unless DAZ or an invalid operation or a NaN operand prevents it.
reference_result reference_with_denormals(const reference_format&, reference_result,
                                          std::initializer_list<std::uint64_t> operands,
                                          const reference_mode&);
// The value of bits that are no NaN.
void reference_decode(const reference_format&, std::uint64_t bits, mpfr_ptr);
// With DAZ: the sign alone of a denormal.
std::uint64_t reference_daz(const reference_format&, std::uint64_t bits, const reference_mode&);
// Exact value to bits; zeros and infinities as they are. A NaN is an invalid operation's.
reference_result reference_round(const reference_format&, mpfr_srcptr, const reference_mode&);
// The result if one of the operands is a NaN.
reference_result reference_first_nan(const reference_format&, std::initializer_list<std::uint64_t>);

// (+-a) * b + (+-c), rounded once.
reference_result reference_fma(const reference_format&, std::uint64_t a, std::uint64_t b,
                               std::uint64_t c, bool negate_product, bool negate_addend,
                               const reference_mode&);
reference_result reference_add(const reference_format&, std::uint64_t a, std::uint64_t b,
                               bool negate_a, bool negate_b, const reference_mode&);
reference_result reference_multiply(const reference_format&, std::uint64_t a, std::uint64_t b,
                                    const reference_mode&);

// Between formats. `daz_and_de`, `fz`: whether they apply.
reference_result reference_convert(const reference_format& from, const reference_format& to,
                                   std::uint64_t, bool daz_and_de, bool fz, const reference_mode&);
// v * 2^adjust as an integer; `bits` are its 64 bits.
reference_result reference_to_integer(const reference_format&, std::uint64_t v, int adjust,
                                      std::int64_t lowest, std::int64_t highest,
                                      const reference_mode&);
reference_result reference_from_integer(const reference_format&, std::int64_t v, int adjust,
                                        const reference_mode&);
reference_result reference_round_to_fixed(const reference_format&, std::uint64_t v, int adjust,
                                          const reference_mode&);

// 1 if the predicate holds, numbered as in the manual's table.
reference_result reference_compare(const reference_format&, std::uint64_t a, std::uint64_t b,
                                   unsigned predicate, const reference_mode&);
enum class reference_choice { minimum, maximum, maximum_magnitude };
reference_result reference_choose(const reference_format&, std::uint64_t a, std::uint64_t b,
                                  reference_choice, const reference_mode&);
reference_result reference_exponent(const reference_format&, std::uint64_t, const reference_mode&);
reference_result reference_significand(const reference_format&, std::uint64_t, unsigned immediate,
                                       const reference_mode&);
reference_result reference_scale(const reference_format&, std::uint64_t, int power,
                                 const reference_mode&);

}  // namespace knc::isa::test

#endif

// A number of GNU MPFR with the precision the x87 functions are computed with.
#ifndef KNC_ISA_X87_BIG_H
#define KNC_ISA_X87_BIG_H

#include <cstdint>

#include <mpfr.h>

#include <knc/isa/x87_operand.h>

namespace knc::isa {

class x87_big {
  public:
    explicit x87_big(unsigned precision) { mpfr_init2(value_, precision); }
    // A zero, infinite or other number, exactly.
    x87_big(const x87_operand& a, unsigned precision) : x87_big(precision) {
        if (a.zero()) {
            mpfr_set_zero(value_, a.negative ? -1 : 1);
        } else if (a.infinite()) {
            mpfr_set_inf(value_, a.negative ? -1 : 1);
        } else {
            mpfr_set_uj_2exp(value_, a.significand, a.exponent - 63, MPFR_RNDN);
            if (a.negative) mpfr_neg(value_, value_, MPFR_RNDN);
        }
    }
    ~x87_big() { mpfr_clear(value_); }
    x87_big(const x87_big&) = delete;
    x87_big& operator=(const x87_big&) = delete;

    operator mpfr_ptr() { return value_; }

  private:
    mpfr_t value_;
};

}  // namespace knc::isa

#endif

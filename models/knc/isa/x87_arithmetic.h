// The basic operations of the x87 unit, exact in every rounding direction and precision.
//
// Each takes decoded operands and the control word and leaves the state alone. Where an unmasked
// exception stops the operation (x87_stops), the value is meaningless.
// Source: Intel SDM vol. 1, chapters 4.8 and 8.5; vol. 2, tables of the instructions.
#ifndef KNC_ISA_X87_ARITHMETIC_H
#define KNC_ISA_X87_ARITHMETIC_H

#include <knc/isa/x87_operand.h>

namespace knc::isa {

// An operation on two numbers, and one on one.
using x87_binary = x87_result (*)(const x87_operand&, const x87_operand&, unsigned control);
using x87_unary = x87_result (*)(const x87_operand&, unsigned control);

x87_result x87_add(const x87_operand& a, const x87_operand& b, unsigned control);
x87_result x87_subtract(const x87_operand& a, const x87_operand& b, unsigned control);
x87_result x87_multiply(const x87_operand& a, const x87_operand& b, unsigned control);
x87_result x87_divide(const x87_operand& a, const x87_operand& b, unsigned control);
x87_result x87_square_root(const x87_operand& a, unsigned control);

// FPREM and FPREM1: what is left of `a`. The flags have C2 if the reduction is not complete, else
// the three low bits of the quotient in C0, C3 and C1.
x87_result x87_remainder(const x87_operand& a, const x87_operand& b, unsigned control);
x87_result x87_ieee_remainder(const x87_operand& a, const x87_operand& b, unsigned control);

x87_result x87_to_integral(const x87_operand& a, unsigned control);  // FRNDINT
x87_result x87_scale(const x87_operand& a, const x87_operand& by, unsigned control);
// FXTRACT: exponent and significand, with the same flags.
struct x87_parts {
    x87_result exponent, significand;
};
x87_parts x87_extract(const x87_operand& a);

// FCOM and the like: condition codes C3, C2, C0 and exceptions. `quiet`: a quiet NaN is no
// exception.
unsigned x87_compare(const x87_operand& a, const x87_operand& b, bool quiet);

}  // namespace knc::isa

#endif

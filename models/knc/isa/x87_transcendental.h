// Transcendental functions of the x87 unit.
//
// Models: values correctly rounded to 64 bits in the direction of the control word; arguments of
// the trigonometric functions reduced with the unit's 66-bit value of pi; PE with every value that
// is not a special case of the manual's tables, exact ones too. Hardware may differ in the last
// place.
// Source: Intel SDM vol. 1, chapter 8.3; vol. 2, tables of the instructions.
#ifndef KNC_ISA_X87_TRANSCENDENTAL_H
#define KNC_ISA_X87_TRANSCENDENTAL_H

#include <knc/isa/x87_arithmetic.h>

namespace knc::isa {

x87_result x87_exp2_minus_1(const x87_operand& x, unsigned control);                // F2XM1
x87_result x87_log2(const x87_operand& x, const x87_operand& y, unsigned control);  // FYL2X
x87_result x87_log2_plus_1(const x87_operand& x, const x87_operand& y,
                           unsigned control);  // FYL2XP1
// The angle of the point (x, y): FPATAN.
x87_result x87_arctangent(const x87_operand& x, const x87_operand& y, unsigned control);

// For arguments of 2^63 and more the flags have C2, and there is no value.
x87_result x87_sine(const x87_operand& x, unsigned control);
x87_result x87_cosine(const x87_operand& x, unsigned control);
x87_result x87_tangent(const x87_operand& x, unsigned control);

}  // namespace knc::isa

#endif

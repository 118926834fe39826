// Rounding of x87 results.
//
// Models: the four rounding directions and three precisions, gradual underflow, the masked and
// unmasked responses to overflow and underflow (exponent adjusted by 24576 for registers), C1.
// Tininess is detected after rounding. Source: Intel SDM vol. 1, chapters 4.8.4 and 8.5.
#ifndef KNC_ISA_X87_ROUND_H
#define KNC_ISA_X87_ROUND_H

#include <cstdint>

#include <knc/isa/wide.h>
#include <knc/isa/x87_operand.h>

namespace knc::isa {

// An exact number that is not zero: bit 127 of the significand is 1 and weighs 2^exponent. Bit 0
// also stands for all bits below it: it is 1 if any of them is.
struct x87_unrounded {
    bool negative = false;
    int exponent = 0;
    uint128 significand = 0;
};

inline x87_unrounded x87_exact(const x87_operand& a) {
    return {a.negative, a.exponent, uint128{a.significand} << 64};
}
// Shifts the highest 1 to bit 127; `significand` not zero.
x87_unrounded x87_normalized(bool negative, int exponent, uint128 significand);

enum class x87_direction : std::uint8_t { nearest, down, up, zero };
inline x87_direction x87_rounding(unsigned control) {
    return static_cast<x87_direction>(control >> x87_rounding_shift & 3);
}

// Bits of significand the precision control leaves: 24, 53 or 64.
unsigned x87_precision(unsigned control);

struct x87_format {
    unsigned precision;  // bits of significand
    int min_exponent, max_exponent;
};
inline constexpr x87_format x87_single = {24, -126, 127}, x87_double = {53, -1022, 1023};
constexpr x87_format x87_extended(unsigned precision = 64) {
    return {precision, 1 - x87_bias, x87_bias};
}

// A number rounded to a format: bit 63 of the significand weighs 2^exponent; it is 0 only for
// denormals and zero, whose exponent is the format's smallest.
struct x87_rounded {
    bool infinite = false;
    int exponent = 0;
    std::uint64_t significand = 0;
    unsigned flags = 0;  // OE, UE, PE, and C1 if rounded away from zero
};
// `adjust` (0 or 24576) scales the results of unmasked overflow and underflow into the format; with
// 0 do not use them. A result that is still outside the format becomes infinity or zero.
x87_rounded x87_round(const x87_unrounded&, const x87_format&, unsigned control, int adjust);

// Rounded to a register with `precision` bits; `flags` are added.
x87_result x87_deliver(const x87_unrounded&, unsigned precision, unsigned control, unsigned flags);

// The integer nearest to `v` in the direction of `control`.
struct x87_integer {
    bool overflow = false;  // 2^64 or more
    std::uint64_t magnitude = 0;
    unsigned flags = 0;  // PE and C1
};
x87_integer x87_round_to_integer(const x87_operand& v, x87_direction);

}  // namespace knc::isa

#endif

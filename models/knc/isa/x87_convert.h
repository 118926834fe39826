// Conversion of numbers between the x87 unit and memory, packed decimal included.
//
// Source: Intel SDM vol. 1, chapters 4.7, 4.8 and 8.5.
#ifndef KNC_ISA_X87_CONVERT_H
#define KNC_ISA_X87_CONVERT_H

#include <array>
#include <cstdint>

#include <knc/isa/x87_operand.h>

namespace knc::isa {

// A number as memory holds it, little-endian in the first bytes, and the exceptions of the
// conversion with C1. Do not store it if IE, OE or UE is among them and unmasked.
struct x87_stored {
    std::array<std::uint8_t, 10> bytes{};
    unsigned flags = 0;
};

x87_stored x87_to_single(const x87_operand&, unsigned control);
x87_stored x87_to_double(const x87_operand&, unsigned control);
// Integers of 2, 4 and 8 bytes.
x87_stored x87_to_integer(const x87_operand&, unsigned bytes, unsigned control);
x87_stored x87_to_decimal(const x87_operand&, unsigned control);
x87_stored x87_to_extended(const x87_register&);

x87_register x87_from_extended(const std::uint8_t* bytes);
// Digits above 9, which the manual leaves undefined, count with their value.
x87_operand x87_from_decimal(const std::uint8_t* bytes);

}  // namespace knc::isa

#endif

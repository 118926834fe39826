// What the vector unit does to elements on their way from and to memory and from registers.
//
// Models: swizzles of a register operand, broadcasts, up-conversions of loads and memory operands,
// down-conversions of stores, by the SSS field of the MVEX prefix; float16.
// Leaves out: the access itself, alignment, static rounding (SSS with EH = 1).
// Source: Intel Xeon Phi ISA Reference Manual (327364-001), chapter 2.2, tables of SwizzUpConv,
// UpConv and DownConv.
#ifndef KNC_ISA_VECTOR_CONVERT_H
#define KNC_ISA_VECTOR_CONVERT_H

#include <cstdint>

#include <knc/isa/vector_environment.h>

namespace knc::isa {

// Elements are named a (lowest) to d in each group of four; `name` has d's first.
struct vector_swizzle {
    const char* name;
    std::uint8_t from[4];

    // The lane of the source that lane `n` of the result is.
    unsigned lane(unsigned n) const { return (n & ~3u) | from[n & 3]; }
};
// By SSS, for elements of 32 and 64 bits.
extern const vector_swizzle vector_swizzles[8];

// How a vector lies in memory. Lane n is element n modulo `elements`.
struct vector_form {
    const char* name = nullptr;
    std::uint8_t elements = 0;  // 0: reserved, an invalid opcode
    std::uint8_t bytes = 0;     // of an element
    // One element, zero-extended: memory to lane, or lane to memory. Null: bits as they are.
    std::uint32_t (*convert)(std::uint32_t, vector_environment&) = nullptr;

    bool valid() const { return elements != 0; }
};

// Each by SSS. Memory operands of an operation:
extern const vector_form vector_operand_f32[8], vector_operand_i32[8], vector_operand_64[8];
// Those of eight elements of 32 bits, and of 16 without conversion:
extern const vector_form vector_operand_half[8], vector_operand_plain[8];
// Loads, and broadcasts, gathers and unpacks:
extern const vector_form vector_load_f32[8], vector_load_i32[8], vector_load_64[8];
// Stores, and scatters and packs:
extern const vector_form vector_store_f32[8], vector_store_i32[8], vector_store_64[8];

// VCVTPS2PD and VCVTPD2PS.
std::uint64_t vector_to_float64(std::uint32_t float32, vector_environment&);
std::uint32_t vector_to_float32(std::uint64_t float64, vector_environment&);

}  // namespace knc::isa

#endif

// All encodings that can hold a different instruction each: every combination of prefixes, opcode
// map, opcode and ModRM class.
//
// Leaves out what only changes operands within a form: registers, displacements, immediate values,
// segment overrides, REX.R/X/B, vector registers and masks other than the first.
#ifndef KNC_TESTS_ISA_OPCODE_SPACE_H
#define KNC_TESTS_ISA_OPCODE_SPACE_H

#include <array>
#include <cstdint>
#include <functional>

#include <knc/isa/state.h>

namespace knc::isa::test {

inline constexpr unsigned longest_encoding = 15;
using encoding = std::array<std::uint8_t, longest_encoding>;

// Calls `visit` with each encoding of `mode`, the unused bytes behind it 0. The encodings a reader
// expects come before the unusual ones.
void each_encoding(code_mode mode, const std::function<void(const encoding&)>& visit);

}  // namespace knc::isa::test

#endif

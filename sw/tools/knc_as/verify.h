// Compares bytes with the instruction they are meant to be.
#ifndef KNC_SW_TOOLS_KNC_AS_VERIFY_H
#define KNC_SW_TOOLS_KNC_AS_VERIFY_H

#include <cstdint>
#include <vector>

#include "instruction.h"

namespace knc_as {

// The modifiers of all operands. Throws statement_error if one stands at an operand it cannot
// belong to, or twice.
modifiers gathered(const instruction& i);

// Whether a Knights Corner core decodes `bytes` to `i`, with the modifiers `all`. Targets of
// branches and displacements with symbols are left out.
bool verified(const std::vector<std::uint8_t>& bytes, const instruction& i, const modifiers& all);

// The unit of an 8-bit displacement if Zydis counts it in another; else 0.
unsigned displacement_unit(const std::vector<std::uint8_t>& bytes);

// Where the bytes of displacement lie; 0: there are none.
std::size_t displacement_offset(const std::vector<std::uint8_t>& bytes);

}  // namespace knc_as

#endif

// One instruction as its line in the source says it, before it has bytes. Operands stand in Intel
// order, destination first, whatever the syntax of the source.
#ifndef KNC_SW_TOOLS_KNC_AS_INSTRUCTION_H
#define KNC_SW_TOOLS_KNC_AS_INSTRUCTION_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <Zydis/Zydis.h>

namespace knc_as {

// What is wrong with a statement, without the place.
struct statement_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A constant, or an expression with symbols, which the assembler after this program evaluates.
struct expression {
    std::int64_t value = 0;
    std::string symbolic;  // empty: `value` holds
};

// The words in braces.
struct modifiers {
    ZydisRegister mask = ZYDIS_REGISTER_NONE;
    ZydisSwizzleMode swizzle = ZYDIS_SWIZZLE_MODE_INVALID;
    ZydisBroadcastMode broadcast = ZYDIS_BROADCAST_MODE_INVALID;
    ZydisConversionMode conversion = ZYDIS_CONVERSION_MODE_INVALID;
    ZydisRoundingMode rounding = ZYDIS_ROUNDING_MODE_INVALID;
    bool suppress_exceptions = false;
    bool evict = false;
};

enum class operand_kind { reg, memory, immediate, target };

struct operand {
    operand_kind kind = operand_kind::reg;
    ZydisRegister reg = ZYDIS_REGISTER_NONE;
    // Memory.
    ZydisRegister segment = ZYDIS_REGISTER_NONE;
    ZydisRegister base = ZYDIS_REGISTER_NONE;
    ZydisRegister index = ZYDIS_REGISTER_NONE;
    std::uint8_t scale = 1;
    // Displacement, immediate or target of a branch.
    expression number;
    modifiers mods;
};

// Prefixes in braces that choose among encodings of one meaning.
enum class encoding_choice { shortest, vex, vex3, mvex };

struct instruction {
    ZydisMnemonic mnemonic = ZYDIS_MNEMONIC_INVALID;
    unsigned register_bits = 0;  // a mnemonic's suffix l or q says 32 or 64
    encoding_choice choice = encoding_choice::shortest;
    std::vector<operand> operands;
    modifiers mods;  // words in braces that stand beside the operands
};

}  // namespace knc_as

#endif

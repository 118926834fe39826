// Bytes of an instruction. Zydis encodes; what it returns is decoded again for Knights Corner and
// compared with the instruction asked for, so that no other instruction leaves this program.
#ifndef KNC_SW_TOOLS_KNC_AS_ENCODER_H
#define KNC_SW_TOOLS_KNC_AS_ENCODER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instruction.h"

namespace knc_as {

// Four bytes that the assembler fills in.
struct fixup {
    std::size_t at = 0;
    std::string value;      // expression
    bool relative = false;  // to the end of the instruction; otherwise a sign-extended address
};

struct encoded {
    std::vector<std::uint8_t> bytes;
    std::optional<fixup> hole;
};

// Throws statement_error if there is no such instruction.
encoded encode(const instruction& i);

}  // namespace knc_as

#endif

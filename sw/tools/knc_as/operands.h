// Reads the operands of a statement, AT&T or Intel.
#ifndef KNC_SW_TOOLS_KNC_AS_OPERANDS_H
#define KNC_SW_TOOLS_KNC_AS_OPERANDS_H

#include <string>

#include "instruction.h"
#include "registers.h"

namespace knc_as {

// Adds what `text` lists to `i`, whose mnemonic is set. Throws statement_error.
void parse_operands(const std::string& text, const syntax& s, instruction& i);

// One operand without its words in braces. `branch`: a plain expression is a target, not memory.
operand parse_att(const std::string& text, const syntax& s, bool branch);
operand parse_intel(const std::string& text, const syntax& s, bool branch);

}  // namespace knc_as

#endif

#include "operands.h"

#include <algorithm>

#include "modifiers.h"
#include "text.h"

namespace knc_as {

void parse_operands(const std::string& text, const syntax& s, instruction& i) {
    // An argument of a macro has its value only in the assembler.
    if (text.find('\\') != std::string::npos)
        throw statement_error(
            "no arguments of assembler macros here: use a macro of the C preprocessor");
    const bool branch = i.mnemonic == ZYDIS_MNEMONIC_JKZD || i.mnemonic == ZYDIS_MNEMONIC_JKNZD;
    for (std::string part : comma_separated(text)) {
        if (part.empty()) throw statement_error("an operand is missing");
        const modifiers mods = take_modifiers(part);
        if (part.empty()) {
            // {rn-sae} between commas, as the assembler writes it for AVX-512.
            if (mods.mask != ZYDIS_REGISTER_NONE || mods.swizzle != ZYDIS_SWIZZLE_MODE_INVALID)
                throw statement_error("masks and swizzles belong to an operand");
            merge(i.mods, mods);
            continue;
        }
        operand o = s.intel ? parse_intel(part, s, branch) : parse_att(part, s, branch);
        o.mods = mods;
        i.operands.push_back(o);
    }
    if (!s.intel) std::reverse(i.operands.begin(), i.operands.end());
}

}  // namespace knc_as

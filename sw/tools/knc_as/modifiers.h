// The words in braces behind operands: masks, swizzles, broadcasts, conversions, rounding, eviction
// hint.
#ifndef KNC_SW_TOOLS_KNC_AS_MODIFIERS_H
#define KNC_SW_TOOLS_KNC_AS_MODIFIERS_H

#include <string>

#include "instruction.h"

namespace knc_as {

// Takes the groups in braces off the end of an operand. Throws statement_error for a word that is
// none, or a second one of a kind.
modifiers take_modifiers(std::string& text);

// Adds `from`; throws if both have a modifier of one kind.
void merge(modifiers& into, const modifiers& from);

}  // namespace knc_as

#endif

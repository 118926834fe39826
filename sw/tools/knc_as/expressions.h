// Constant expressions of the assembler's language: numbers, + - * / % << >>, unary - + ~,
// parentheses. One that names symbols is read too, but kept as text.
#ifndef KNC_SW_TOOLS_KNC_AS_EXPRESSIONS_H
#define KNC_SW_TOOLS_KNC_AS_EXPRESSIONS_H

#include <string>

#include "instruction.h"

namespace knc_as {

// Throws statement_error for anything else.
expression parse_expression(const std::string& text);

}  // namespace knc_as

#endif

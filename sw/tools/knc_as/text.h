// Helpers for text that several files of this program read.
#ifndef KNC_SW_TOOLS_KNC_AS_TEXT_H
#define KNC_SW_TOOLS_KNC_AS_TEXT_H

#include <string>
#include <vector>

namespace knc_as {

std::string trimmed(const std::string& text);
std::string lower(std::string text);

// Characters of a name in the assembler's language.
bool is_name_start(char c);
bool is_name(char c);

// Parts of `text` between commas outside brackets of any kind, trimmed. Nothing for a blank text.
std::vector<std::string> comma_separated(const std::string& text);

}  // namespace knc_as

#endif

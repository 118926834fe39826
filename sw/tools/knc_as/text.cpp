#include "text.h"

#include <cctype>

namespace knc_as {

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

bool is_name(char c) {
    return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '$';
}

std::vector<std::string> comma_separated(const std::string& text) {
    std::vector<std::string> parts;
    if (trimmed(text).empty()) return parts;
    int depth = 0;
    std::string part;
    for (const char c : text) {
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (c == ',' && depth == 0) {
            parts.push_back(trimmed(part));
            part.clear();
        } else {
            part += c;
        }
    }
    parts.push_back(trimmed(part));
    return parts;
}

}  // namespace knc_as

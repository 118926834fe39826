#include <platform/console_text.h>

#include <fmt/format.h>

namespace platform {

namespace {

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (is_control(c)) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}

std::string last_lines(const std::string& text, std::size_t lines) {
    std::size_t begin = text.size();
    if (begin != 0 && text.back() == '\n') --begin;
    for (; begin > 0; --begin)
        if (text[begin - 1] == '\n' && --lines == 0) break;
    std::string out;
    for (std::size_t n = begin; n < text.size(); ++n)
        if (!is_control(text[n]) || text[n] == '\n' || text[n] == '\t') out += text[n];
    if (!out.empty() && out.back() != '\n') out += '\n';
    return out;
}

}  // namespace platform

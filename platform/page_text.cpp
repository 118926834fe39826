#include <platform/page_text.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <platform/utf8.h>

namespace platform {

std::string escaped(std::string_view text) {
    // The two characters that UTF-8 has and XML has not.
    constexpr std::string_view forbidden[] = {"\xEF\xBF\xBE", "\xEF\xBF\xBF"};
    std::string name = as_name(text);
    for (const std::string_view f : forbidden)
        for (std::size_t at = 0; (at = name.find(f, at)) != std::string::npos;)
            name.replace(at, f.size(), "_");
    std::string out;
    for (const char c : name) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

double percent_of(double part, double whole) {
    return whole == 0 ? 0 : 100 * part / whole;
}

void begin_table(std::ostream& out, std::string_view caption,
                 std::initializer_list<std::string_view> heads) {
    out << "<div class=\"wide\"><table>\n";
    if (!caption.empty()) out << "<caption>" << escaped(caption) << "</caption>\n";
    out << "<thead><tr>";
    for (const std::string_view h : heads) out << "<th scope=\"col\">" << escaped(h) << "</th>";
    out << "</tr></thead>\n<tbody>\n";
}

void end_table(std::ostream& out) {
    out << "</tbody></table></div>\n";
}

void begin_row(std::ostream& out, std::string_view head) {
    out << "<tr><th scope=\"row\">" << escaped(head) << "</th>";
}

void end_row(std::ostream& out) {
    out << "</tr>\n";
}

void text_cell(std::ostream& out, std::string_view text) {
    out << "<td>" << escaped(text) << "</td>";
}

void number_cell(std::ostream& out, std::string_view text, bool marked) {
    out << "<td class=\"" << (marked ? "n mark" : "n") << "\">" << escaped(text)
        << (marked ? " !</td>" : "</td>");
}

void bar_cell(std::ostream& out, std::string_view text, double percent, bool marked) {
    out << fmt::format("<td class=\"{}\" style=\"--f:{:.1f}%\">{}{}</td>",
                       marked ? "n b mark" : "n b", std::clamp(percent, 0.0, 100.0), escaped(text),
                       marked ? " !" : "");
}

}  // namespace platform

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

double strongest(std::vector<double> values) {
    values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return !(v > 0); }),
                 values.end());
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[(values.size() * 95 + 99) / 100 - 1];
}

double strength_of(double value, double strongest) {
    return strongest > 0 ? std::clamp(value / strongest, 0.0, 1.0) : 0;
}

void begin_table(std::ostream& out, std::string_view caption,
                 std::initializer_list<std::string_view> heads) {
    out << "<div class=\"wide\"><table>\n";
    if (!caption.empty()) out << "<caption>" << escaped(caption) << "</caption>\n";
    out << "<thead><tr>";
    for (const std::string_view h : heads) {
        const bool number = h.substr(0, 1) == "#";
        out << (number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">")
            << escaped(h.substr(number)) << "</th>";
    }
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
    if (text.empty()) {
        out << "<td></td>";
        return;
    }
    out << fmt::format("<td class=\"{}\" style=\"--f:{:.1f}%\">{}{}</td>",
                       marked ? "n b mark" : "n b", std::clamp(percent, 0.0, 100.0), escaped(text),
                       marked ? " !" : "");
}

}  // namespace platform

#include <platform/page_frame.h>

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include <platform/page_text.h>

namespace platform {

namespace {

// The policy holds whatever a name in the page may be taken for: no script but the page's own,
// which its hash names, and nothing that is fetched. Widths of bars are attributes, which are
// unsafe-inline.
constexpr std::string_view head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
    "form-action 'none'; style-src 'unsafe-inline'; script-src '{}'\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";

}  // namespace

void begin_page(std::ostream& out, std::string_view title, std::string_view script_hash) {
    out << fmt::format(head, script_hash) << "<title>" << escaped(title) << "</title>\n<style>"
        << page_style << "</style>\n</head>\n<body>\n";
}

void write_about(std::ostream& out, std::string_view more) {
    out << "<section id=\"about\"><h2>About</h2>\n<p>Written by knc-vp. " << more
        << " It needs no network and fetches nothing. The charts are drawn by "
           "Chart.js.</p>\n<details><summary>Licence of Chart.js</summary>\n";
    write_text_lines(out, chart_licence);
    out << "</details>\n</section>\n";
}

void end_page(std::ostream& out, const nlohmann::ordered_json& data, std::string_view script) {
    using json = nlohmann::ordered_json;
    out << "</main>\n<script type=\"application/json\" id=\"data\">";
    // ASCII only; what is markup stands in strings only, and is written as a number there.
    const std::string text = data.dump(-1, ' ', true, json::error_handler_t::replace);
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = std::min(text.find_first_of("<>&", from), text.size());
        out.write(text.data() + from, static_cast<std::streamsize>(to - from));
        if (to < text.size()) out << fmt::format("\\u{:04x}", static_cast<unsigned>(text[to]));
        from = to + 1;
    }
    out << "</script>\n<script>" << script << "</script>\n</body>\n</html>\n";
}

// Line by line, since escaped() takes no line ends.
void write_text_lines(std::ostream& out, std::string_view text) {
    out << "<pre>";
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out << escaped(text.substr(0, end)) << '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    out << "</pre>";
}

}  // namespace platform

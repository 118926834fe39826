#include <platform/page.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

namespace {

// The policy holds whatever a name in the page may be taken for.
constexpr std::string_view head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";

void write_outcome(std::ostream& out, const report& r) {
    out << fmt::format("<p class=\"{}\">{}</p>\n", r.status() == 0 ? "good" : "bad",
                       escaped(outcome_of(r)));
    if (!r.unheard.empty()) out << "<p class=\"bad\">session: " << escaped(r.unheard) << "</p>\n";
    begin_table(out, "", {"run", "value"});
    const auto row = [&](std::string_view name, const std::string& value) {
        begin_row(out, name);
        text_cell(out, value);
        end_row(out);
    };
    row("preset", r.preset);
    row("image", r.image);
    if (!r.cmdline.empty()) row("command line", r.cmdline);
    row("exit status", fmt::to_string(r.status()));
    row("clocks", fmt::to_string(r.cycles));
    row("simulated seconds", fmt::format("{:.6f}", r.simulated_seconds));
    row("instructions", fmt::to_string(r.instructions));
    end_table(out);
}

void write_list(std::ostream& out, std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    out << "<h3>" << title << "</h3>\n<ul>\n";
    for (const std::string& i : items) out << "<li>" << escaped(i) << "</li>\n";
    out << "</ul>\n";
}

void write_expectations(std::ostream& out, const report& r) {
    if (r.expectations.empty()) return;
    begin_table(out, "expectations", {"expectation", "verdict", "actual"});
    for (const verdict& v : r.expectations) {
        begin_row(out, v.name);
        out << (v.pass ? "<td class=\"good\">pass</td>" : "<td class=\"bad\">FAIL</td>");
        text_cell(out, v.actual.dump(-1, ' ', false, decltype(v.actual)::error_handler_t::replace));
        end_row(out);
    }
    end_table(out);
}

void write_marks(std::ostream& out, const report& r) {
    if (r.marks.empty()) return;
    begin_table(out, "marks of the firmware", {"mark", "clock"});
    for (const mark& m : r.marks) {
        begin_row(out, fmt::to_string(m.number));
        number_cell(out, fmt::to_string(m.cycle));
        end_row(out);
    }
    end_table(out);
}

void write_dump(std::ostream& out, std::string_view dump) {
    if (dump.empty()) return;
    out << "<details><summary>State of the threads at the end</summary>\n<pre>";
    while (!dump.empty()) {
        const std::size_t end = std::min(dump.find('\n'), dump.size());
        out << escaped(dump.substr(0, end)) << '\n';
        dump.remove_prefix(std::min(end + 1, dump.size()));
    }
    out << "</pre></details>\n";
}

}  // namespace

void write_page(std::ostream& out, const report& r, std::string_view folded) {
    const std::string title = escaped(fmt::format("{} on {}", r.image, r.preset));
    out << head << "<title>" << title << "</title>\n<style>" << page_style
        << "</style>\n</head>\n<body>\n<header><h1>" << title << "</h1></header>\n<main>\n"
        << "<section id=\"outcome\"><h2>Outcome</h2>\n";
    write_outcome(out, r);
    write_expectations(out, r);
    write_list(out, "Hints", r.hints);
    write_list(out, "Warnings", r.warnings);
    write_marks(out, r);
    write_dump(out, r.dump);
    out << "</section>\n";
    write_page_profiles(out, r, folded);
    write_page_metrics(out, r);
    write_page_threads(out, r);
    write_page_memory(out, r);
    write_page_skid(out, r);
    out << "</main>\n</body>\n</html>\n";
}

}  // namespace platform

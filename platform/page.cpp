#include <platform/page.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include <platform/monitor_columns.h>
#include <platform/page_frame.h>
#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

namespace {

struct fact {
    std::string name, value;
};

// With a comma before each three digits.
std::string grouped(std::uint64_t n) {
    std::string text = fmt::to_string(n);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

void write_facts(std::ostream& out, const report& r) {
    std::vector<fact> facts = {{"preset", r.preset},
                               {"clocks", grouped(r.cycles)},
                               {"simulated seconds", fmt::format("{:.6f}", r.simulated_seconds)},
                               {"instructions", grouped(r.instructions)}};
    if (!r.phases.empty()) {
        const phase& whole = r.phases.front();
        const auto card = knc::monitor::card_row(r.shape, whole.before, whole.after);
        constexpr std::pair<const char*, const char*> shown[] = {{"CPI", "clocks per instruction"},
                                                                 {"L1HIT", "L1 hits per access"},
                                                                 {"L2HIT", "L2 hits per lookup"},
                                                                 {"BW", "GB/s of memory"}};
        for (const auto& [name, meaning] : shown) {
            const knc::monitor::metric& m = *knc::monitor::find_metric(name, card);
            if (m.exists_in(card) && m.value(card, r.shape.clock_hz))
                facts.push_back({meaning, cell({m.name, m.meaning, &m}, card, r.shape.clock_hz)});
        }
    }
    std::uint64_t pmi = 0;
    for (const thread_report& t : r.threads) pmi += t.pmi;
    if (pmi != 0) facts.push_back({"performance interrupts", grouped(pmi)});
    out << "<div class=\"facts\">\n";
    for (const fact& f : facts)
        out << "<div class=\"fact\"><b>" << escaped(f.value) << "</b><span>" << f.name
            << "</span></div>\n";
    out << "</div>\n";
}

void write_outcome(std::ostream& out, const report& r) {
    out << fmt::format("<p class=\"{}\">{}; exit status {}</p>\n", r.status() == 0 ? "good" : "bad",
                       escaped(outcome_of(r)), r.status());
    if (!r.unheard.empty()) out << "<p class=\"bad\">session: " << escaped(r.unheard) << "</p>\n";
    write_facts(out, r);
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
    begin_table(out, "marks of the firmware", {"mark", "#clock"});
    for (const mark& m : r.marks) {
        begin_row(out, fmt::to_string(m.number));
        number_cell(out, fmt::to_string(m.cycle));
        end_row(out);
    }
    end_table(out);
}

// The parts of the page that a run may have, for the links at its top.
void write_links(std::ostream& out, const std::string& parts) {
    constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"history", "Over time"},   {"stack", "Clocks"},    {"ring", "Ring and memory"},
        {"hot", "Hot spots"},       {"skid", "Interrupts"}, {"threads", "Cores and threads"},
        {"metrics", "All metrics"}, {"about", "About"}};
    out << "<nav>";
    for (const auto& [id, name] : known)
        if (parts.find(fmt::format("<section id=\"{}\">", id)) != std::string::npos)
            out << fmt::format("<a href=\"#{}\">{}</a>", id, name);
    out << "</nav>\n";
}

void write_dump(std::ostream& out, std::string_view dump) {
    if (dump.empty()) return;
    out << "<details><summary>State of the threads at the end</summary>\n";
    write_text_lines(out, dump);
    out << "</details>\n";
}

}  // namespace

bool is_wide(const report& r) {
    constexpr unsigned many_threads = 32;
    return r.shape.threads() > many_threads;
}

void write_page(std::ostream& out, const report& r, std::string_view folded) {
    const std::string title = fmt::format("{} on {}", r.image, r.preset);
    std::ostringstream parts;
    write_page_history(parts, r);
    write_page_stack(parts, r);
    write_page_ring(parts, r);
    write_page_profiles(parts, r, folded);
    write_page_skid(parts, r);
    write_page_threads(parts, r);
    write_page_metrics(parts, r);
    write_about(parts, "docs/page.md says how to read this page.");

    begin_page(out, title, page_script_hash);
    out << "<header><h1>" << escaped(title) << "</h1>\n";
    if (!r.cmdline.empty()) out << "<p class=\"note\">" << escaped(r.cmdline) << "</p>\n";
    write_links(out, parts.str());
    out << "</header>\n<main>\n<section id=\"outcome\"><h2>Outcome</h2>\n";
    write_outcome(out, r);
    out << "<div class=\"columns\">\n";
    write_expectations(out, r);
    write_marks(out, r);
    out << "</div>\n";
    write_list(out, "Hints", r.hints);
    write_list(out, "Warnings", r.warnings);
    write_dump(out, r.dump);
    out << "</section>\n" << parts.str();
    end_page(out, page_data(r), page_script);
}

}  // namespace platform

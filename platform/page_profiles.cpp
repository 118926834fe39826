#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include <platform/page_flame.h>
#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

namespace {

// Of a table of functions, those with most; programs as large as a kernel have thousands.
constexpr std::size_t most_functions = 400;

void write_left_out(std::ostream& out, std::size_t functions) {
    if (functions > most_functions)
        out << "<p class=\"note\">" << functions - most_functions
            << " more functions are in report.json.</p>\n";
}

std::string ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b));
}

void share_cell(std::ostream& out, double percent, bool marked = false) {
    bar_cell(out, fmt::format("{:.2f} %", percent), percent, marked);
}

void write_functions(std::ostream& out, const profile& p) {
    if (p.exact_unit.empty())
        begin_table(out, "", {"function", "#samples", "#share"});
    else
        begin_table(out, "",
                    {"function", "#samples", "#share", "#exact " + p.exact_unit, "#exact share",
                     "#may differ by"});
    for (std::size_t n = 0; n < std::min(p.functions.size(), most_functions); ++n) {
        const function_share& f = p.functions[n];
        begin_row(out, f.name);
        number_cell(out, fmt::to_string(f.samples));
        share_cell(out, p.share(f));
        if (!p.exact_unit.empty()) {
            number_cell(out, fmt::to_string(f.exact));
            share_cell(out, p.exact_share(f));
            number_cell(out, fmt::format("{:.2f}", p.bound(f)), p.outside(f));
        }
        end_row(out);
    }
    end_table(out);
    write_left_out(out, p.functions.size());
}

void write_lines(std::ostream& out, const profile& p) {
    if (p.lines.empty()) return;
    out << "<details><summary>Source lines</summary>\n";
    begin_table(out, "", {"line", "function", "#samples", "#share"});
    for (const line_share& l : p.lines) {
        begin_row(out, l.at.file.empty() ? "?" : fmt::format("{}:{}", l.at.file, l.at.line));
        text_cell(out, l.function);
        number_cell(out, fmt::to_string(l.samples));
        share_cell(out, p.share(l.events));
        end_row(out);
    }
    end_table(out);
    out << "</details>\n";
}

void write_sampled(std::ostream& out, const profile& p) {
    out << "<h3>Samples of " << escaped(p.event) << "</h3>\n<p>" << p.samples << " samples";
    if (p.weight != p.samples) out << " for " << p.weight << " periods";
    if (p.period != 0) out << ", one every " << p.period;
    if (p.dropped != 0) out << ", " << p.dropped << " more dropped";
    out << ".</p>\n";
    write_functions(out, p);
    write_lines(out, p);
}

void write_graph(std::ostream& out, const flame_graph& g) {
    out << "<figure><figcaption>" << escaped(g.event.empty() ? "all samples" : g.event);
    if (g.hidden != 0) out << "; " << g.hidden << " frames too narrow or too high are left out";
    out << "</figcaption>\n";
    write_svg(out, g);
    out << "</figure>\n";
}

void write_cpi(std::ostream& out, const std::vector<function_cpi>& all) {
    if (all.empty()) return;
    out << "<h3>Clocks per instruction</h3>\n";
    begin_table(out, "", {"function", "#sampled", "#exact"});
    for (const function_cpi& f : all) {
        begin_row(out, f.name);
        number_cell(out, ratio(f.clocks, f.instructions));
        number_cell(out, ratio(f.exact_clocks, f.exact_instructions));
        end_row(out);
    }
    end_table(out);
}

void write_exact(std::ostream& out, const profile_summary& s) {
    const auto share = [](std::uint64_t n, std::uint64_t of) {
        return percent_of(static_cast<double>(n), static_cast<double>(of));
    };
    const auto counts = [&](const profile_cell& c) {
        number_cell(out, fmt::to_string(c.instructions));
        share_cell(out, share(c.instructions, s.instructions));
        number_cell(out, fmt::to_string(c.clocks));
        share_cell(out, share(c.clocks, s.clocks));
        end_row(out);
    };
    const auto level = [](knc::base::privilege p) {
        return p == knc::base::user ? "user" : "kernel";
    };
    out << "<h3>Exact profile</h3>\n";
    begin_table(out, "shares of the clocks of all threads",
                {"program", "level", "#instructions", "#share", "#clocks", "#share"});
    for (const profile_summary::row& r : s.programs) {
        begin_row(out, r.program);
        text_cell(out, level(r.level));
        counts(r.count);
    }
    begin_row(out, "idle (HLT)");
    text_cell(out, "");
    counts({0, s.idle_clocks});
    begin_row(out, "not running");
    text_cell(out, "");
    counts({0, s.off_clocks});
    end_table(out);
    begin_table(out, "",
                {"function", "program", "level", "#instructions", "#share", "#clocks", "#share"});
    for (std::size_t n = 0; n < std::min(s.functions.size(), most_functions); ++n) {
        const profile_summary::row& r = s.functions[n];
        begin_row(out, r.function);
        text_cell(out, r.program);
        text_cell(out, level(r.level));
        counts(r.count);
    }
    end_table(out);
    write_left_out(out, s.functions.size());
}

}  // namespace

void write_page_profiles(std::ostream& out, const report& r, std::string_view folded) {
    if (r.profiles.empty() && !r.by_function) return;
    out << "<section id=\"hot\"><h2>Hot spots</h2>\n";
    // The stacks name the event only where there are several.
    for (const flame_graph& g : make_flame_graphs(folded, r.profiles.size() > 1))
        write_graph(out, g);
    out << "<div class=\"columns\">\n";
    for (const profile& p : r.profiles) {
        out << "<div>\n";
        write_sampled(out, p);
        out << "</div>\n";
    }
    out << "<div>\n";
    write_cpi(out, derive_cpi(r.profiles));
    out << "</div>\n</div>\n";
    if (r.by_function) write_exact(out, *r.by_function);
    out << "</section>\n";
}

}  // namespace platform

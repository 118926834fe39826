#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <platform/profile.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

// Functions below both marks are left out of the table.
constexpr double least_share = 0.05;
constexpr std::size_t most_lines = 10;

double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string place(const source_position& at) {
    return at.file.empty() ? "?" : fmt::format("{}:{}", at.file, at.line);
}

void write_lines(std::ostream& out, const profile& p) {
    if (p.lines.empty() || (p.lines.size() == 1 && p.lines[0].at.file.empty())) return;
    out << fmt::format("  {:<28} {:>8} {:>8}  {}\n", "hottest lines, function", "samples", "share",
                       "line");
    for (std::size_t n = 0; n < std::min(most_lines, p.lines.size()); ++n) {
        const line_share& l = p.lines[n];
        out << fmt::format("  {:<28} {:>8} {:>7.2f}%  {}\n", l.function, l.samples,
                           p.share(l.events), place(l.at));
    }
    if (p.lines.size() > most_lines)
        out << fmt::format("  and {} more lines\n", p.lines.size() - most_lines);
}

}  // namespace

json to_json(const profile& p) {
    json o = {{"event", p.event},
              {"os", p.os},
              {"usr", p.user},
              {"period", p.period},
              {"samples", p.samples},
              {"weight", p.weight},
              {"sampled", p.events},
              {"dropped", p.dropped},
              {"exact_unit", p.exact_unit},
              {"exact", p.exact},
              {"functions", json::array()},
              {"lines", json::array()}};
    for (const function_share& f : p.functions)
        o["functions"].push_back({{"name", f.name},
                                  {"samples", f.samples},
                                  {"weight", f.weight},
                                  {"sampled", f.events},
                                  {"exact", f.exact},
                                  {"bound", p.exact_unit.empty() ? 0 : p.bound(f)},
                                  {"outside", p.outside(f)}});
    for (const line_share& l : p.lines)
        o["lines"].push_back({{"file", l.at.file},
                              {"line", l.at.line},
                              {"function", l.function},
                              {"samples", l.samples},
                              {"weight", l.weight},
                              {"sampled", l.events}});
    return o;
}

json to_json(const std::vector<function_cpi>& all) {
    json rows = json::array();
    for (const function_cpi& f : all)
        rows.push_back({{"name", f.name},
                        {"instructions", f.instructions},
                        {"clocks", f.clocks},
                        {"exact_instructions", f.exact_instructions},
                        {"exact_clocks", f.exact_clocks}});
    return rows;
}

void write_text(std::ostream& out, const profile& p) {
    const bool exact = !p.exact_unit.empty();
    out << fmt::format("profile of {}: {} samples", p.event, p.samples);
    if (p.weight != p.samples) out << fmt::format(" for {} periods", p.weight);
    if (p.period != 0) out << fmt::format(", one every {}", p.period);
    if (p.dropped != 0) out << fmt::format(", {} more dropped", p.dropped);
    out << '\n' << fmt::format("  {:<28} {:>8} {:>8}", "function", "samples", "share");
    if (exact) out << fmt::format(" {:>16} {:>8} {:>8}", "exact " + p.exact_unit, "share", "bound");
    out << '\n';
    std::size_t outside = 0;
    for (const function_share& f : p.functions) {
        outside += p.outside(f) ? 1 : 0;
        if (p.share(f) < least_share && p.exact_share(f) < least_share) continue;
        out << fmt::format("  {:<28} {:>8} {:>7.2f}%", f.name, f.samples, p.share(f));
        if (exact)
            out << fmt::format(" {:>16} {:>7.2f}% {:>8}{}", f.exact, p.exact_share(f),
                               fmt::format("+-{:.2f}", p.bound(f)),
                               p.outside(f) ? "  outside" : "");
        out << '\n';
    }
    if (exact)
        out << fmt::format(
            "  largest difference of the shares: {:.2f} percentage points; outside the bound: {} "
            "of {} functions\n",
            p.largest_difference(), outside, p.functions.size());
    write_lines(out, p);
}

void write_text(std::ostream& out, const std::vector<function_cpi>& all) {
    if (all.empty()) return;
    out << fmt::format("\nclocks per instruction\n  {:<28} {:>10} {:>10}\n", "function", "sampled",
                       "exact");
    for (const function_cpi& f : all)
        out << fmt::format("  {:<28} {:>10.2f} {:>10.2f}\n", f.name,
                           ratio(f.clocks, f.instructions),
                           ratio(f.exact_clocks, f.exact_instructions));
}

}  // namespace platform

#include <ostream>

#include <fmt/format.h>

#include <platform/profile.h>

namespace platform {

namespace {

// Functions below both marks are left out of the table.
constexpr double least_share = 0.05;

}  // namespace

nlohmann::ordered_json to_json(const profile& p) {
    nlohmann::ordered_json o = {{"event", p.event},
                                {"period", p.period},
                                {"samples", p.samples},
                                {"dropped", p.dropped},
                                {"exact_unit", p.exact_unit},
                                {"exact", p.exact},
                                {"functions", nlohmann::ordered_json::array()}};
    for (const function_share& f : p.functions)
        o["functions"].push_back({{"name", f.name}, {"samples", f.samples}, {"exact", f.exact}});
    return o;
}

void write_text(std::ostream& out, const profile& p) {
    const bool exact = !p.exact_unit.empty();
    out << fmt::format("profile of {}: {} samples", p.event, p.samples);
    if (p.period != 0) out << fmt::format(", one every {}", p.period);
    if (p.dropped != 0) out << fmt::format(", {} more dropped", p.dropped);
    out << '\n' << fmt::format("  {:<28} {:>8} {:>8}", "function", "samples", "share");
    if (exact) out << fmt::format(" {:>16} {:>8}", "exact " + p.exact_unit, "share");
    out << '\n';
    for (const function_share& f : p.functions) {
        if (p.share(f) < least_share && p.exact_share(f) < least_share) continue;
        out << fmt::format("  {:<28} {:>8} {:>7.2f}%", f.name, f.samples, p.share(f));
        if (exact) out << fmt::format(" {:>16} {:>7.2f}%", f.exact, p.exact_share(f));
        out << '\n';
    }
    if (exact)
        out << fmt::format("  largest difference of the shares: {:.2f} percentage points\n",
                           p.largest_difference());
}

}  // namespace platform

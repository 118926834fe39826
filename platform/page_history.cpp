#include <platform/page_history.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

// Bounds for the size of the page.
constexpr std::size_t many_cores = 8, most_core_points = 96, most_rows = 64;

constexpr const char* core_names[] = {"instructions", "unhalted", "l1", "l2", "remote", "awake"};
static_assert(std::size(core_names) == core_history::count);

// The increases from point to point, of every `step`th point and the last.
template <class Read>
std::vector<std::uint64_t> increases(const std::vector<history_point>& points, std::size_t step,
                                     const Read& read) {
    std::vector<std::uint64_t> all;
    std::uint64_t before = 0;
    for (std::size_t n = step - 1;; n += step) {
        n = std::min(n, points.size() - 1);
        const std::uint64_t now = read(points[n]);
        all.push_back(now - before);
        before = now;
        if (n + 1 == points.size()) return all;
    }
}

std::vector<std::uint64_t> ends_of(const std::vector<history_point>& points, std::size_t step) {
    std::vector<std::uint64_t> all;
    for (std::size_t n = step; n < points.size(); n += step) all.push_back(points[n - 1].at);
    all.push_back(points.back().at);
    return all;
}

// The step with which so many points are enough.
std::size_t step_for(const std::vector<history_point>& points, std::size_t most) {
    return (points.size() + most - 1) / most;
}

struct card_count {
    const char* name;
    std::vector<std::uint64_t> increases;
};

std::vector<card_count> card_counts(const std::vector<history_point>& points, std::size_t step) {
    std::vector<card_count> all;
    for (std::size_t k = 0; k < core_history::count; ++k)
        all.push_back({core_names[k], increases(points, step, [&](const history_point& p) {
                           std::uint64_t sum = 0;
                           for (const auto& c : p.cores) sum += c[k];
                           return sum;
                       })});
    const auto add = [&](const char* name, std::uint64_t history_point::*count) {
        all.push_back(
            {name, increases(points, step, [&](const history_point& p) { return p.*count; })});
    };
    add("ring_busy", &history_point::ring_busy);
    add("reads", &history_point::reads);
    add("writes", &history_point::writes);
    return all;
}

void write_history_table(std::ostream& out, const std::vector<history_point>& points) {
    const std::size_t step = step_for(points, most_rows);
    const std::vector<std::uint64_t> ends = ends_of(points, step);
    const std::vector<card_count> counts = card_counts(points, step);
    out << "<details><summary>Counts of the card over time</summary>\n";
    begin_table(out, "each row: from the clock above it to its own",
                {"to clock", "#instructions", "#unhalted clocks", "#L1 data misses",
                 "#L2 read misses", "#lines from other cores", "#clocks of awake threads",
                 "#slots of the rings for data", "#lines read", "#lines written"});
    for (std::size_t n = 0; n < ends.size(); ++n) {
        begin_row(out, fmt::to_string(ends[n]));
        for (const card_count& c : counts) number_cell(out, fmt::to_string(c.increases[n]));
        end_row(out);
    }
    end_table(out);
    out << "</details>\n";
}

}  // namespace

json history_of(const report& r) {
    const auto& points = r.history.points();
    json h = {{"ring_slots", r.shape.ring_slots},
              {"ends", json::array()},
              {"card", json::object()},
              {"core_ends", json::array()},
              {"cores", json::array()}};
    if (points.empty()) return h;
    h["ends"] = ends_of(points, 1);
    for (const card_count& c : card_counts(points, 1)) h["card"][c.name] = c.increases;
    const std::size_t cores = points.back().cores.size();
    const std::size_t step = cores > many_cores ? step_for(points, most_core_points) : 1;
    h["core_ends"] = ends_of(points, step);
    for (std::size_t c = 0; c < cores; ++c) {
        json core = json::object();
        for (std::size_t k = 0; k < core_history::count; ++k)
            core[core_names[k]] =
                increases(points, step, [&](const history_point& p) { return p.cores[c][k]; });
        h["cores"].push_back(std::move(core));
    }
    return h;
}

void write_page_history(std::ostream& out, const report& r) {
    if (r.history.points().empty()) return;
    out << "<section id=\"history\"><h2>Counters over time</h2>\n<noscript><p class=\"note\">The "
           "charts need JavaScript.</p></noscript>\n<div id=\"history-charts\"></div>\n";
    write_history_table(out, r.history.points());
    out << "</section>\n";
}

}  // namespace platform

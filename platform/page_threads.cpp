#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include <platform/monitor_columns.h>
#include <platform/page_parts.h>
#include <platform/page_ring.h>
#include <platform/page_text.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;

constexpr unsigned heat_row = 22;
constexpr unsigned tiles_per_label = 10;

// What bars and heat maps show.
constexpr std::string_view shown[] = {"INST", "IPC", "CPI", "L1MISS", "L2MISS"};

struct view {
    const monitor::metric* metric;
    std::vector<double> values;  // of the rows; negative: there is none
    double most = 0;
};

std::vector<view> views_of(const std::vector<monitor::row>& rows, std::uint64_t clock_hz) {
    std::vector<view> views;
    for (const std::string_view name : shown) {
        view v{rows.empty() ? monitor::find_metric(name) : monitor::find_metric(name, rows.front()),
               {},
               0};
        for (const monitor::row& r : rows) {
            const auto value = v.metric->exists_in(r) ? v.metric->value(r, clock_hz) : std::nullopt;
            v.values.push_back(value.value_or(-1));
            v.most = std::max(v.most, v.values.back());
        }
        views.push_back(std::move(v));
    }
    return views;
}

std::string text_of(const view& v, const monitor::row& r, std::uint64_t clock_hz) {
    const monitor_column c{v.metric->name, v.metric->meaning, v.metric};
    return v.metric->style == monitor::metric_style::count && v.metric->exists_in(r)
               ? fmt::to_string(v.metric->exact(r))
               : cell(c, r, clock_hz);
}

std::string name_of(const monitor::row& r) {
    return r.kind == monitor::row_kind::core ? fmt::format("{}", r.core)
                                             : fmt::format("{}.{}", r.core, r.thread);
}

void write_bars(std::ostream& out, std::string_view kind, const std::vector<monitor::row>& rows,
                std::uint64_t clock_hz) {
    const std::vector<view> views = views_of(rows, clock_hz);
    begin_table(out, "", {kind, "#instructions", "#IPC", "#CPI", "#L1 misses", "#L2 misses"});
    for (std::size_t n = 0; n < rows.size(); ++n) {
        if (rows[n].count[knc::base::instructions_executed] == 0) continue;
        begin_row(out, name_of(rows[n]));
        for (const view& v : views)
            bar_cell(out, text_of(v, rows[n], clock_hz), percent_of(v.values[n], v.most),
                     monitor::is_beyond_limit(*v.metric, rows[n], clock_hz));
        end_row(out);
    }
    end_table(out);
}

// A tile is a column, a thread of it a row.
void write_heat_map(std::ostream& out, const view& v, const std::vector<monitor::row>& rows,
                    const monitor::platform_shape& shape) {
    const unsigned per_core = shape.threads_per_core;
    const double most = strongest(v.values);
    out << fmt::format(
        "<figure><figcaption id=\"heat-said\">{}: {}; the strongest colour: {:.6g} and "
        "above</figcaption>\n<div id=\"heat-choices\" class=\"choices\"></div>\n<svg id=\"heat\" "
        "role=\"img\" aria-label=\"heat map of tiles and threads\" width=\"100%\" "
        "height=\"{}\">\n",
        escaped(v.metric->name), escaped(v.metric->meaning), most, per_core * heat_row + 16);
    const double width = 100.0 / shape.tiles;
    for (std::size_t n = 0; n < rows.size(); ++n)
        out << fmt::format(
            "<rect class=\"h\" x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\" "
            "fill-opacity=\"{:.3f}\"><title>thread {}: {}</title></rect>\n",
            width * rows[n].core, rows[n].thread * heat_row, width, heat_row,
            strength_of(v.values[n], most), name_of(rows[n]),
            escaped(text_of(v, rows[n], shape.clock_hz)));
    for (unsigned c = 0; c < shape.tiles; c += tiles_per_label)
        out << fmt::format("<text class=\"a\" x=\"{:.3f}%\" y=\"{}\">{}</text>\n", width * c,
                           per_core * heat_row + 13, c);
    out << "</svg></figure>\n";
}

}  // namespace

void write_page_threads(std::ostream& out, const report& r) {
    if (r.phases.empty()) return;
    const phase& whole = r.phases.front();
    std::vector<monitor::row> cores, threads;
    for (unsigned c = 0; c < r.shape.tiles; ++c)
        cores.push_back(monitor::core_row(r.shape, whole.before, whole.after, c));
    for (unsigned t = 0; t < r.shape.threads(); ++t)
        threads.push_back(monitor::thread_row(r.shape, whole.before, whole.after, t));

    out << "<section id=\"threads\"><h2>Cores and threads</h2>\n<p class=\"note\">Over the whole "
           "run. Tables leave out what executed nothing. A value marked with ! deserves a closer "
           "look.</p>\n";
    const bool many = is_wide(r);
    if (many) {
        out << "<p class=\"note\">Heat map: a column is a tile, a row one of its threads.</p>\n";
        write_heat_map(out, views_of(threads, r.shape.clock_hz).front(), threads, r.shape);
    }
    if (many) out << "<details><summary>Every core</summary>\n";
    write_bars(out, "core", cores, r.shape.clock_hz);
    if (many) out << "</details>\n<details><summary>Every thread</summary>\n";
    write_bars(out, "thread", threads, r.shape.clock_hz);
    if (many) out << "</details>\n";
    out << "</section>\n";
}

void write_page_memory(std::ostream& out, const report& r) {
    if (r.phases.empty() || r.shape.controllers == 0) return;
    const phase& whole = r.phases.front();
    std::vector<monitor::controller_counts> counts;
    std::uint64_t most = 0;
    for (unsigned c = 0; c < r.shape.controllers; ++c) {
        const auto& before = whole.before.controllers[c];
        const auto& after = whole.after.controllers[c];
        counts.push_back({after.reads - before.reads, after.writes - before.writes});
        most = std::max({most, counts[c].reads, counts[c].writes});
    }
    begin_table(out, "memory controllers: lines of 64 bytes",
                {"controller", "#read", "#written", "#GB/s read", "#GB/s written"});
    for (unsigned c = 0; c < r.shape.controllers; ++c) {
        begin_row(out, fmt::to_string(c));
        for (const std::uint64_t n : {counts[c].reads, counts[c].writes})
            bar_cell(out, fmt::to_string(n),
                     percent_of(static_cast<double>(n), static_cast<double>(most)));
        const rate gigabytes = memory_rate(r, c);
        number_cell(out, fmt::format("{:.3f}", gigabytes.read));
        number_cell(out, fmt::format("{:.3f}", gigabytes.written));
        end_row(out);
    }
    end_table(out);
}

}  // namespace platform

#include <platform/monitor_table.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include <knc/monitor/rows.h>

#include <platform/monitor_columns.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;
using monitor::metric_place;

constexpr std::size_t head_width = 12;

std::vector<monitor_column> columns_of(const monitor_rows& shown,
                                       const monitor::platform_shape& shape) {
    return monitor_columns({metric_place::pcm, metric_place::ours}, shape, shown.all_columns);
}

std::size_t width_of(const monitor_column& c) {
    return std::max<std::size_t>(c.name.size(), 6) + 2;
}

// The columns that fit.
std::size_t fitting(const std::vector<monitor_column>& columns, std::size_t width) {
    std::size_t used = head_width, n = 0;
    while (n < columns.size() && (width == 0 || used + width_of(columns[n]) <= width))
        used += width_of(columns[n++]);
    return n;
}

std::string head(const monitor::row& r) {
    switch (r.kind) {
        case monitor::row_kind::thread:
            return fmt::format("{:>5} {:>4} |", r.core, r.thread);
        case monitor::row_kind::core:
            return fmt::format("{:>5} {:>4} |", r.core, "all");
        default:
            return fmt::format("{:>10} |", "TOTAL");
    }
}

}  // namespace

std::vector<unsigned> monitor_rows::chosen_cores(unsigned tiles) const {
    std::vector<unsigned> chosen = only;
    if (chosen.empty()) {
        chosen.resize(tiles);
        std::iota(chosen.begin(), chosen.end(), 0U);
    }
    chosen.erase(
        std::remove_if(chosen.begin(), chosen.end(), [tiles](unsigned c) { return c >= tiles; }),
        chosen.end());
    return chosen;
}

void write_monitor_legend(std::ostream& out, const monitor_rows& shown,
                          const monitor::platform_shape& shape) {
    for (const monitor_column& c : columns_of(shown, shape))
        out << fmt::format("{:<8}: {}\n", c.name, c.meaning);
    out << '\n';
}

void write_monitor_table(std::ostream& out, const monitor_rows& shown,
                         const monitor::platform_shape& shape, const monitor::snapshot& before,
                         const monitor::snapshot& after, std::size_t width) {
    std::vector<monitor_column> columns = columns_of(shown, shape);
    const std::size_t fit = fitting(columns, width);
    const std::size_t dropped = columns.size() - fit;
    columns.resize(fit);

    std::string header = fmt::format("{:>5} {:>4} |", "Tile", "Thr");
    for (const monitor_column& c : columns)
        header += fmt::format("{:>{}}", title_of(c, shown.estimated), width_of(c));
    const std::string rule(header.size(), '-');
    const auto write = [&](const monitor::row& r) {
        out << head(r);
        for (const monitor_column& c : columns)
            out << fmt::format("{:>{}}", cell(c, r, shape.clock_hz), width_of(c));
        out << '\n';
    };

    const std::vector<unsigned> cores = shown.chosen_cores(shape.tiles);
    out << header << '\n' << rule << '\n';
    if (shown.threads) {
        for (const unsigned c : cores)
            for (unsigned t = 0; t < shape.threads_per_core; ++t)
                write(monitor::thread_row(shape, before, after, c * shape.threads_per_core + t));
        out << rule << '\n';
    }
    if (shown.cores) {
        for (const unsigned c : cores) write(monitor::core_row(shape, before, after, c));
        out << rule << '\n';
    }
    if (shown.total) write(monitor::card_row(shape, before, after));
    if (dropped != 0) out << fmt::format("{} columns do not fit\n", dropped);
}

void write_monitor_footer(std::ostream& out, const monitor::platform_shape& shape,
                          const monitor::snapshot& before, const monitor::snapshot& after,
                          double host_seconds) {
    const monitor::row all = monitor::card_row(shape, before, after);
    const auto count = [&](std::size_t q) { return all.count[q]; };
    const std::uint64_t instructions = count(knc::base::instructions_executed);
    out << fmt::format(
        "instructions {}, unhalted clocks {}, clocks of all cores {}; {:.3f} ms simulated, to "
        "clock "
        "{}",
        short_count(instructions), short_count(count(knc::base::cpu_clk_unhalted)),
        short_count(count(monitor::tsc)),
        1e3 * static_cast<double>(count(monitor::elapsed)) / static_cast<double>(shape.clock_hz),
        after.cycle);
    if (host_seconds > 0)
        out << fmt::format("; {:.2f} MIPS of the host",
                           static_cast<double>(instructions) / host_seconds / 1e6);
    out << '\n';
    const auto value = [&](std::string_view name) {
        const monitor::metric* const m = monitor::find_metric(name, all);
        return cell({m->name, m->meaning, m}, all, shape.clock_hz);
    };
    out << fmt::format("C0 {} %, C1 {} %\n", value("C0res%"), value("C1res%"));
    if (shape.bus)
        out << fmt::format("bus: {} GB read, {} GB written\n", value("READ"), value("WRITE"));
    if (shape.controllers == 0) return;
    out << fmt::format("MEM (GB)->|{:>10} |{:>10} |\n", "READ", "WRITE");
    const auto memory = [&](const std::string& name, std::uint64_t reads, std::uint64_t writes) {
        out << fmt::format("{:>9} |{:>10.6f} |{:>10.6f} |\n", name,
                           monitor::gigabytes(static_cast<double>(reads)),
                           monitor::gigabytes(static_cast<double>(writes)));
    };
    for (unsigned c = 0; c < shape.controllers; ++c)
        memory(fmt::format("MEM{}", c), after.controllers[c].reads - before.controllers[c].reads,
               after.controllers[c].writes - before.controllers[c].writes);
    memory("sum", count(monitor::read_lines), count(monitor::write_lines));
    out << fmt::format(
        "estimated from events: {} GB read, {} GB written; rings for data {} % busy\n",
        value("EREAD"), value("EWRITE"), value("RING%"));
}

}  // namespace platform

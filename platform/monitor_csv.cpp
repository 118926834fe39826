#include <platform/monitor_csv.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <knc/monitor/rows.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;
using monitor::metric_place;
using monitor::row_kind;

struct named_column {
    std::string group, name;
    std::string_view unit;
};

}  // namespace

monitor_csv::monitor_csv(const monitor_rows& shown, const monitor::platform_shape& shape, style s)
    : shape_(shape), style_(s), estimated_(shown.estimated) {
    const bool all = shown.all_columns;
    of_cores_ = monitor_columns(
        {metric_place::pcm, metric_place::ours, metric_place::residency, metric_place::raw}, shape,
        all);
    of_card_ = of_cores_;
    const auto system = monitor_columns({metric_place::system}, shape, all);
    of_card_.insert(of_card_.end(), system.begin(), system.end());
    std::copy_if(of_cores_.begin(), of_cores_.end(), std::back_inserter(of_threads_),
                 is_of_threads);

    if (shown.total) groups_.push_back({"System", row_kind::card, 0, &of_card_});
    const unsigned threads = shape.threads_per_core;
    const std::vector<unsigned> cores = shown.chosen_cores(shape.tiles);
    for (const unsigned c : cores)
        if (shown.cores)
            groups_.push_back(
                {fmt::format(s.pcm ? "Tile{}" : "Core{}", c), row_kind::core, c, &of_cores_});
    for (const unsigned c : cores)
        for (unsigned t = 0; t < threads && shown.threads; ++t)
            groups_.push_back({s.pcm ? fmt::format("Core{} (Socket 0)", c * threads + t)
                                     : fmt::format("Core{} Thread{}", c, t),
                               row_kind::thread, c * threads + t, &of_threads_});
}

void monitor_csv::write_header(std::ostream& out) const {
    std::vector<named_column> columns{{"Time", "cycle", "clocks"}, {"Time", "time_ns", "ns"}};
    for (const group& g : groups_) {
        for (const monitor_column& c : *g.columns)
            columns.push_back({g.name, title_of(c, estimated_), unit_of(c)});
        if (g.kind != row_kind::card) continue;
        for (unsigned n = 0; n < shape_.controllers; ++n)
            for (const char* const name : {"READ", "WRITE"})
                columns.push_back({fmt::format("MEM{}", n), name, "GB"});
    }
    const auto line = [&](auto text) {
        for (std::size_t n = 0; n < columns.size(); ++n)
            out << (n == 0 ? "" : ",") << text(columns[n]);
        out << '\n';
    };
    line([](const named_column& c) { return std::string_view{c.group}; });
    line([](const named_column& c) { return std::string_view{c.name}; });
    if (style_.units) line([](const named_column& c) { return c.unit; });
}

void monitor_csv::write(std::ostream& out, const monitor::snapshot& before,
                        const monitor::snapshot& after) const {
    out << fmt::format(
        "{},{:.0f}", after.cycle,
        1e9 * static_cast<double>(after.cycle) / static_cast<double>(shape_.clock_hz));
    for (const group& g : groups_) {
        const monitor::row r =
            g.kind == row_kind::card
                ? monitor::card_row(shape_, before, after)
                : (g.kind == row_kind::core ? monitor::core_row(shape_, before, after, g.number)
                                            : monitor::thread_row(shape_, before, after, g.number));
        for (const monitor_column& c : *g.columns)
            out << ',' << field(c, r, shape_.clock_hz, style_.pcm);
        if (g.kind != row_kind::card) continue;
        for (unsigned n = 0; n < shape_.controllers; ++n) {
            const auto& a = after.controllers[n];
            const auto& b = before.controllers[n];
            out << fmt::format(",{:.6g},{:.6g}",
                               monitor::gigabytes(static_cast<double>(a.reads - b.reads)),
                               monitor::gigabytes(static_cast<double>(a.writes - b.writes)));
        }
    }
    out << '\n';
}

}  // namespace platform

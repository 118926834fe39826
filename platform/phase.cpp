#include <platform/phase.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include <platform/monitor_columns.h>
#include <platform/monitor_table.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;
namespace monitor = knc::monitor;

bool took_part(const monitor::row& r) {
    return r.count[knc::base::instructions_executed] != 0;
}

// Counts are exact numbers, a division by zero is null.
json metrics_of(const monitor::row& r, const monitor::platform_shape& shape) {
    json values = json::object(), beyond = json::array();
    for (const monitor::metric* const entry : monitor::metrics_of(r)) {
        const monitor::metric& m = *entry;
        const std::string name{m.name};
        if (m.style == monitor::metric_style::count) {
            values[name] = m.exact(r);
            continue;
        }
        const auto v = m.value(r, shape.clock_hz);
        values[name] = v ? json(*v) : json();
        if (monitor::is_beyond_limit(m, r, shape.clock_hz)) beyond.push_back(name);
    }
    return {{"metrics", values}, {"beyond_limit", beyond}};
}

json phase_object(const monitor::platform_shape& shape, const phase& p) {
    json o = {{"from", p.from},
              {"to", p.to},
              {"cycles", {p.before.cycle, p.after.cycle}},
              {"card", metrics_of(monitor::card_row(shape, p.before, p.after), shape)},
              {"cores", json::array()},
              {"threads", json::array()}};
    for (unsigned c = 0; c < shape.tiles; ++c) {
        const monitor::row r = monitor::core_row(shape, p.before, p.after, c);
        if (!took_part(r)) continue;
        json core = {{"core", c}};
        core.update(metrics_of(r, shape));
        o["cores"].push_back(core);
    }
    for (unsigned t = 0; t < shape.threads(); ++t) {
        const monitor::row r = monitor::thread_row(shape, p.before, p.after, t);
        if (!took_part(r)) continue;
        json thread = {{"core", r.core}, {"thread", r.thread}};
        thread.update(metrics_of(r, shape));
        o["threads"].push_back(thread);
    }
    return o;
}

void write_metric(std::ostream& out, const monitor::metric& m, const monitor::platform_shape& shape,
                  const std::vector<monitor::row>& rows) {
    const monitor_column c{m.name, m.meaning, &m};
    const auto has_value = [&](const monitor::row& r) {
        return m.exists_in(r) && m.value(r, shape.clock_hz);
    };
    if (std::none_of(rows.begin(), rows.end(), has_value)) return;
    out << fmt::format("  {:<11}", m.name);
    for (const monitor::row& r : rows)
        out << fmt::format("{:>10}{}", cell(c, r, shape.clock_hz),
                           monitor::is_beyond_limit(m, r, shape.clock_hz) ? '!' : ' ');
    out << "  " << m.meaning << '\n';
}

}  // namespace

std::vector<phase> phase_recorder::all(const monitor::platform_shape& shape,
                                       const monitor::snapshot& end) const {
    std::vector<phase> all{{"begin", "end", monitor::start_of(shape), end}};
    for (std::size_t n = 0; n < taken_.size(); ++n) {
        const phase& before = all.back();
        const bool first = n == 0;
        all.push_back({first ? "begin" : before.to, fmt::format("mark {}", marks_[n].number),
                       first ? monitor::start_of(shape) : before.after, taken_[n]});
    }
    if (!taken_.empty()) all.push_back({all.back().to, "end", all.back().after, end});
    return all;
}

json to_json(const monitor::platform_shape& shape, const std::vector<phase>& phases) {
    json all = json::array();
    for (const phase& p : phases) all.push_back(phase_object(shape, p));
    return all;
}

void write_text(std::ostream& out, const monitor::platform_shape& shape,
                const std::vector<phase>& phases) {
    if (phases.empty()) return;
    monitor_rows shown;
    std::vector<monitor::row> rows;
    const phase& whole = phases.front();
    for (unsigned c = 0; c < shape.tiles; ++c)
        if (took_part(monitor::core_row(shape, whole.before, whole.after, c)))
            shown.only.push_back(c);
    out << "\nmonitor's table of the run; cores that executed nothing are left out\n";
    write_monitor_table(out, shown, shape, whole.before, whole.after, 0);
    write_monitor_footer(out, shape, whole.before, whole.after, 0);

    out << "\nmetrics of the card; !: deserves a closer look\n" << fmt::format("  {:<11}", "from");
    for (const phase& p : phases) {
        rows.push_back(monitor::card_row(shape, p.before, p.after));
        out << fmt::format("{:>10} ", p.from);
    }
    out << fmt::format("\n  {:<11}", "to");
    for (const phase& p : phases) out << fmt::format("{:>10} ", p.to);
    out << '\n';
    for (const monitor::metric* const m : monitor::metrics_of(rows.front()))
        write_metric(out, *m, shape, rows);
}

}  // namespace platform

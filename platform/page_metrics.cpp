#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include <platform/monitor_columns.h>
#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

namespace monitor = knc::monitor;

void write_page_metrics(std::ostream& out, const report& r) {
    if (r.phases.empty()) return;
    out << "<section id=\"metrics\"><h2>Metrics of the card</h2>\n<p class=\"note\">A value marked "
           "with ! deserves a closer look.</p>\n<div class=\"wide\"><table>\n<thead><tr>"
           "<th scope=\"col\">metric</th>";
    std::vector<monitor::row> rows;
    for (const phase& p : r.phases) {
        rows.push_back(monitor::card_row(r.shape, p.before, p.after));
        out << "<th scope=\"col\" class=\"n\">" << escaped(p.from) << " to<br/>" << escaped(p.to)
            << "</th>";
    }
    out << "<th scope=\"col\">meaning</th></tr></thead>\n<tbody>\n";
    for (const monitor::metric* const entry : monitor::metrics_of(rows.front())) {
        const monitor::metric& m = *entry;
        const auto has_value = [&](const monitor::row& row) {
            return m.exists_in(row) && m.value(row, r.shape.clock_hz);
        };
        if (std::none_of(rows.begin(), rows.end(), has_value)) continue;
        begin_row(out, m.name);
        for (const monitor::row& row : rows)
            number_cell(out, cell({m.name, m.meaning, &m}, row, r.shape.clock_hz),
                        monitor::is_beyond_limit(m, row, r.shape.clock_hz));
        text_cell(out, m.meaning);
        end_row(out);
    }
    end_table(out);
    out << "</section>\n";
}

}  // namespace platform

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <platform/page_parts.h>
#include <platform/page_text.h>

namespace platform {

void write_page_skid(std::ostream& out, const report& r) {
    using knc::core::skid_statistics;
    // The bins that some thread has.
    std::size_t first = skid_statistics::bins, last = 0;
    for (const thread_report& t : r.threads)
        for (std::size_t n = 0; n < skid_statistics::bins; ++n)
            if (t.pmu.skid.histogram[n] != 0) {
                first = std::min(first, n);
                last = std::max(last, n);
            }
    if (first == skid_statistics::bins) return;
    out << "<section id=\"skid\"><h2>Performance interrupts and their skid</h2>\n<p "
           "class=\"note\">Clocks from an overflow to the "
           "first instruction of the handler: performance interrupts by their clocks. A bar is the "
           "share of the thread's interrupts.</p>\n<div id=\"skid-charts\"></div>\n"
           "<details><summary>Skid of each thread</summary>\n<div "
           "class=\"wide\"><table>\n<thead><tr>";
    out << "<th scope=\"col\">thread</th>";
    for (const char* head : {"PMIs", "least", "mean", "most"})
        out << "<th scope=\"col\" class=\"n\">" << head << "</th>";
    for (std::size_t n = first; n <= last; ++n)
        out << fmt::format("<th scope=\"col\" class=\"n\">{}-{}</th>", skid_statistics::lowest(n),
                           skid_statistics::lowest(n + 1) - 1);
    out << "</tr></thead>\n<tbody>\n";
    for (const thread_report& t : r.threads) {
        const skid_statistics& s = t.pmu.skid;
        if (s.count == 0) continue;
        begin_row(out, fmt::format("{}.{}", t.core, t.thread));
        number_cell(out, fmt::to_string(s.count));
        number_cell(out, fmt::to_string(s.total.min));
        number_cell(out, fmt::format("{:.1f}", s.total.mean(s.count)));
        number_cell(out, fmt::to_string(s.total.max));
        for (std::size_t n = first; n <= last; ++n)
            bar_cell(out, s.histogram[n] == 0 ? "" : fmt::to_string(s.histogram[n]),
                     percent_of(static_cast<double>(s.histogram[n]), static_cast<double>(s.count)));
        end_row(out);
    }
    end_table(out);
    out << "</details>\n</section>\n";
}

}  // namespace platform

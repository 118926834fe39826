// The monitor's table of an interval, for people.
//
// Source: docs/monitor.md.
#ifndef KNC_PLATFORM_MONITOR_TABLE_H
#define KNC_PLATFORM_MONITOR_TABLE_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include <knc/monitor/snapshot.h>

namespace platform {

// The rows that are shown, in a table or a file.
struct monitor_rows {
    bool threads = false, cores = true, total = true;
    std::vector<unsigned> only;  // these cores; empty: all
    bool all_columns = false;    // also those that only other processors have
    bool estimated = false;      // counts of events are

    // Of a card of so many.
    std::vector<unsigned> chosen_cores(unsigned tiles) const;
};

// What the columns mean.
void write_monitor_legend(std::ostream&, const monitor_rows&, const knc::monitor::platform_shape&);
// `width`: columns of characters; what does not fit is left out at the right. 0: any width.
void write_monitor_table(std::ostream&, const monitor_rows&, const knc::monitor::platform_shape&,
                         const knc::monitor::snapshot& before, const knc::monitor::snapshot& after,
                         std::size_t width);
// Totals, memory controllers and ring. `host_seconds`: what the interval took; 0: not told.
void write_monitor_footer(std::ostream&, const knc::monitor::platform_shape&,
                          const knc::monitor::snapshot& before, const knc::monitor::snapshot& after,
                          double host_seconds);

}  // namespace platform

#endif

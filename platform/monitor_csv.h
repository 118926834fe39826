// The monitor's file: one line of comma-separated values per interval, as Intel's pcm writes it.
//
// Source: docs/monitor.md.
#ifndef KNC_PLATFORM_MONITOR_CSV_H
#define KNC_PLATFORM_MONITOR_CSV_H

#include <iosfwd>
#include <string>
#include <vector>

#include <knc/monitor/quantity.h>
#include <knc/monitor/snapshot.h>

#include <platform/monitor_columns.h>
#include <platform/monitor_table.h>

namespace platform {

class monitor_csv {
  public:
    struct style {
        bool pcm = false;    // groups named and counts in millions as Intel's pcm has them
        bool units = false;  // a third line of headers
    };

    monitor_csv(const monitor_rows&, const knc::monitor::platform_shape&, style);

    void write_header(std::ostream&) const;
    void write(std::ostream&, const knc::monitor::snapshot& before,
               const knc::monitor::snapshot& after) const;

  private:
    struct group {
        std::string name;
        knc::monitor::row_kind kind;
        unsigned number;  // of the core or hardware thread
        const std::vector<monitor_column>* columns;
    };

    const knc::monitor::platform_shape shape_;
    const style style_;
    const bool estimated_;
    std::vector<monitor_column> of_card_, of_cores_, of_threads_;
    std::vector<group> groups_;
};

}  // namespace platform

#endif

// `knc-vp top`: watches a running platform.
//
// Source: docs/monitor.md.
#ifndef KNC_PLATFORM_TOP_COMMAND_H
#define KNC_PLATFORM_TOP_COMMAND_H

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include <platform/monitor_csv.h>
#include <platform/monitor_table.h>

namespace platform {

struct top_options {
    std::string socket;                  // empty: that of the environment variable KNC_VP_SOCKET
    double interval = 1e-3;              // simulated seconds
    std::optional<std::uint64_t> count;  // of intervals; none: to the end of the run
    bool by_msr = false;                 // counts by the guest's counters
    monitor_rows rows;
    std::string csv;  // file; "-": standard output; empty: none
    monitor_csv::style csv_style;
};

// A simulated time: a number with ns, us, ms or s. Throws input_error.
double parse_interval(const std::string&);
// Cores: 3, 3-5, 1,4-6. Throws input_error.
std::vector<unsigned> parse_cores(const std::string&);

// Returns the exit status. Throws input_error.
int top(const top_options&, std::ostream& out);

}  // namespace platform

#endif

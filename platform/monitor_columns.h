// The columns of the monitor's table and files, and how a value is printed.
//
// Source: docs/monitor.md.
#ifndef KNC_PLATFORM_MONITOR_COLUMNS_H
#define KNC_PLATFORM_MONITOR_COLUMNS_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <knc/monitor/metric.h>

namespace platform {

struct monitor_column {
    std::string_view name, meaning;
    // nullptr: the card has nothing like it. A row can have another entry of the same name.
    const knc::monitor::metric* what;
};

// The columns of these places that the platform has, in the order of the table of metrics. `all`:
// also those that others have.
std::vector<monitor_column> monitor_columns(std::initializer_list<knc::monitor::metric_place>,
                                            const knc::monitor::platform_shape&, bool all);
// Whether the columns of threads have it.
bool is_of_threads(const monitor_column&);

// The column's name, with a ~ if it is made of events and these are estimates.
std::string title_of(const monitor_column&, bool estimated);

// For people: ratios with 2 decimals, counts with K, M or G; N/A.
std::string cell(const monitor_column&, const knc::monitor::row&, std::uint64_t clock_hz);
std::string short_count(std::uint64_t);
// For programs: exact counts, ratios with 6 digits; empty after a division by zero.
// `millions`: counts in millions with 2 decimals, as Intel's pcm prints them.
std::string field(const monitor_column&, const knc::monitor::row&, std::uint64_t clock_hz,
                  bool millions);
std::string_view unit_of(const monitor_column&);

}  // namespace platform

#endif

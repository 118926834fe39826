// Metrics: what users make of counts.
//
// Models no hardware: the table metrics.def, and the value of a metric in a row. Source:
// docs/monitor.md.
#ifndef KNC_MONITOR_METRIC_H
#define KNC_MONITOR_METRIC_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <knc/monitor/formula.h>
#include <knc/monitor/quantity.h>
#include <knc/monitor/snapshot.h>

namespace knc::monitor {

enum class metric_style : std::uint8_t {
    count,
    ratio,
    small,
    percent,
    gigabytes,
    megabytes,
    rate,
    kilobytes
};
enum class metric_place : std::uint8_t { pcm, ours, residency, raw, system, report };

// When a value deserves a closer look. The three numbers are for threads, cores and the card; 0:
// there is no limit.
struct metric_limit {
    enum class side : std::uint8_t { none, above, below };
    side beyond = side::none;
    double thread = 0, core = 0, card = 0;
    std::string_view times;  // the limit is a multiple of this metric

    double of(row_kind k) const {
        return k == row_kind::thread ? thread : (k == row_kind::core ? core : card);
    }
};

struct metric {
    std::string_view name, numerator_text, denominator_text;
    formula numerator, denominator;
    double divisor;
    metric_style style;
    metric_place place;
    bool of_threads;  // it has a value for a thread
    bool of_cores;    // for a core and the card
    metric_limit limit;
    std::string_view meaning;

    // Whether a row of this kind has the counts of the formula.
    bool exists_in(const row&) const;
    // Empty after a division by zero, or if the row has not the counts. `clock_hz` is for rates.
    std::optional<double> value(const row&, std::uint64_t clock_hz) const;
    // Of a metric of style `count`; 0 if the row has not the counts.
    std::uint64_t exact(const row&) const;
};

// Of lines, in GB (10^9 bytes) and MB (10^6).
constexpr double gigabytes(double lines) {
    return lines * 64 / 1e9;
}
constexpr double megabytes(double lines) {
    return lines * 64 / 1e6;
}

// All metrics, in the order of the table. Several can have one name: they are made of what
// different platforms count, and the first that a row has the counts of is the one.
const std::vector<metric>& metrics();
// Of each name, the first whose events the platform counts.
std::vector<const metric*> metrics_of(const platform_shape&);
// Those that exist in the row, one of each name.
std::vector<const metric*> metrics_of(const row&);
// The one of this name that Knights Corner has, if it has one; nullptr: there is none.
const metric* find_metric(std::string_view name);
// The one that exists in the row; if there is none, as above.
const metric* find_metric(std::string_view name, const row&);
// Whether the metric's value in the row deserves a closer look.
bool is_beyond_limit(const metric&, const row&, std::uint64_t clock_hz);

}  // namespace knc::monitor

#endif

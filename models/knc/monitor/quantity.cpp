#include <knc/monitor/quantity.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::monitor {

namespace {

constexpr std::array<std::string_view, quantity_count - tsc> names = {
    "TSC",           "THREAD_TSC", "ELAPSED",    "L3_LINES",    "L3_SIZE",   "TOTAL_TRAFFIC",
    "LOCAL_TRAFFIC", "AWAKE",      "READ_LINES", "WRITE_LINES", "RING_BUSY", "RING_SLOTS"};

}  // namespace

std::string name_of(std::size_t q) {
    const auto e = static_cast<base::event>(q);
    if (q < base::event_count) return std::string{pmu::info(e).name};
    return std::string{q < tsc ? pmu::perfmon_name(e) : names[q - tsc]};
}

std::optional<std::size_t> find_quantity(std::string_view name) {
    const base::event e = pmu::find_event(name);
    if (e != base::event_count) return e;
    for (const pmu::perfmon_event& p : pmu::perfmon_events())
        if (p.name == name) return p.cell;
    for (std::size_t n = 0; n < names.size(); ++n)
        if (names[n] == name) return tsc + n;
    return {};
}

}  // namespace knc::monitor

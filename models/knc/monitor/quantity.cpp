#include <knc/monitor/quantity.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/own_events.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::monitor {

namespace {

constexpr std::array<std::string_view, quantity_count - tsc> names = {
    "TSC",           "THREAD_TSC",    "ELAPSED",   "REFERENCE_CYCLES", "L3_LINES",    "L3_SIZE",
    "TOTAL_TRAFFIC", "LOCAL_TRAFFIC", "AWAKE",     "READ_LINES",       "WRITE_LINES", "BUS_READS",
    "BUS_WRITES",    "RING_BUSY",     "RING_SLOTS"};

}  // namespace

std::string name_of(std::size_t q) {
    const auto e = static_cast<base::event>(q);
    if (q < base::event_count) return std::string{pmu::info(e).name};
    if (q >= tsc) return std::string{names[q - tsc]};
    return std::string{pmu::perfmon_name(e)};
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

std::optional<std::size_t> find_quantity(std::string_view name, pmu::front_end_kind k) {
    for (const pmu::own_event& e : pmu::own_events(k, true))
        if (e.name == name) return e.cell;
    return find_quantity(name);
}

}  // namespace knc::monitor

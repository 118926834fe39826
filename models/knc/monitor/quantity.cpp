#include <knc/monitor/quantity.h>

#include <knc/pmu/event_table.h>

namespace knc::monitor {

namespace {

constexpr std::array<std::string_view, quantity_count - base::event_count> names = {
    "TSC",        "THREAD_TSC",  "ELAPSED",   "AWAKE",
    "READ_LINES", "WRITE_LINES", "RING_BUSY", "RING_SLOTS"};

}  // namespace

std::string name_of(std::size_t q) {
    if (q < base::event_count) return std::string{pmu::info(static_cast<base::event>(q)).name};
    return std::string{names[q - base::event_count]};
}

std::optional<std::size_t> find_quantity(std::string_view name) {
    const base::event e = pmu::find_event(name);
    if (e != base::event_count) return e;
    for (std::size_t n = 0; n < names.size(); ++n)
        if (names[n] == name) return base::event_count + n;
    return {};
}

}  // namespace knc::monitor

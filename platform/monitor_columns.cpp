#include <platform/monitor_columns.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/monitor/snapshot.h>
#include <knc/pmu/event_table.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;
using monitor::metric_style;

constexpr std::string_view not_available = "N/A";

// What other processors have and no card, by the column that it stands behind.
struct absent {
    std::string_view behind, name, meaning;
};
constexpr absent absents[] = {
    {"C1res%", "TEMP", "temperature: not modelled"},
};

// The entry of the table that the row has.
const monitor::metric* entry_of(const monitor_column& c, const monitor::row& r) {
    return c.what == nullptr ? nullptr : monitor::find_metric(c.name, r);
}

bool has(const std::vector<monitor_column>& columns, std::string_view name) {
    return std::any_of(columns.begin(), columns.end(),
                       [name](const monitor_column& c) { return c.name == name; });
}

}  // namespace

std::vector<monitor_column> monitor_columns(std::initializer_list<monitor::metric_place> places,
                                            const monitor::platform_shape& shape, bool all) {
    const std::vector<const monitor::metric*> counted = monitor::metrics_of(shape);
    std::vector<monitor_column> columns;
    for (const monitor::metric& m : monitor::metrics()) {
        if (std::find(places.begin(), places.end(), m.place) == places.end()) continue;
        if (has(columns, m.name)) continue;
        const auto found =
            std::find_if(counted.begin(), counted.end(),
                         [&m](const monitor::metric* c) { return c->name == m.name; });
        if (found != counted.end())
            columns.push_back({m.name, (*found)->meaning, *found});
        else if (all)
            columns.push_back({m.name, m.meaning, nullptr});
        for (const absent& a : absents)
            if (all && a.behind == m.name) columns.push_back({a.name, a.meaning, nullptr});
    }
    return columns;
}

bool is_of_threads(const monitor_column& c) {
    if (c.what == nullptr) return true;
    const auto of_thread = [](const monitor::term& t) {
        if (t.what >= monitor::tsc) return t.what == monitor::one_of || t.what <= monitor::awake;
        const auto e = static_cast<knc::base::event>(t.what);
        return e > knc::base::event_count || e == knc::base::cpu_clk_unhalted ||
               knc::pmu::info(e).scope == knc::pmu::event_scope::thread;
    };
    const auto& above = c.what->numerator.terms();
    const auto& below = c.what->denominator.terms();
    return c.what->of_threads && std::all_of(above.begin(), above.end(), of_thread) &&
           std::all_of(below.begin(), below.end(), of_thread);
}

std::string title_of(const monitor_column& c, bool estimated) {
    const auto is_event = [](const monitor::term& t) { return t.what < monitor::tsc; };
    const auto has_events = [&](const monitor::formula& f) {
        return std::any_of(f.terms().begin(), f.terms().end(), is_event);
    };
    const bool marked = estimated && c.what != nullptr &&
                        (has_events(c.what->numerator) || has_events(c.what->denominator));
    return fmt::format("{}{}", c.name, marked ? "~" : "");
}

std::string short_count(std::uint64_t n) {
    constexpr std::string_view suffixes[] = {"", " K", " M", " G", " T", " P", " E"};
    std::size_t s = 0;
    while (n > 9999) {
        n = (n + 500) / 1000;
        ++s;
    }
    return fmt::format("{}{}", n, suffixes[s]);
}

std::string cell(const monitor_column& c, const monitor::row& r, std::uint64_t clock_hz) {
    const monitor::metric* const m = entry_of(c, r);
    if (m == nullptr || !m->exists_in(r)) return std::string{not_available};
    if (m->style == metric_style::count) return short_count(m->exact(r));
    const auto v = m->value(r, clock_hz);
    if (!v) return std::string{not_available};
    switch (m->style) {
        case metric_style::small:
            return fmt::format("{:.4f}", *v);
        case metric_style::gigabytes:
        case metric_style::megabytes:
        case metric_style::rate:
            return fmt::format("{:.3g}", *v);
        default:
            return fmt::format("{:.2f}", *v);
    }
}

std::string field(const monitor_column& c, const monitor::row& r, std::uint64_t clock_hz,
                  bool millions) {
    const monitor::metric* const m = entry_of(c, r);
    if (m == nullptr) return std::string{not_available};
    if (!m->exists_in(r)) return {};
    if (m->style == metric_style::count) {
        const std::uint64_t n = m->exact(r);
        return millions ? fmt::format("{:.2f}", static_cast<double>(n) / 1e6) : fmt::to_string(n);
    }
    const auto v = m->value(r, clock_hz);
    return v ? fmt::format("{:.6g}", *v) : std::string{};
}

std::string_view unit_of(const monitor_column& c) {
    if (c.what == nullptr) return "";
    switch (c.what->style) {
        case metric_style::count:
            return "count";
        case metric_style::percent:
            return "%";
        case metric_style::gigabytes:
            return "GB";
        case metric_style::megabytes:
            return "MB";
        case metric_style::kilobytes:
            return "KB";
        case metric_style::rate:
            return "GB/s";
        default:
            return "ratio";
    }
}

}  // namespace platform

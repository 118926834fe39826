#include <platform/monitor_columns.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;
using monitor::metric_style;

constexpr std::string_view not_available = "N/A";

// What other processors have, by the column that it stands behind.
struct absent {
    std::string_view behind, name, meaning;
};
constexpr absent absents[] = {
    {"FREQ", "AFREQ", "relative frequency while awake: the frequency never changes"},
    {"FREQ", "L3MISS", "L3 misses: there is no L3"},
    {"L2MISS", "L3HIT", "L3 hit ratio: there is no L3"},
    {"L2HIT", "L3MPI", "L3 misses per instruction: there is no L3"},
    {"L2MPI", "L3OCC", "L3 occupancy: there is no L3"},
    {"C1res%", "TEMP", "temperature: not modelled"},
};

}  // namespace

std::vector<monitor_column> monitor_columns(std::initializer_list<monitor::metric_place> places,
                                            bool all) {
    std::vector<monitor_column> columns;
    for (const monitor::metric& m : monitor::metrics()) {
        if (std::find(places.begin(), places.end(), m.place) == places.end()) continue;
        columns.push_back({m.name, m.meaning, &m});
        for (const absent& a : absents)
            if (all && a.behind == m.name) columns.push_back({a.name, a.meaning, nullptr});
    }
    return columns;
}

bool is_of_threads(const monitor_column& c) {
    if (c.what == nullptr) return true;
    const auto of_thread = [](const monitor::term& t) {
        if (t.what >= knc::base::event_count)
            return t.what == monitor::one_of || t.what <= monitor::awake;
        const auto e = static_cast<knc::base::event>(t.what);
        return e == knc::base::cpu_clk_unhalted ||
               knc::pmu::info(e).scope == knc::pmu::event_scope::thread;
    };
    const auto& above = c.what->numerator.terms();
    const auto& below = c.what->denominator.terms();
    return c.what->of_threads && std::all_of(above.begin(), above.end(), of_thread) &&
           std::all_of(below.begin(), below.end(), of_thread);
}

std::string title_of(const monitor_column& c, bool estimated) {
    const auto is_event = [](const monitor::term& t) { return t.what < knc::base::event_count; };
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
    if (c.what == nullptr || !c.what->exists_in(r)) return std::string{not_available};
    if (c.what->style == metric_style::count) return short_count(c.what->exact(r));
    const auto v = c.what->value(r, clock_hz);
    if (!v) return std::string{not_available};
    switch (c.what->style) {
        case metric_style::small:
            return fmt::format("{:.4f}", *v);
        case metric_style::gigabytes:
        case metric_style::rate:
            return fmt::format("{:.3g}", *v);
        default:
            return fmt::format("{:.2f}", *v);
    }
}

std::string field(const monitor_column& c, const monitor::row& r, std::uint64_t clock_hz,
                  bool millions) {
    if (c.what == nullptr) return std::string{not_available};
    if (!c.what->exists_in(r)) return {};
    if (c.what->style == metric_style::count) {
        const std::uint64_t n = c.what->exact(r);
        return millions ? fmt::format("{:.2f}", static_cast<double>(n) / 1e6) : fmt::to_string(n);
    }
    const auto v = c.what->value(r, clock_hz);
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
        case metric_style::rate:
            return "GB/s";
        default:
            return "ratio";
    }
}

}  // namespace platform

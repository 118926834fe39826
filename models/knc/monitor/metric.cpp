#include <knc/monitor/metric.h>

#include <algorithm>

namespace knc::monitor {

namespace {

// The words of the column "limit" of metrics.def. No limit, or one that only some rows have, also
// says whether threads have a value.
struct limit_entry {
    metric_limit limit{};
    bool of_threads = true, of_cores = true;
};
constexpr limit_entry NONE{};
constexpr limit_entry ABOVE(double x) {
    return {{metric_limit::side::above, x, x, x, {}}};
}
constexpr limit_entry BELOW(double x) {
    return {{metric_limit::side::below, x, x, x, {}}};
}
constexpr limit_entry BELOW_TIMES(double x, std::string_view other) {
    return {{metric_limit::side::below, x, x, x, other}};
}
constexpr limit_entry PER_THREAD_AND_CORE(double thread, double core) {
    return {{metric_limit::side::above, thread, core, core, {}}};
}
constexpr limit_entry CORES_ONLY(limit_entry e) {
    e.of_threads = false;
    return e;
}
constexpr limit_entry THREADS_ONLY(limit_entry e) {
    e.of_cores = false;
    return e;
}

std::vector<metric> make_metrics() {
    std::vector<metric> all;
#define KNC_METRIC(name, numerator, denominator, divisor, style, place, entry, meaning)    \
    all.push_back({name, numerator, denominator, formula{numerator}, formula{denominator}, \
                   divisor, metric_style::style, metric_place::place, (entry).of_threads,  \
                   (entry).of_cores, (entry).limit, meaning});
#include <knc/monitor/metrics.def>
#undef KNC_METRIC
    return all;
}

}  // namespace

bool metric::exists_in(const row& r) const {
    return (r.kind == row_kind::thread ? of_threads : of_cores) && numerator.of(r) &&
           denominator.of(r);
}

std::optional<double> metric::value(const row& r, std::uint64_t clock_hz) const {
    const auto dividend = numerator.of(r), by = denominator.of(r);
    if (!dividend || !by) return {};
    const auto above = static_cast<double>(*dividend);
    const double below = static_cast<double>(*by) * divisor;
    if (below == 0) return {};
    const double quotient = above / below;
    switch (style) {
        case metric_style::percent:
            return 100 * quotient;
        case metric_style::gigabytes:
            return gigabytes(quotient);
        case metric_style::megabytes:
            return megabytes(quotient);
        case metric_style::rate:
            if (r.count[elapsed] == 0) return {};
            return gigabytes(quotient) * static_cast<double>(clock_hz) /
                   static_cast<double>(r.count[elapsed]);
        default:
            return quotient;
    }
}

std::uint64_t metric::exact(const row& r) const {
    return static_cast<std::uint64_t>(numerator.of(r).value_or(0));
}

const std::vector<metric>& metrics() {
    static const std::vector<metric> all = make_metrics();
    return all;
}

const metric* find_metric(std::string_view name) {
    const auto& all = metrics();
    const auto found =
        std::find_if(all.rbegin(), all.rend(), [&](const metric& m) { return m.name == name; });
    return found == all.rend() ? nullptr : &*found;
}

const metric* find_metric(std::string_view name, const row& r) {
    for (const metric& m : metrics())
        if (m.name == name && m.exists_in(r)) return &m;
    return find_metric(name);
}

namespace {

// Of each name, the first that is wanted.
template <class Wanted>
std::vector<const metric*> first_of_each_name(Wanted wanted) {
    std::vector<const metric*> all;
    for (const metric& m : metrics()) {
        const bool has_one = std::any_of(all.begin(), all.end(),
                                         [&m](const metric* a) { return a->name == m.name; });
        if (!has_one && wanted(m)) all.push_back(&m);
    }
    return all;
}

}  // namespace

std::vector<const metric*> metrics_of(const platform_shape& p) {
    const auto counted = [&p](const formula& f) {
        return std::all_of(f.terms().begin(), f.terms().end(), [&p](const term& t) {
            if (is_level(t.what)) return p.l3_lines != 0;
            switch (t.what) {
                case total_traffic:
                case local_traffic:
                    return p.bandwidth_ids != 0;
                case reference_cycles:
                    return p.registers == pmu::front_end_kind::perfmon &&
                           p.events[base::unhalted_core_cycles];
                case bus_reads:
                case bus_writes:
                    return p.bus;
                case read_lines:
                case write_lines:
                case ring_busy:
                case ring_slots:
                    return !p.bus;
                default:
                    return t.what >= base::cell_count || p.events[t.what];
            }
        });
    };
    return first_of_each_name(
        [&](const metric& m) { return counted(m.numerator) && counted(m.denominator); });
}

std::vector<const metric*> metrics_of(const row& r) {
    return first_of_each_name([&r](const metric& m) { return m.exists_in(r); });
}

bool is_beyond_limit(const metric& m, const row& r, std::uint64_t clock_hz) {
    double limit = m.limit.of(r.kind);
    if (m.limit.beyond == metric_limit::side::none || limit == 0 || !m.exists_in(r)) return false;
    const auto value = m.value(r, clock_hz);
    if (!value) return false;
    if (!m.limit.times.empty()) {
        const auto other = find_metric(m.limit.times, r)->value(r, clock_hz);
        if (!other) return false;
        limit *= *other;
    }
    return m.limit.beyond == metric_limit::side::above ? *value > limit : *value < limit;
}

}  // namespace knc::monitor

// Writes drivers/pmu/pmu_metrics.inc from the monitor's table of metrics: metric_table OUT.inc
// It has one initializer of struct pmu_metric (drivers/pmu/metrics.h) for each metric that is made
// of nothing but events. Left out: what needs clocks, memory controllers or the ring, and rates,
// which need the time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <knc/monitor/metric.h>

namespace {

using namespace knc::monitor;

constexpr double million = 1e6;

bool of_events(const formula& f) {
    return std::all_of(f.terms().begin(), f.terms().end(), [](const term& t) {
        return t.what < knc::base::event_count || t.what == one_of;
    });
}

bool of_events(const metric& m) {
    return of_events(m.numerator) && of_events(m.denominator) && m.style != metric_style::rate;
}

// A metric's value in millionths is numerator * multiplier / (denominator * divisor); that of a
// count is in ones.
struct scale {
    std::uint64_t multiplier, divisor;
};
scale scale_of(const metric& m) {
    const auto divisor = static_cast<std::uint64_t>(m.divisor);
    switch (m.style) {
        case metric_style::count:
            return {1, divisor};
        case metric_style::percent:
            return {100'000'000, divisor};
        case metric_style::gigabytes:  // 64 bytes of a line, 10^6 / 10^9
            return {64, 1000 * divisor};
        default:
            return {1'000'000, divisor};
    }
}

std::string text(const formula& f) {
    std::string s;
    for (const term& t : f.terms())
        s += "{" + std::to_string(t.factor) + ", " +
             (t.what == one_of ? "PMU_ONE" : "PMU_NUMBER_" + name_of(t.what)) + "}, ";
    return s;
}

const char* text(metric_limit::side s) {
    switch (s) {
        case metric_limit::side::above:
            return "PMU_LIMIT_ABOVE";
        case metric_limit::side::below:
            return "PMU_LIMIT_BELOW";
        default:
            return "PMU_NO_LIMIT";
    }
}

void write(std::FILE* out, const metric& m) {
    const scale s = scale_of(m);
    const auto millionths = [](double x) { return std::llround(x * million); };
    std::fprintf(out,
                 "{\"%s\", {%s}, {%s}, %llu, %llu, %s, %s,\n"
                 " {%s, {%lld, %lld, %lld}, \"%s\"},\n"
                 " \"%s\"},\n",
                 std::string{m.name}.c_str(), text(m.numerator).c_str(),
                 text(m.denominator).c_str(), static_cast<unsigned long long>(s.multiplier),
                 static_cast<unsigned long long>(s.divisor),
                 m.style == metric_style::count ? "true" : "false", m.of_threads ? "true" : "false",
                 text(m.limit.beyond), millionths(m.limit.thread), millionths(m.limit.core),
                 millionths(m.limit.card), std::string{m.limit.times}.c_str(),
                 std::string{m.meaning}.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    std::FILE* out = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
    if (out == nullptr) {
        std::fputs("usage: metric_table OUT.inc\n", stderr);
        return 1;
    }
    std::fputs("// Generated from models/knc/monitor/metrics.def.\n", out);
    for (const metric& m : metrics())
        if (of_events(m)) write(out, m);
    return std::fclose(out) == 0 ? 0 : 1;
}

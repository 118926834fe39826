#include <platform/expectation.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>
#include <knc/pmu/event_table.h>

#include <platform/report.h>

namespace platform {

namespace {

using subject = expectation::subject;
using levels = expectation::levels;
namespace monitor = knc::monitor;

// What of an expectation has no value in this run.
struct no_value : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// How the numbers of threads become one.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return a + b;
}
std::uint64_t most(std::uint64_t a, std::uint64_t b) {
    return std::max(a, b);
}
// 0 stands for a thread without a measurement.
std::uint64_t least(std::uint64_t a, std::uint64_t b) {
    return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

struct thread_count {
    std::string_view name;
    std::uint64_t (*of)(const thread_report&);
    std::uint64_t (*join)(std::uint64_t, std::uint64_t);
    bool of_phases;
};
using thread = const thread_report&;
constexpr std::array thread_counts = {
    thread_count{"instructions", [](thread t) { return t.instructions; }, sum, true},
    thread_count{"overflow0", [](thread t) { return t.pmu.overflows[0]; }, sum, true},
    thread_count{"overflow1", [](thread t) { return t.pmu.overflows[1]; }, sum, true},
    thread_count{"pmi", [](thread t) { return t.pmi; }, sum, true},
    thread_count{"pmi_lost", [](thread t) { return t.pmi_lost; }, sum, true},
    thread_count{"eoi", [](thread t) { return t.eoi; }, sum, true},
    thread_count{"counter0", [](thread t) { return t.pmu.counter[0]; }, sum, false},
    thread_count{"counter1", [](thread t) { return t.pmu.counter[1]; }, sum, false},
    thread_count{"status", [](thread t) { return t.pmu.status; }, sum, false},
    thread_count{"skid_count", [](thread t) { return t.pmu.skid.count; }, sum, true},
    thread_count{"skid_min", [](thread t) { return t.pmu.skid.total.min; }, least, false},
    thread_count{"skid_max", [](thread t) { return t.pmu.skid.total.max; }, most, false},
    thread_count{"skid_instructions", [](thread t) { return t.pmu.skid.instructions.max; }, most,
                 false},
};

struct card_count {
    std::string_view name;
    std::uint64_t (*of)(const report&);
};
constexpr std::string_view cycles = "cycles";
constexpr std::array card_counts = {
    card_count{cycles, [](const report& r) { return r.cycles; }},
    card_count{"resets", [](const report& r) { return r.resets; }},
    card_count{"marks", [](const report& r) -> std::uint64_t { return r.marks.size(); }},
};

template <typename T>
const typename T::value_type* find(const T& table, std::string_view name) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const auto& c) { return c.name == name; });
    return found == table.end() ? nullptr : &*found;
}

// Index of the mark in report::at_marks, at or after `first`.
std::size_t find_mark(const report& r, std::uint32_t number, std::size_t first) {
    for (std::size_t n = first; n < r.at_marks.size(); ++n)
        if (r.at_marks[n].number == number) return n;
    throw no_value(fmt::format("no mark {}", number));
}

// The ends of an expectation's phase: indices of marks, empty for the run's own ends.
struct ends {
    std::optional<std::size_t> from, to;
};
ends ends_of(const expectation& e, const report& r) {
    ends p;
    if (e.from) p.from = find_mark(r, *e.from, 0);
    if (e.to) p.to = find_mark(r, *e.to, p.from ? *p.from + 1 : 0);
    return p;
}

std::uint64_t events_of(const expectation& e, thread t) {
    const std::uint64_t all = t.events[e.event], user = t.events_user[e.event];
    return e.level == levels::all ? all : e.level == levels::user ? user : all - user;
}

// The number of the threads that the expectation names.
std::uint64_t joined(const expectation& e, const std::vector<thread_report>& threads) {
    const thread_count* const c = e.of == subject::count ? find(thread_counts, e.what) : nullptr;
    // An event without thread context is in every thread's row: one row per core counts.
    const bool once = e.of == subject::event && !e.thread &&
                      knc::pmu::info(e.event).scope == knc::pmu::event_scope::core;
    std::uint64_t n = 0;
    bool any = false;
    for (const thread_report& t : threads) {
        if (e.core.value_or(t.core) != t.core || e.thread.value_or(t.thread) != t.thread) continue;
        any = true;
        if (once && t.thread != 0) continue;
        n = c != nullptr ? c->join(n, c->of(t)) : n + events_of(e, t);
    }
    if (!any) throw no_value("the card has no such thread");
    return n;
}

std::uint64_t number(const expectation& e, const report& r) {
    const ends p = ends_of(e, r);
    if (e.of == subject::count && e.what == cycles)
        return (p.to ? r.at_marks[*p.to].cycle : r.cycles) -
               (p.from ? r.at_marks[*p.from].cycle : 0);
    if (e.of == subject::count)
        if (const card_count* const c = find(card_counts, e.what)) return c->of(r);
    return joined(e, p.to ? r.at_marks[*p.to].threads : r.threads) -
           (p.from ? joined(e, r.at_marks[*p.from].threads) : 0);
}

double metric_value(const expectation& e, const report& r) {
    const ends p = ends_of(e, r);
    // The first phase is the whole run; the next ones end at the marks, in their order.
    const auto at = [&](std::size_t mark) -> const monitor::snapshot& {
        return r.phases[mark + 1].after;
    };
    const monitor::snapshot& before = p.from ? at(*p.from) : r.phases[0].before;
    const monitor::snapshot& after = p.to ? at(*p.to) : r.phases[0].after;
    const unsigned core = e.core.value_or(0);
    if (core >= r.shape.tiles) throw no_value(fmt::format("no core {}", core));
    if (e.thread && *e.thread >= r.shape.threads_per_core)
        throw no_value(fmt::format("no thread {}", *e.thread));
    const monitor::row row = e.thread
                                 ? monitor::thread_row(r.shape, before, after,
                                                       core * r.shape.threads_per_core + *e.thread)
                             : e.core ? monitor::core_row(r.shape, before, after, core)
                                      : monitor::card_row(r.shape, before, after);
    const monitor::metric& m = *monitor::find_metric(e.what, row);
    if (!m.exists_in(row)) throw no_value("no such metric of a thread or core");
    const auto v = m.value(row, r.shape.clock_hz);
    if (!v) throw no_value("division by zero");
    return *v;
}

}  // namespace

std::optional<count_rule> find_count(std::string_view name) {
    if (const thread_count* const c = find(thread_counts, name))
        return count_rule{true, c->of_phases};
    if (find(card_counts, name) != nullptr) return count_rule{false, name == cycles};
    return {};
}

verdict judge(const expectation& e, const report& r, const std::string& console) {
    verdict v{e.name, false, {}};
    try {
        switch (e.of) {
            case subject::console:
                v.pass = console.find(e.what) != std::string::npos;
                v.actual = v.pass;
                break;
            case subject::exit:
                v.pass = r.reason == e.what && r.code >= e.low && r.code <= e.high;
                v.actual = {{"reason", r.reason}, {"code", r.code}};
                break;
            case subject::event:
            case subject::count: {
                const std::uint64_t n = number(e, r);
                v.pass = n >= e.low && n <= e.high;
                v.actual = n;
                break;
            }
            case subject::metric: {
                const double x = metric_value(e, r);
                v.pass = x >= e.least && x <= e.most;
                v.actual = x;
                break;
            }
        }
    } catch (const no_value& what) {
        v.actual = what.what();
    }
    return v;
}

}  // namespace platform

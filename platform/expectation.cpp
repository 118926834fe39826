#include <platform/expectation.h>

#include <algorithm>
#include <array>

#include <knc/pmu/event_table.h>

#include <platform/report.h>

namespace platform {

namespace {

struct count {
    std::string_view name;
    std::uint64_t (*of)(const thread_report&);
};
constexpr std::array counts = {
    count{"instructions", [](const thread_report& t) { return t.instructions; }},
    count{"overflow0", [](const thread_report& t) { return t.pmu.overflows[0]; }},
    count{"overflow1", [](const thread_report& t) { return t.pmu.overflows[1]; }},
    count{"pmi", [](const thread_report& t) { return t.pmi; }},
    count{"eoi", [](const thread_report& t) { return t.eoi; }},
};
constexpr std::string_view cycles = "cycles";

const count* find_count(std::string_view name) {
    const auto found =
        std::find_if(counts.begin(), counts.end(), [&](const count& c) { return c.name == name; });
    return found == counts.end() ? nullptr : &*found;
}

// The number the expectation is about, summed over the threads it names.
std::uint64_t number(const expectation& e, const report& r) {
    if (e.of == expectation::subject::count && e.what == cycles) return r.cycles;
    std::uint64_t sum = 0;
    // An event without thread context is in every thread's row: one row per core counts.
    const bool once = e.of == expectation::subject::event && !e.thread &&
                      knc::pmu::info(e.event).scope == knc::pmu::event_scope::core;
    for (const thread_report& t : r.threads) {
        if (e.core.value_or(t.core) != t.core || e.thread.value_or(t.thread) != t.thread) continue;
        if (once && t.thread != 0) continue;
        sum += e.of == expectation::subject::event ? t.events[e.event] : find_count(e.what)->of(t);
    }
    return sum;
}

}  // namespace

bool is_count(std::string_view name) {
    return name == cycles || find_count(name) != nullptr;
}

verdict judge(const expectation& e, const report& r, const std::string& console) {
    verdict v{e.name, false, {}};
    switch (e.of) {
        case expectation::subject::console:
            v.pass = console.find(e.what) != std::string::npos;
            v.actual = v.pass;
            break;
        case expectation::subject::exit:
            v.pass = r.reason == e.what && r.code >= e.low && r.code <= e.high;
            v.actual = {{"reason", r.reason}, {"code", r.code}};
            break;
        case expectation::subject::event:
        case expectation::subject::count: {
            const std::uint64_t n = number(e, r);
            v.pass = n >= e.low && n <= e.high;
            v.actual = n;
            break;
        }
    }
    return v;
}

}  // namespace platform

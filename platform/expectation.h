// What a scenario expects of its run, and whether it came true.
#ifndef KNC_PLATFORM_EXPECTATION_H
#define KNC_PLATFORM_EXPECTATION_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <knc/base/event.h>

namespace platform {

struct report;

struct expectation {
    std::string name;

    // One of: an event's ground truth, a count (find_count), a metric (knc/monitor/metric.h), text
    // on the console, how the run ended.
    enum class subject { event, count, metric, console, exit } of = subject::event;
    knc::base::event event{};
    std::string what;  // name of the count or metric, console text, exit reason

    // Of a number: which threads; all where none is named.
    std::optional<unsigned> core, thread;
    // Of a number: the phase from the first mark `from` to the first mark `to` after it; from the
    // beginning or to the end of the run where a mark is not named.
    std::optional<std::uint32_t> from, to;
    // Of an event: the privilege levels, CPL 0 and CPL 1-3.
    enum class levels { all, kernel, user } level = levels::all;
    // Of an event, a count or an exit code: closed range.
    std::uint64_t low = 0, high = ~std::uint64_t{0};
    // Of a metric: closed range.
    double least = -std::numeric_limits<double>::infinity(),
           most = std::numeric_limits<double>::infinity();
};

struct verdict {
    std::string name;
    bool pass = false;
    // The number, the exit reason, or whether the text was seen; a text if there is no number.
    nlohmann::ordered_json actual;
};

// What an expectation of a count may name.
struct count_rule {
    bool of_threads;  // the report has it for each thread
    bool of_phases;   // it grows: what it grew by between two marks makes sense
};
// Empty: there is no such count. docs/usage.md lists them.
std::optional<count_rule> find_count(std::string_view name);

// `console`: everything the firmware printed.
verdict judge(const expectation&, const report&, const std::string& console);

}  // namespace platform

#endif

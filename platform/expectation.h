// What a scenario expects of its run, and whether it came true.
#ifndef KNC_PLATFORM_EXPECTATION_H
#define KNC_PLATFORM_EXPECTATION_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <knc/base/event.h>

namespace platform {

struct report;

struct expectation {
    std::string name;

    // One of: an event's ground truth, a count (count_names), text on the console, how the run
    // ended.
    enum class subject { event, count, console, exit } of = subject::event;
    knc::base::event event{};
    std::string what;  // count name, console text, exit reason

    // Of an event or a count: which threads; all where none is named.
    std::optional<unsigned> core, thread;
    // Of a number: closed range.
    std::uint64_t low = 0, high = ~std::uint64_t{0};
};

struct verdict {
    std::string name;
    bool pass = false;
    nlohmann::ordered_json actual;  // the number, the exit reason, or whether the text was seen
};

// Whether `name` is a count an expectation may name: instructions, cycles, overflow0, overflow1,
// pmi, eoi.
bool is_count(std::string_view name);

// `console`: everything the firmware printed.
verdict judge(const expectation&, const report&, const std::string& console);

}  // namespace platform

#endif

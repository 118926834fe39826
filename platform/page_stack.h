// What the clocks of a thread or a core were used for.
//
// Made of the duration events and of the instructions of each pipe (docs/page.md). The parts add up
// to the clocks of the run.
#ifndef KNC_PLATFORM_PAGE_STACK_H
#define KNC_PLATFORM_PAGE_STACK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <platform/report.h>

namespace platform {

struct clock_stack {
    enum part : std::size_t { paired, single, microcode, waiting, ready, halted, no_issue, parts };
    static constexpr std::array<std::string_view, parts> names = {
        "two instructions",  "one instruction",       "microcode",         "waiting",
        "ready, not chosen", "halted or not started", "no thread executes"};
    static constexpr std::array<part, 6> of_thread = {paired,  single, microcode,
                                                      waiting, ready,  halted};
    static constexpr std::array<part, 5> of_core = {paired, single, microcode, no_issue, halted};

    unsigned core = 0, thread = 0;
    std::uint64_t instructions = 0;
    std::array<std::uint64_t, parts> clocks{};
};

// Of all threads and cores that were awake.
std::vector<clock_stack> thread_stacks(const report&);
std::vector<clock_stack> core_stacks(const report&);

}  // namespace platform

#endif

// What the log of a run contains: the keys log.*, checked.
#ifndef KNC_PLATFORM_LOG_CHOICE_H
#define KNC_PLATFORM_LOG_CHOICE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/pmu/parameters.h>
#include <knc/base/clock.h>
#include <knc/base/recorder.h>

#include <platform/disassembly.h>
#include <platform/settings.h>

namespace platform {

struct log_choice {
    bool instructions = false, msr = false, apic = false, exceptions = false;
    std::vector<bool> threads;           // core * 4 + thread of the core
    std::vector<std::string> functions;  // of instructions; empty: all
    knc::base::cycle_t from = 0, to = knc::base::never;
    std::uint64_t most_lines = 0;
    syntax style = syntax::att;
    // Whose registers those of the PMU are.
    knc::pmu::front_end_kind front_end = knc::pmu::front_end_kind::knc;

    bool wanted() const { return instructions || msr || apic || exceptions; }
    bool has(knc::base::thread_number n) const {
        return threads[n.core * knc::base::threads_per_core + n.thread];
    }
};

// Of a card of `tiles`. Throws input_error.
log_choice parse_log(const log_settings&, std::size_t tiles);

}  // namespace platform

#endif

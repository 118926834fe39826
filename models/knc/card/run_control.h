// How far a run goes, who watches it, and how it ended.
#ifndef KNC_CARD_RUN_CONTROL_H
#define KNC_CARD_RUN_CONTROL_H

#include <cstdint>
#include <functional>
#include <string>

#include <knc/base/clock.h>

namespace knc::card {

enum class stop_reason : std::uint8_t {
    none,        // still running, or ended from outside
    firmware,    // the test device's exit register was written: `code`
    limit,       // max_cycles or max_instructions reached: `detail` says which
    deadlock,    // no thread can ever run again: `detail` says why
    unsupported  // software asked for what is not modelled: `detail`
};

struct outcome {
    stop_reason reason = stop_reason::none;
    std::uint32_t code = 0;
    base::cycle_t cycle = 0;  // the clock the run ended at, the same for all tiles
    std::string detail;
};

struct run_control {
    base::cycle_t quantum =
        10'000;  // how far a tile may run ahead, clocks, at least 1; no result depends on it
    base::cycle_t max_cycles = base::never;
    std::uint64_t max_instructions =
        ~std::uint64_t{0};                   // of all threads, looked at every 10,000 clocks
    base::cycle_t trace_from = base::never;  // clocks in which signals are sampled: [from, to)
    base::cycle_t trace_to = base::never;
    std::function<void(char)> console;  // a character the firmware wrote to the UART
    std::function<void(std::uint32_t, base::cycle_t)>
        marker;  // a write to the marker register, and its clock
    std::function<void(const std::string&)> warning;  // one line about the guest
};

}  // namespace knc::card

#endif

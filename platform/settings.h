// Everything a configuration key can set; the keys are in keys.cpp.
#ifndef KNC_PLATFORM_SETTINGS_H
#define KNC_PLATFORM_SETTINGS_H

#include <cstdint>
#include <string>

#include <knc/base/clock.h>
#include <knc/card/card.h>
#include <knc/card/parameters.h>

namespace platform {

enum class trace_format : std::uint8_t { vcd, fst };

// Which waveform is written; docs/waveforms.md.
struct trace_settings {
    std::string scopes;  // comma list of patterns, see signal_filter.h; empty: no trace
    // Clocks [from, to) from power-on, or from the trigger.
    knc::base::cycle_t from = 0;
    // A forgotten window must not fill the disk.
    knc::base::cycle_t to = 100'000;
    std::string trigger;                          // see trace_trigger.h; empty: none
    std::uint64_t mark = knc::base::never;        // for the trigger `mark N`
    knc::base::cycle_t before = 0;                // in place of `from`
    knc::base::cycle_t after = knc::base::never;  // in place of `to`; never: `to`
    std::uint64_t windows = 1;                    // as many triggers open one
    std::uint64_t max_bytes = ~std::uint64_t{0};  // of VCD text
    trace_format format = trace_format::vcd;
    std::string line;  // an address or a symbol, see traced_line.h; empty: none
};

struct timeline_settings {
    bool wanted = false;
    knc::base::cycle_t from = 0, to = knc::base::never;  // clocks: [from, to)
    std::uint64_t bytes = std::uint64_t{1} << 28;        // of the file
};

struct log_settings {
    std::string kinds;      // comma list, see log_choice.h; empty: no log
    std::string threads;    // comma list of CORE or CORE.THREAD; empty: all
    std::string functions;  // comma list: instructions of these only; empty: of all
    knc::base::cycle_t from = 0, to = knc::base::never;  // clocks: [from, to)
    std::uint64_t lines = 1'000'000;
    std::string syntax = "att";
};

struct fast_forward_settings {
    std::string to;  // see fast_forward.h
    knc::base::cycle_t quantum = knc::card::fast_forward_control{}.quantum;
    bool warm = false;
};

struct checkpoint_settings {
    std::string file, restore;  // files; empty: none
};

struct settings {
    knc::card::parameters card;

    struct {
        knc::base::cycle_t max_cycles = knc::base::never;
        std::uint64_t max_instructions = ~std::uint64_t{0};
    } limits;

    struct {
        knc::base::cycle_t quantum = knc::card::run_control{}.quantum;
        knc::card::host_thread_limits host_threads;
    } sim;

    struct {
        bool functions = false;  // instructions and clocks by function, in the reports
    } profile;

    fast_forward_settings fast_forward;
    checkpoint_settings checkpoint;
    trace_settings trace;
    timeline_settings timeline;
    log_settings log;
};

}  // namespace platform

#endif

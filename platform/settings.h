// Everything a configuration key can set; the keys are in keys.cpp.
#ifndef KNC_PLATFORM_SETTINGS_H
#define KNC_PLATFORM_SETTINGS_H

#include <cstdint>
#include <string>

#include <knc/base/clock.h>
#include <knc/card/card.h>
#include <knc/card/parameters.h>

namespace platform {

struct settings {
    knc::card::parameters card;

    struct {
        knc::base::cycle_t max_cycles = knc::base::never;
        std::uint64_t max_instructions = ~std::uint64_t{0};
    } limits;

    struct {
        knc::base::cycle_t quantum = knc::card::run_control{}.quantum;
    } sim;

    struct {
        bool functions = false;  // instructions and clocks by function, in the reports
    } profile;

    struct {
        std::string scopes;  // comma list of patterns, see signal_filter.h; empty: no trace
        knc::base::cycle_t from = 0;  // clocks: [from, to)
        // A forgotten window must not fill the disk.
        knc::base::cycle_t to = 100'000;
        // `from` and `to` count from the first mark of this number; never: from power-on.
        std::uint64_t mark = knc::base::never;
    } trace;
};

}  // namespace platform

#endif

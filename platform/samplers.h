// The accounts of the samplers that ran on the card's threads, beside the model's own counts.
//
// period * (samples + missed) + remainder is what a driver says a counter has counted. The model
// knows what it has. The two agree if the driver ran once with this event and lost nothing.
#ifndef KNC_PLATFORM_SAMPLERS_H
#define KNC_PLATFORM_SAMPLERS_H

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <knc/pmu/counter.h>

#include <platform/samples.h>

namespace platform {

struct sampler_account {
    struct counter {
        std::string event;
        bool os = false, user = false;
        log_counter log;
        std::uint64_t weight = 0;  // periods of the samples that are there
        // By the driver; by the model since the start of the run, with this selection.
        std::uint64_t counted = 0, truth = 0;
    };
    std::uint16_t thread = 0;  // APIC ID
    bool stopped = false;
    std::uint64_t written = 0, taken = 0, stored = 0, lost = 0, stops = 0, interval = 0;
    std::vector<std::optional<counter>> counters;  // none: not used
};

// What counter `n` of thread `thread` has counted, by selection.
using counted_by_model =
    std::function<const std::vector<knc::pmu::counted>*(std::uint16_t thread, std::size_t n)>;

// One for each log of a thread.
std::vector<sampler_account> make_accounts(const std::vector<sample_log>&, const counted_by_model&);

nlohmann::ordered_json to_json(const std::vector<sampler_account>&);
void write_text(std::ostream&, const std::vector<sampler_account>&);

}  // namespace platform

#endif

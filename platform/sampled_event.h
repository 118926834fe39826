// What the samples of a counter are samples of.
#ifndef KNC_PLATFORM_SAMPLED_EVENT_H
#define KNC_PLATFORM_SAMPLED_EVENT_H

#include <cstdint>
#include <string>

#include <platform/samples.h>

namespace platform {

struct sampled_event {
    std::string name;  // the event's, its code where it has none, or "timer"
    std::string unit;  // "instructions" or "clocks", if the core keeps them per address
    bool os = true, user = true;
    bool by_timer = false;

    // The name with the privilege levels, as perf writes it: NAME, NAME:u, NAME:k.
    std::string with_level() const;
};

sampled_event event_of(const sample_log&, std::uint8_t counter);
// Samples with the same key count together.
std::uint64_t key_of(const sample_log&, std::uint8_t counter);
// Events (clocks, for the timer) that a sample stands for; its weight where no period is known.
std::uint64_t events_of(const sample_log&, const sample&);

}  // namespace platform

#endif

// A sampled profile per function beside the exact one.
//
// Models: samples of one counter (or of the timer) attributed to the ELF functions that hold their
// instruction pointers; the exact share of each function where the sampled event is one the core
// attributes to addresses: instructions, or unhalted clocks (and time for the timer), at the
// privilege levels the counter was set to. Leaves out: call chains, source lines.
#ifndef KNC_PLATFORM_PROFILE_H
#define KNC_PLATFORM_PROFILE_H

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <platform/function_profile.h>
#include <platform/image.h>
#include <platform/samples.h>

namespace platform {

struct function_share {
    std::string name;
    std::uint64_t samples = 0;
    std::uint64_t exact = 0;  // instructions or clocks; 0 where the profile has no exact side
};

struct profile {
    std::string event;  // the event's name, its code where it has none, or "timer"
    std::uint64_t period = 0;
    std::uint64_t samples = 0, dropped = 0;
    std::uint64_t exact = 0;                // sum over all functions
    std::string exact_unit;                 // "instructions" or "clocks"; empty: no exact side
    std::vector<function_share> functions;  // most samples first

    double share(const function_share& f) const;
    double exact_share(const function_share& f) const;
    // The largest difference of a function's two shares, in percentage points.
    double largest_difference() const;
};

// Everything that was sampled: one profile per counter, one for the timer, none that is empty.
// `exact`: the exact profile, whose first program is the image; may be nullptr.
std::vector<profile> make_profiles(const sample_buffer&, const image&,
                                   const function_profile* exact);

nlohmann::ordered_json to_json(const profile&);
void write_text(std::ostream&, const profile&);
// One line per sample: instruction pointer, function and offset, time, thread, privilege, counter.
void write_samples(std::ostream&, const sample_buffer&, const image&);
// Folded stacks: "IMAGE;FUNCTION COUNT", with the event between the two where more than one was
// sampled.
void write_folded(std::ostream&, const std::vector<profile>&, const image&);

}  // namespace platform

#endif

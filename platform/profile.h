// Sampled profiles per function and source line, beside the exact one.
//
// Models: samples of one event (or of the timer) attributed to the ELF functions and source lines
// that hold their instruction pointers; the exact share of each function where the sampled event is
// one the core attributes to addresses: instructions, or unhalted clocks (and time for the timer),
// at the privilege levels the counter was set to; how far the two may differ by chance; clocks per
// instruction of each function. Leaves out: exact counts of source lines.
#ifndef KNC_PLATFORM_PROFILE_H
#define KNC_PLATFORM_PROFILE_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <platform/call_stack.h>
#include <platform/function_profile.h>
#include <platform/samples.h>

namespace platform {

struct function_share {
    std::string name;
    std::uint64_t samples = 0;
    std::uint64_t weight = 0;  // their periods
    std::uint64_t events = 0;  // what the periods stand for
    std::uint64_t exact = 0;   // instructions or clocks; 0 where the profile has no exact side
};

struct line_share {
    source_position at;
    std::string function;  // the innermost one, which may be inlined
    std::uint64_t samples = 0, weight = 0, events = 0;
};

struct profile {
    std::string event;  // the event's name, its code where it has none, or "timer"
    bool os = true, user = true;
    bool by_timer = false;
    std::uint64_t period = 0;  // 0: it is not the same in all threads
    std::uint64_t samples = 0, weight = 0, events = 0, dropped = 0;
    double independent = 0;   // samples of equal weight that would say as much
    std::uint64_t exact = 0;  // sum over all functions
    std::string unit;         // "instructions" or "clocks", if that is what was sampled
    std::string exact_unit;   // the same; empty: no exact side
    std::vector<function_share> functions;  // most events first
    std::vector<line_share> lines;          // most events first

    // In percent.
    double share(std::uint64_t of_events) const;
    double share(const function_share& f) const { return share(f.events); }
    double exact_share(const function_share& f) const;
    // How far the shares of a function may differ if samples were drawn at random: `deviations`
    // standard deviations of the binomial distribution, in percentage points.
    static constexpr double deviations = 3;
    double bound(const function_share& f) const;
    bool outside(const function_share& f) const;
    // The largest difference of a function's two shares, in percentage points.
    double largest_difference() const;
};

// Everything that was sampled: one profile per counter and selection, one for the timer, none that
// is empty. `exact`: the exact profile, whose first program is the image; may be nullptr.
std::vector<profile> make_profiles(const std::vector<sample_log>&, call_stack&,
                                   const function_profile* exact);

// Clocks per instruction of a function, where both were sampled at the same privilege levels.
struct function_cpi {
    std::string name;
    std::uint64_t instructions = 0, clocks = 0;  // that the samples stand for
    std::uint64_t exact_instructions = 0, exact_clocks = 0;
};
// Most clocks first; functions that have samples of both.
std::vector<function_cpi> derive_cpi(const std::vector<profile>&);

nlohmann::ordered_json to_json(const profile&);
nlohmann::ordered_json to_json(const std::vector<function_cpi>&);
void write_text(std::ostream&, const profile&);
void write_text(std::ostream&, const std::vector<function_cpi>&);

}  // namespace platform

#endif

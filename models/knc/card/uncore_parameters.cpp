#include <knc/card/uncore_parameters.h>

#include <stdexcept>

#include <fmt/format.h>

#include <knc/ring/interconnect.h>

namespace knc::card {

std::string impossible(const uncore_parameters& p) {
    if (p.controllers == 0 || p.controllers > coherence::first_agent - coherence::first_controller)
        return fmt::format("{} memory controllers", p.controllers);
    if (p.directory_cycles == 0 || p.directory_interval == 0) return "a directory without time";
    if (std::string why = cache::impossible(p.l3); !why.empty()) return why;
    try {
        // The parts check their own parameters. The values below do not matter for that.
        constexpr unsigned stops = 2;
        constexpr std::uint64_t core_hz = 1'000'000'000;
        ring::interconnect(p.ring, stops);
        coherence::address_hash(1, p.controllers, p.hash);
        memory::controller(p.memory, core_hz);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

const uncore_parameters& checked(const uncore_parameters& p) {
    const std::string why = impossible(p);
    if (!why.empty()) throw std::invalid_argument("uncore: " + why);
    return p;
}

}  // namespace knc::card

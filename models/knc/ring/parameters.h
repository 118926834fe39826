// What the ring is made of. Source: Chrysos, Hot Chips 2012, for the rings there are; every time is
// unverified. Decisions: docs/hierarchy.md.
#ifndef KNC_RING_PARAMETERS_H
#define KNC_RING_PARAMETERS_H

#include <cstdint>

namespace knc::ring {

// What a message takes: the BL ring (64 bytes), the AD rings, the AK rings.
enum class channel : std::uint8_t { data, address, acknowledge };
inline constexpr unsigned channels = 3;

// Towards the stops with higher or with lower numbers.
enum class direction : std::uint8_t { up, down };
inline constexpr unsigned directions = 2;

struct parameters {
    // Parallel rings of each direction, at least one of each. Hot Chips 2012.
    std::uint32_t data_rings = 1;
    std::uint32_t address_rings = 2;
    std::uint32_t acknowledge_rings = 2;
    // Clocks a slot takes from one stop to the next, 1 and up; unverified.
    std::uint32_t hop_cycles = 1;
    // From a slot's arrival at the stop to the arrival of its message in the agent; unverified.
    std::uint32_t eject_cycles = 1;
    // A message to an agent of the same stop, which does not use the ring, 1 and up; unverified.
    std::uint32_t local_cycles = 1;
    // A stop takes messages of the up rings in even clocks only and of the down rings in odd ones.
    // Larrabee did (Seiler et al., SIGGRAPH 2008); nothing says so of Knights Corner.
    bool alternate_ejection = false;
};

}  // namespace knc::ring

#endif

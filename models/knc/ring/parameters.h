// The parameters of the ring. Source: Chrysos, Hot Chips 2012, for the number of rings; every time
// is unverified. Decisions: docs/hierarchy.md.
#ifndef KNC_RING_PARAMETERS_H
#define KNC_RING_PARAMETERS_H

#include <cstdint>

namespace knc::ring {

// The ring that a message uses: BL (64 bytes of data), AD or AK.
enum class channel : std::uint8_t { data, address, acknowledge };
inline constexpr unsigned channels = 3;

// Towards the stops with higher or with lower numbers.
enum class direction : std::uint8_t { up, down };
inline constexpr unsigned directions = 2;

struct parameters {
    // Parallel rings per direction, at least one of each. Source: Hot Chips 2012.
    std::uint32_t data_rings = 1;
    std::uint32_t address_rings = 2;
    std::uint32_t acknowledge_rings = 2;
    // Cycles that a slot takes from one stop to the next, at least 1; unverified.
    std::uint32_t hop_cycles = 1;
    // Cycles from a slot's arrival at the stop to the arrival of its message in the agent;
    // unverified.
    std::uint32_t eject_cycles = 1;
    // Cycles of a message to an agent of the same stop, which does not use the ring; at least 1;
    // unverified.
    std::uint32_t local_cycles = 1;
    // A stop accepts messages of the up rings in even cycles only, and of the down rings in odd
    // cycles only. Larrabee did (Seiler et al., SIGGRAPH 2008); no document says so of Knights
    // Corner.
    bool alternate_ejection = false;
};

}  // namespace knc::ring

#endif

// The parameters of the modules between the tiles: ring, tag directory slices, memory controllers.
//
// Source of each default: its own header or the comment beside it; docs/hierarchy.md.
#ifndef KNC_CARD_UNCORE_PARAMETERS_H
#define KNC_CARD_UNCORE_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/base/clock.h>
#include <knc/cache/l3_parameters.h>
#include <knc/coherence/address_hash.h>
#include <knc/memory/controller.h>
#include <knc/ring/parameters.h>

namespace knc::card {

struct uncore_parameters {
    ring::parameters ring;
    coherence::hash_parameters hash;
    // Memory controllers, 1-64.
    std::uint32_t controllers = 1;
    memory::controller_parameters memory;
    // Cycles from a message's arrival at a free directory slice to the departure of the slice's
    // messages, at least 1. Unverified: the remainder of the published latencies
    // (docs/hierarchy.md).
    std::uint32_t directory_cycles = 150;
    // Cycles between two messages that a slice accepts, at least 1; unverified.
    std::uint32_t directory_interval = 1;
    // In place of the directory slices, if it exists.
    cache::l3_parameters l3;
};

// The minimum of cycles from when a request leaves a tile, with nothing else in flight, to when any
// tile can notice it: to a directory slice, through it, and back. `least_way`: see ring::carrier.
inline base::cycle_t idle_lookahead(const uncore_parameters& p, base::cycle_t least_way) {
    return 2 * least_way + (p.l3.exists() ? p.l3.cycles : p.directory_cycles);
}

// The minimum of cycles from a message to what a home slice sends. An L3 also sends what no message
// causes, when it is flushed: 0.
inline base::cycle_t home_cycles(const uncore_parameters& p) {
    return p.l3.exists() ? 0 : p.directory_cycles;
}

// The reason why an uncore with these parameters is impossible, in one line; empty if it is
// possible.
std::string impossible(const uncore_parameters&);
// The same parameters; throws std::invalid_argument if they are impossible().
const uncore_parameters& checked(const uncore_parameters&);

}  // namespace knc::card

#endif

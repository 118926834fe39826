// The network between the tiles of a card, including the memory: ring, tag directory and memory
// controllers (uncore.h), or a module of the user instead of them.
//
// Models no hardware; it is the interface only.
// Source: docs/integration.md, "A network of your own".
#ifndef KNC_CARD_NETWORK_H
#define KNC_CARD_NETWORK_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/signal.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/network_if.h>
#include <knc/coherence/types.h>
#include <knc/ring/parameters.h>
#include <knc/ring/topology.h>
#include <knc/ring/traffic.h>

namespace knc::card {

// What a network has carried since the start of the run.
struct network_counts {
    struct transactions {
        std::uint64_t reads = 0, writes = 0;  // of lines, that the controller has accepted
    };
    std::vector<transactions> controllers;
    // The rings for data: cycles of slots that carry a message, and the number of slots.
    std::uint64_t busy_cycles = 0, slots = 0;
};

// The same stop by stop, in the order round the ring.
struct ring_counts {
    struct stop {
        ring::place at;
        // By channel and direction, of all parallel rings together.
        std::array<std::array<ring::traffic_count, ring::directions>, ring::channels> traffic{};
        std::uint64_t lookups = 0, waited = 0;  // directory_slice::counts of a tile
    };
    std::array<unsigned, ring::channels> parallel{};  // rings of a channel in each direction
    std::vector<stop> stops;
};

class network : public coherence::network_if {
  public:
    // The sockets for the stops of a tile and of the SBOX.
    virtual coherence::target_socket& tile(unsigned n) = 0;
    virtual coherence::target_socket& sbox() = 0;

    // If nothing is in flight: the minimum of cycles from when a request leaves a tile to when
    // anything comes of it to any tile. 0: not known.
    virtual base::cycle_t lookahead() const { return 0; }

    // The state after power-on, at cycle `now`: messages in flight are lost, memory is kept.
    virtual void reset(base::cycle_t now) = 0;
    // Saves what reset() keeps, or loads it into a network after reset(), for a checkpoint. Not
    // called for a user's network: a card with one has no checkpoints.
    virtual void serialize(base::archive&) {}

    // Debug accesses (docs/coherence.md). Whether only memory has the line: no cache has a copy,
    // and none is in flight.
    virtual bool only_in_memory(coherence::line_t) = 0;
    // Offers the network's copies of the line, including memory.
    virtual void view(coherence::debug_view&) = 0;
    // Overwrites bytes of the line in all copies of the network, including memory.
    virtual void debug_write(coherence::line_t, const coherence::line_data&,
                             coherence::byte_mask) = 0;

    // What it has carried, up to now(). A network without such counts has none.
    virtual network_counts counts() const { return {}; }
    // The same in detail; takes longer.
    virtual ring_counts ring() const { return {}; }

    // Signals for a waveform. sample() updates them.
    virtual base::signal_list signals() const { return {}; }
    virtual void sample() {}
};

}  // namespace knc::card

#endif

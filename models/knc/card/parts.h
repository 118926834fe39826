// Parts of the user that replace parts of the card.
//
// Models no hardware: the functions that make these parts. The card calls a function when it
// constructs the place of the part in the object tree. An empty function selects the card's own
// part. Source: docs/integration.md.
#ifndef KNC_CARD_PARTS_H
#define KNC_CARD_PARTS_H

#include <functional>
#include <memory>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/cache/l2_base.h>
#include <knc/cache/line_pins.h>
#include <knc/card/network.h>
#include <knc/card/parameters.h>
#include <knc/coherence/address_hash.h>
#include <knc/coherence/memory_agent.h>

namespace knc::card {

// The surroundings of an L2. It is in tile `tile`, which counts its events in `ledger`. `memory`
// has the bytes of the card's memory. If the L2 accesses them directly, no other cache may keep a
// copy.
struct l2_place {
    const char* name;
    unsigned tile;
    const parameters& config;
    const base::clock& clock;
    const coherence::address_hash& hash;
    base::ledger& ledger;
    cache::line_pins& pins;
    coherence::line_store& memory;
};

// The surroundings of a network. It connects config.tiles tiles. `memory` has the bytes of the
// card's memory; the loader writes them.
struct network_place {
    const parameters& config;
    const base::clock& clock;
    const coherence::address_hash& hash;
    coherence::line_store& memory;
    // How many threads of the host run tiles: tile n thread n modulo their number.
    std::size_t host_threads = 1;
};

struct parts {
    std::function<std::unique_ptr<cache::l2_base>(const l2_place&)> make_l2;
    std::function<std::unique_ptr<network>(const network_place&)> make_network;
};

}  // namespace knc::card

#endif

// Parts of the user's own in place of the card's.
//
// Models: nothing; how a card asks for them. A function makes the module while its place in the
// object tree is under construction. An empty one: the card's own part.
// Source: docs/integration.md.
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

// Where an L2 is: in tile `tile`, which counts its events in `ledger`. `memory` has the bytes of
// the card's memory, which no other cache may keep if the L2 uses them past the network.
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

// Where a network is: between config.tiles tiles. `memory` has the bytes of the card's memory,
// which the loader writes.
struct network_place {
    const parameters& config;
    const base::clock& clock;
    const coherence::address_hash& hash;
    coherence::line_store& memory;
};

struct parts {
    std::function<std::unique_ptr<cache::l2_base>(const l2_place&)> make_l2;
    std::function<std::unique_ptr<network>(const network_place&)> make_network;
};

}  // namespace knc::card

#endif

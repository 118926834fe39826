// Whether what leaves the tiles of a card is kept, because they run on several host threads.
//
// Models no hardware. The one object of a card is written while no tile runs, except that a tile
// notes that it has kept something. Source: docs/host_threads.md.
#ifndef KNC_CARD_DEPARTURES_H
#define KNC_CARD_DEPARTURES_H

#include <atomic>

namespace knc::card {

struct departures {
    bool kept = false;
    bool messages_kept = false;    // those to the network, too
    std::atomic<bool> any{false};  // something has been kept

    void note() {
        // One note is enough, and threads shall not take the host's cache line from each other.
        if (!any.load(std::memory_order_relaxed)) any.store(true, std::memory_order_relaxed);
    }
};

}  // namespace knc::card

#endif

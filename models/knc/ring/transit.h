// A message on its way through the network: from the offer of its sender to its delivery.
//
// Models no hardware. All that the ring needs of a message is in one line of the host's cache, and
// every list that contains the message goes through it; nothing is copied on the way. The owner of
// the network has them in a pool. Leaves out: the content (knc/coherence/message.h).
#ifndef KNC_RING_TRANSIT_H
#define KNC_RING_TRANSIT_H

#include <cstdint>

#include <knc/base/clock.h>
#include <knc/ring/parameters.h>

namespace knc::ring {

// The senders that share a stop, in the order in which their messages of one cycle leave it.
enum class sender_kind : std::uint8_t { l2, directory };

struct transit {
    base::cycle_t clock = 0;  // the first cycle in which it may leave; then that of its arrival
    std::uint16_t from = 0, to = 0;  // stops
    channel what{};
    sender_kind sender{};
    // Valid once it has left.
    std::uint8_t ring = 0, group = 0;
    std::uint32_t travel = 0;  // cycles from stop to stop
    std::uint64_t order = 0;   // among those that leave, then those that arrive, in its cycle
    transit* next = nullptr;   // of its list
};

struct transit_list {
    transit *first = nullptr, *last = nullptr;

    bool empty() const { return first == nullptr; }
    void append(transit& m) {
        m.next = nullptr;
        (empty() ? first : last->next) = &m;
        last = &m;
    }
    // Inserts the message behind all others whose `key` is not larger.
    template <class Key>
    void insert(transit& m, Key transit::*key) {
        if (empty() || last->*key <= m.*key) {
            append(m);
            return;
        }
        transit** link = &first;
        while ((*link)->*key <= m.*key) link = &(*link)->next;
        m.next = *link;
        *link = &m;
    }
    // Removes the first message; the list must not be empty.
    transit& remove() {
        transit& m = *first;
        first = m.next;
        return m;
    }
};

}  // namespace knc::ring

#endif

// The messages between offer and delivery, and the lists that contain them.
//
// Models no hardware: a pool that allocates memory only when more messages are in flight than ever
// before.
#ifndef KNC_RING_MESSAGE_POOL_H
#define KNC_RING_MESSAGE_POOL_H

#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/parameters.h>

namespace knc::ring {

struct delivery {
    base::cycle_t clock;  // of the arrival
    std::uint32_t id;     // the caller's identifier
    std::uint16_t from, to;
    channel what;
};

inline constexpr std::uint32_t no_message = ~std::uint32_t{0};

struct queued_message {
    delivery
        content;  // clock: the first cycle in which it may leave; in flight, the cycle of arrival
    std::uint32_t travel;  // cycles from stop to stop
    std::uint32_t next;    // the next message of its list
    std::uint8_t ring;     // valid once it has left
};

class message_pool {
  public:
    // The index of an uninitialised message.
    std::uint32_t get() {
        if (free_ == no_message) {
            store_.emplace_back();
            return static_cast<std::uint32_t>(store_.size() - 1);
        }
        const std::uint32_t m = free_;
        free_ = store_[m].next;
        return m;
    }
    void put(std::uint32_t m) {
        store_[m].next = free_;
        free_ = m;
    }
    queued_message& operator[](std::uint32_t m) { return store_[m]; }
    const queued_message& operator[](std::uint32_t m) const { return store_[m]; }

  private:
    std::vector<queued_message> store_;
    std::uint32_t free_ = no_message;
};

struct message_list {
    std::uint32_t first = no_message, last = no_message;

    bool empty() const { return first == no_message; }
    void append(message_pool& pool, std::uint32_t m) {
        pool[m].next = no_message;
        (empty() ? first : pool[last].next) = m;
        last = m;
    }
    // Inserts the message behind all others whose cycle is not later.
    void insert(message_pool& pool, std::uint32_t m) {
        const base::cycle_t clock = pool[m].content.clock;
        if (empty() || pool[last].content.clock <= clock) {
            append(pool, m);
            return;
        }
        std::uint32_t* link = &first;
        while (pool[*link].content.clock <= clock) link = &pool[*link].next;
        pool[m].next = *link;
        *link = m;
    }
    // Removes the first message; the list must not be empty.
    std::uint32_t remove(const message_pool& pool) {
        const std::uint32_t m = first;
        first = pool[m].next;
        return m;
    }
};

}  // namespace knc::ring

#endif

// The slots of one ring in one direction, at fixed places in memory.
//
// Models: `stops` * hop_cycles slots that advance by one place in each cycle. The places at
// multiples of hop_cycles are the stops, so another slot passes a stop in each cycle. The index of
// a slot is its place in the cycles that are multiples of the number of slots: (place - cycle) mod
// slots for the up direction, (place + cycle) mod slots for the down direction. One number is
// stored per slot: the cycle in which its message reaches its destination. A stop removes a message
// before it inserts one, so it can reuse the slot in that cycle. Leaves out: the messages.
#ifndef KNC_RING_SLOT_RING_H
#define KNC_RING_SLOT_RING_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/parameters.h>

namespace knc::ring {

class slot_ring {
  public:
    slot_ring(direction way, unsigned stops, unsigned hop_cycles)
        : way_(way), hop_clocks_(hop_cycles), busy_until_(std::size_t{stops} * hop_cycles) {}

    // The slot at stop `s` in the cycles that are `phase` modulo the number of slots.
    std::size_t slot(unsigned s, std::size_t phase) const {
        const std::size_t place = std::size_t{s} * hop_clocks_;
        const std::size_t n = busy_until_.size();
        if (way_ == direction::up) return place >= phase ? place - phase : place + n - phase;
        return place + phase < n ? place + phase : place + phase - n;
    }
    // Whether the slot carries a message past its present stop in cycle `t`.
    bool busy(std::size_t slot, base::cycle_t t) const { return busy_until_[slot] > t; }
    void take(std::size_t slot, base::cycle_t until) { busy_until_[slot] = until; }

  private:
    direction way_;
    std::size_t hop_clocks_;
    std::vector<base::cycle_t> busy_until_;
};

}  // namespace knc::ring

#endif

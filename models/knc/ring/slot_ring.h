// The slots of one ring in one direction, without moving any.
//
// Models: `stops` * hop_cycles slots that advance by one place in each clock; the places at
// multiples of hop_cycles are the stops, so that each stop sees another slot in each clock. A slot
// is named by the place it has in the clocks that are multiples of the number of slots: going up,
// (place - clock) mod slots; going down, (place + clock) mod slots. One number is kept of each: the
// clock in which its message reaches its stop. A message is taken out before another is put in, so
// the slot is free again for that stop in that clock.
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

    // The slot at stop `s` in the clocks that are `phase` modulo the number of slots.
    std::size_t slot(unsigned s, std::size_t phase) const {
        const std::size_t place = std::size_t{s} * hop_clocks_;
        const std::size_t n = busy_until_.size();
        if (way_ == direction::up) return place >= phase ? place - phase : place + n - phase;
        return place + phase < n ? place + phase : place + phase - n;
    }
    // Whether it carries a message that goes on from where it is at clock `t`.
    bool busy(std::size_t slot, base::cycle_t t) const { return busy_until_[slot] > t; }
    void take(std::size_t slot, base::cycle_t until) { busy_until_[slot] = until; }

  private:
    direction way_;
    std::size_t hop_clocks_;
    std::vector<base::cycle_t> busy_until_;
};

}  // namespace knc::ring

#endif

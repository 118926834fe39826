// Messages that have left their stop, by the clock of their arrival.
//
// Models: nothing; a time wheel with one list of messages for each clock, as far ahead as the
// longest way takes. Entering and finding the next clock take constant time.
#ifndef KNC_RING_ARRIVALS_H
#define KNC_RING_ARRIVALS_H

#include <cstdint>
#include <vector>

#include <knc/ring/message_pool.h>

namespace knc::ring {

class arrivals {
  public:
    // No message is entered more than `longest` clocks before its arrival.
    explicit arrivals(base::cycle_t longest);

    void enter(message_pool&, std::uint32_t message);
    // The first clock from `now` on with an arrival, or base::never; what arrived before `now` has
    // been taken.
    base::cycle_t next(base::cycle_t now) const;
    // All of clock `t`, in the order they were entered.
    message_list take(base::cycle_t t);

  private:
    std::size_t bucket(base::cycle_t t) const { return t & (buckets_.size() - 1); }

    std::vector<message_list> buckets_;  // a power of two, at least 64
    std::vector<std::uint64_t> filled_;  // one bit for each
};

}  // namespace knc::ring

#endif

// Messages that have left their stop, sorted by the cycle of their arrival.
//
// Models no hardware: a time wheel with one list of messages per cycle. It is as long as the
// longest travel time. Insertion and the search for the next cycle take constant time.
#ifndef KNC_RING_ARRIVALS_H
#define KNC_RING_ARRIVALS_H

#include <cstdint>
#include <vector>

#include <knc/ring/message_pool.h>

namespace knc::ring {

class arrivals {
  public:
    // No message is inserted more than `longest` cycles before its arrival.
    explicit arrivals(base::cycle_t longest);

    void enter(message_pool&, std::uint32_t message);
    // The first cycle from `now` on with an arrival, or base::never. All arrivals before `now` must
    // have been taken.
    base::cycle_t next(base::cycle_t now) const;
    // All messages of cycle `t`, in the order of insertion.
    message_list take(base::cycle_t t);

  private:
    std::size_t bucket(base::cycle_t t) const { return t & (buckets_.size() - 1); }

    std::vector<message_list> buckets_;  // their number is a power of two, at least 64
    std::vector<std::uint64_t> filled_;  // one bit per bucket
};

}  // namespace knc::ring

#endif

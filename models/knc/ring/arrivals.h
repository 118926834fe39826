// Messages that have left their stop, sorted by the cycle of their arrival.
//
// Models no hardware: a time wheel with one list of messages per cycle. It is as long as the
// longest travel time. Insertion and the search for the next cycle take constant time.
#ifndef KNC_RING_ARRIVALS_H
#define KNC_RING_ARRIVALS_H

#include <cstdint>
#include <utility>
#include <vector>

#include <knc/ring/parameters.h>
#include <knc/ring/transit.h>

namespace knc::ring {

// The most cycles from the departure of a message to its arrival.
base::cycle_t longest_travel(const parameters&, unsigned stops);
// Fills `due` with the messages of a list, in the order of their delivery in their cycle: by stop,
// then by ring.
void sort_due(transit_list, std::vector<transit*>& due);

class arrivals {
  public:
    // No message is inserted more than `longest` cycles before its arrival.
    explicit arrivals(base::cycle_t longest);

    void enter(transit&);
    // The first cycle from `now` on with an arrival, or base::never. All arrivals before `now` must
    // have been taken.
    base::cycle_t next(base::cycle_t now) const;
    // All messages of cycle `t`, in the order of insertion.
    transit_list take(base::cycle_t t);
    // Calls receive(transit&) for each message, of which the first arrives in cycle `first`; none
    // is here any more.
    template <class Take>
    void take_all(base::cycle_t first, Take receive);

  private:
    std::size_t bucket(base::cycle_t t) const { return t & last_; }
    base::cycle_t next_beyond(base::cycle_t now) const;

    std::size_t last_;  // the number of buckets, a power of two and at least 64, less 1
    std::vector<transit_list> buckets_;
    std::vector<std::uint64_t> filled_;  // one bit per bucket
};

inline void arrivals::enter(transit& m) {
    const std::size_t b = bucket(m.clock);
    buckets_[b].append(m);
    filled_[b / 64] |= std::uint64_t{1} << b % 64;
}

inline base::cycle_t arrivals::next(base::cycle_t now) const {
    const std::size_t b = bucket(now);
    const std::uint64_t near = filled_[b / 64] >> b % 64;
    if (near != 0) return now + static_cast<unsigned>(__builtin_ctzll(near));
    return next_beyond(now);
}

inline transit_list arrivals::take(base::cycle_t t) {
    const std::size_t b = bucket(t);
    filled_[b / 64] &= ~(std::uint64_t{1} << b % 64);
    return std::exchange(buckets_[b], {});
}

template <class Take>
void arrivals::take_all(base::cycle_t first, Take receive) {
    for (base::cycle_t t = first; t != base::never; t = next(t + 1)) {
        transit_list list = take(t);
        while (!list.empty()) receive(list.remove());
    }
}

}  // namespace knc::ring

#endif

// Statistics of a ring: how many messages pass each stop.
//
// Models: counts since the start. A message is counted when it leaves its stop, also for the stops
// it has not passed yet. Counting takes constant time: each ring stores where routes begin and
// where they end, and read() sums these up. Leaves out: times.
#ifndef KNC_RING_TRAFFIC_H
#define KNC_RING_TRAFFIC_H

#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/ring/parameters.h>

namespace knc::ring {

struct traffic_count {
    std::uint64_t injected = 0;  // messages that left this stop
    std::uint64_t waited = 0;    // sum of the cycles that they waited for a slot
    std::uint64_t passed = 0;    // messages from another stop to another stop that pass this one

    void serialize(base::archive&);
};

class traffic {
  public:
    explicit traffic(unsigned stops) : number_(stops), stops_(stops) {}

    void count(direction way, unsigned from, unsigned to, base::cycle_t waited);
    // The steps from stop to stop that the messages take, all together.
    std::uint64_t hops() const { return hops_; }
    // One entry per stop.
    std::vector<traffic_count> read() const;

  private:
    struct at_stop {
        std::uint64_t injected = 0, waited = 0;
        std::int64_t step =
            0;  // messages that pass this stop minus those that pass the stop before it
    };
    unsigned number_;  // of stops
    std::vector<at_stop> stops_;
    std::uint64_t hops_ = 0;
    std::int64_t past_zero_ = 0;  // messages that pass stop 0
};

}  // namespace knc::ring

#endif

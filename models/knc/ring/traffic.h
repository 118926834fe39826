// How much each ring carried past each stop.
//
// Models: counts from the start, entered when a message leaves its stop, also of the stops it has
// not passed yet. Entering takes constant time: of the messages that pass, each ring keeps where a
// way begins and where it ends, and the counts are summed when they are read.
#ifndef KNC_RING_TRAFFIC_H
#define KNC_RING_TRAFFIC_H

#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/parameters.h>

namespace knc::ring {

struct traffic_count {
    std::uint64_t injected = 0;  // messages that left this stop
    std::uint64_t waited = 0;    // clocks from when they might leave until they left, in all
    std::uint64_t passed = 0;    // messages between two other stops that go past this one
};

class traffic {
  public:
    explicit traffic(unsigned stops) : stops_(stops) {}

    void count(direction way, unsigned from, unsigned to, base::cycle_t waited);
    // Of each stop.
    std::vector<traffic_count> read() const;

  private:
    struct at_stop {
        std::uint64_t injected = 0, waited = 0;
        std::int64_t step = 0;  // of the messages that pass, against the stop below
    };
    std::vector<at_stop> stops_;
    std::int64_t past_zero_ = 0;  // messages that pass stop 0
};

}  // namespace knc::ring

#endif

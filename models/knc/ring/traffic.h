// Statistics of a ring: how many messages pass each stop.
//
// Models: counts since the start. A message is counted when it leaves its stop, also for the stops
// it has not passed yet. Counting takes constant time: a ring stores where routes begin and where
// they end, and read() sums these up. Leaves out: times.
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
    traffic(direction way, unsigned stops) : way_(way), stops_(stops) {}

    // A message leaves, for another stop. `travel`: the cycles on its way.
    void count(unsigned from, unsigned to, base::cycle_t waited, base::cycle_t travel) {
        ++stops_[from].injected;
        stops_[from].waited += waited;
        ++stops_[to].ejected;
        travel_ += travel;
        round_ += way_ == direction::up ? to < from : to > from;
    }
    // The cycles that the messages are on their way, all together.
    base::cycle_t travel() const { return travel_; }
    // One entry per stop.
    std::vector<traffic_count> read() const;

  private:
    struct alignas(4 * sizeof(std::uint64_t)) at_stop {
        std::uint64_t injected = 0, waited = 0, ejected = 0;
    };
    direction way_;
    std::vector<at_stop> stops_;
    base::cycle_t travel_ = 0;
    std::uint64_t round_ = 0;  // messages between the last stop and stop 0
};

}  // namespace knc::ring

#endif

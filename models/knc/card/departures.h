// When which message leaves its stop.
//
// Models no hardware: a time wheel for the clocks near by, a heap for the rest. Messages of one
// clock and stop leave in the order of their senders, then of the calls; so the order of calls of
// different units and for different clocks means nothing. What has reached its size allocates
// nothing.
#ifndef KNC_CARD_DEPARTURES_H
#define KNC_CARD_DEPARTURES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <knc/base/clock.h>

namespace knc::card {

// Units that share a stop, in the order in which what they send in one clock leaves it.
enum class sender : std::uint8_t { l2, directory, controller };

class departures {
  public:
    // Everything before `now` has been taken; `clock` is not before it.
    void add(base::cycle_t now, base::cycle_t clock, std::uint16_t stop, sender,
             std::uint32_t message);
    // The first clock with a departure; never: there is none.
    base::cycle_t next() const { return next_; }
    // Calls leave(stop, message) for each departure of clock `t`, which is next(), in order.
    template <class Leave>
    void take(base::cycle_t t, Leave leave);

  private:
    static constexpr std::size_t wheel_cycles = 1024;

    struct entry {
        std::uint64_t order;  // stop, sender, call, from the left
        std::uint32_t message;
        bool operator<(const entry& o) const { return order < o.order; }
    };
    using far_entry = std::pair<base::cycle_t, entry>;

    // Fills due_ with the departures of clock `t`, in order, and finds the next clock.
    void collect_(base::cycle_t t);
    base::cycle_t next_near_(base::cycle_t now) const;

    std::vector<std::vector<entry>> wheel_{wheel_cycles};
    std::vector<std::uint64_t> filled_ = std::vector<std::uint64_t>(wheel_cycles / 64);
    std::priority_queue<far_entry, std::vector<far_entry>, std::greater<>> far_;
    std::vector<entry> due_;
    base::cycle_t next_ = base::never;
    std::uint64_t calls_ = 0;
};

template <class Leave>
void departures::take(base::cycle_t t, Leave leave) {
    collect_(t);
    for (const entry& e : due_) leave(static_cast<std::uint16_t>(e.order >> 48), e.message);
}

}  // namespace knc::card

#endif

// The injection queues of all stops: messages that wait for the cycle in which they may enter the
// ring.
//
// Models: the order in which the messages of one cycle and stop leave it: by sender, then by call.
// So the order of calls for different senders and for different cycles has no effect. A time wheel
// contains the near cycles, a heap the others. Once it has reached its final size it allocates no
// memory. Leaves out: a limit on the length of a queue.
#ifndef KNC_RING_INJECTION_QUEUE_H
#define KNC_RING_INJECTION_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/parameters.h>

namespace knc::ring {

// The senders that share a stop, in the order in which their messages of one cycle leave it.
enum class sender_kind : std::uint8_t { l2, directory };

struct injection {
    std::uint16_t from, to;  // stops
    channel what;
    sender_kind sender;
    std::uint32_t id;  // the caller's identifier
};

class injection_queue {
  public:
    // All messages before `now` must have been taken; `cycle` is not before `now`.
    void add(base::cycle_t now, base::cycle_t cycle, const injection&);
    // The first cycle with a message; base::never if there is none.
    base::cycle_t next() const { return next_; }
    // Calls enter(const injection&) for each message of cycle `t`, in order. `t` must be next().
    template <class Enter>
    void take(base::cycle_t t, Enter enter);

  private:
    static constexpr std::size_t wheel_cycles = 1024;

    struct entry {
        std::uint64_t order;  // stop, sender, call, from the most significant bits
        injection content;
        bool operator<(const entry& o) const { return order < o.order; }
    };
    using far_entry = std::pair<base::cycle_t, entry>;
    struct later {
        bool operator()(const far_entry& a, const far_entry& b) const { return b < a; }
    };

    // Fills due_ with the messages of cycle `t`, in order, and computes the next cycle.
    void collect(base::cycle_t t);
    base::cycle_t next_near(base::cycle_t now) const;

    std::vector<std::vector<entry>> wheel_{wheel_cycles};
    std::vector<std::uint64_t> filled_ = std::vector<std::uint64_t>(wheel_cycles / 64);
    std::priority_queue<far_entry, std::vector<far_entry>, later> far_;
    std::vector<entry> due_;
    base::cycle_t next_ = base::never;
    std::uint64_t calls_ = 0;
};

template <class Enter>
void injection_queue::take(base::cycle_t t, Enter enter) {
    collect(t);
    for (const entry& e : due_) enter(e.content);
}

}  // namespace knc::ring

#endif

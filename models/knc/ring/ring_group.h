// The parallel rings of one channel in one direction, and the messages that wait for them.
//
// Models: the slots of the rings; at each stop, the messages that wait for a free one, in the order
// of their cycles. They take the lowest-numbered ring that has one. A group without rings has the
// messages between agents of one stop, which never wait. Groups do not depend on each other. Leaves
// out: which messages use it, and what happens to those that have left (interconnect.h). Source:
// Chrysos, Hot Chips 2012; decisions: docs/hierarchy.md.
#ifndef KNC_RING_RING_GROUP_H
#define KNC_RING_RING_GROUP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/aligned_vector.h>
#include <knc/base/clock.h>
#include <knc/ring/parameters.h>
#include <knc/ring/slot_ring.h>
#include <knc/ring/traffic.h>
#include <knc/ring/transit.h>

namespace knc::ring {

// Different host threads may use different groups.
class alignas(base::host_line_bytes) ring_group {
  public:
    // Its rings have the numbers from `first_ring` on.
    ring_group(const parameters&, unsigned stops, direction, unsigned first_ring, unsigned copies);

    // A message, with its travel time, may leave in its `clock` or later. Returns whether it has
    // left at once, in cycle `running`, which runs now; its clock is that of its arrival then.
    bool offer(transit&, base::cycle_t running);
    // Calls left(transit&) for each waiting message that leaves in cycle `t`.
    template <class Left>
    void inject(base::cycle_t t, Left left);
    // The next cycle in which a waiting message tries to leave; base::never if there is none.
    base::cycle_t next_attempt() const { return next_attempt_; }

    // Statistics of one ring, per stop.
    std::vector<traffic_count> counts(unsigned copy) const { return rings_[copy].carried.read(); }
    // The cycles that the messages of all rings are on their way, all together.
    std::uint64_t travel() const;
    // Whether the slot that passes the stop in cycle `t` carries a message on.
    bool occupied(unsigned copy, unsigned stop, base::cycle_t t) const {
        const slot_ring& slots = rings_[copy].slots;
        return slots.busy(slots.slot(stop, t % slots_of_ring_), t);
    }
    // The messages that wait at a stop, also those of later cycles.
    std::uint32_t waiting(unsigned stop) const { return queues_[stop].length; }

  private:
    struct one_ring {
        slot_ring slots;
        traffic carried;
    };
    struct queue {
        transit_list messages;
        std::uint32_t length = 0;
    };

    // Cycle `t` modulo the number of slots of a ring; the cycles of successive calls are mostly
    // near each other.
    std::size_t phase(base::cycle_t t) {
        const base::cycle_t n = slots_of_ring_;
        phase_ += t - phase_at_;
        phase_at_ = t;
        if (phase_ >= n) phase_ = phase_ - n < n ? phase_ - n : t % n;
        return phase_;
    }
    // Whether a message with `travel` cycles to go may enter in cycle `t`.
    bool admits(base::cycle_t t, std::uint32_t travel) const {
        return !alternates_ || (t + travel) % 2 == static_cast<std::size_t>(way_);
    }
    // The message leaves in cycle `t` if a slot is free.
    bool leave(transit&, base::cycle_t t);
    bool leave_locally(transit&, base::cycle_t t) const;
    void wait(queue&, transit&);
    // Returns whether all messages of the queue have left.
    template <class Left>
    bool serve(queue&, base::cycle_t t, Left left);

    std::vector<one_ring> rings_;
    std::vector<queue> queues_;          // by stop
    std::vector<std::uint64_t> filled_;  // one bit per queue
    base::cycle_t next_attempt_ = base::never;
    base::cycle_t phase_ = 0, phase_at_ = 0;
    base::cycle_t slots_of_ring_;
    std::uint32_t eject_cycles_, local_cycles_;
    direction way_;
    bool alternates_;
    std::uint8_t first_ring_;
};

inline bool ring_group::leave_locally(transit& m, base::cycle_t t) const {
    m.clock = t + local_cycles_;
    m.ring = first_ring_;
    return true;
}

// All rings of a direction turn alike.
inline bool ring_group::leave(transit& m, base::cycle_t t) {
    if (rings_.empty()) return leave_locally(m, t);
    if (!admits(t, m.travel)) return false;
    const std::size_t slot = rings_.front().slots.slot(m.from, phase(t));
    for (one_ring& r : rings_) {
        if (r.slots.busy(slot, t)) continue;
        r.slots.take(slot, t + m.travel);
        r.carried.count(m.from, m.to, t - m.clock, m.travel);
        m.clock = t + m.travel + eject_cycles_;
        m.ring = static_cast<std::uint8_t>(first_ring_ + (&r - rings_.data()));
        return true;
    }
    return false;
}

// The slots that pass a stop depend on no other stop's messages of the same cycle, so a message of
// the present cycle that need not wait leaves at once.
inline bool ring_group::offer(transit& m, base::cycle_t running) {
    queue& q = queues_[m.from];
    if (m.clock == running && q.messages.empty() && leave(m, running)) return true;
    wait(q, m);
    return false;
}

template <class Left>
void ring_group::inject(base::cycle_t t, Left left) {
    next_attempt_ = base::never;
    for (std::size_t w = 0; w < filled_.size(); ++w) {
        for (std::uint64_t rest = filled_[w]; rest != 0; rest &= rest - 1) {
            queue& q = queues_[w * 64 + static_cast<unsigned>(__builtin_ctzll(rest))];
            if (serve(q, t, left))
                filled_[w] &= ~(rest & -rest);
            else
                next_attempt_ = std::min(next_attempt_, std::max(t + 1, q.messages.first->clock));
        }
    }
}

template <class Left>
bool ring_group::serve(queue& q, base::cycle_t t, Left left) {
    while (!q.messages.empty()) {
        transit& first = *q.messages.first;
        transit* const others = first.next;
        if (first.clock > t || !leave(first, t)) return false;
        --q.length;
        q.messages.first = others;
        left(first);
    }
    return true;
}

}  // namespace knc::ring

#endif

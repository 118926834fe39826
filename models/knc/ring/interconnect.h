// The bidirectional slotted ring between tiles, memory controllers and the SBOX.
//
// Models: data, address and acknowledge rings in both directions. A slot passes each stop in each
// cycle. The messages of one stop, channel and direction wait for a free slot in the order of their
// cycles and take the lowest-numbered parallel ring that has one. Routes are shortest paths. The
// timing is exact, although no slot moves in memory (slot_ring.h). Leaves out: the content of
// messages, a limit on the messages that wait at a stop, agents that reject a message, starvation
// avoidance for a stop that only busy slots pass. Source: Chrysos, Hot Chips 2012; decisions:
// docs/hierarchy.md.
#ifndef KNC_RING_INTERCONNECT_H
#define KNC_RING_INTERCONNECT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/arrivals.h>
#include <knc/ring/parameters.h>
#include <knc/ring/ring_group.h>
#include <knc/ring/topology.h>
#include <knc/ring/traffic.h>
#include <knc/ring/transit.h>

namespace knc::ring {

class interconnect {
  public:
    // One for each channel and direction, then that of the messages which stay at their stop.
    static constexpr unsigned groups = channels * directions + 1;

    // Throws std::invalid_argument for no stop or more than 65535, for no ring of a channel or more
    // than 32, and for hop_cycles or local_cycles of 0.
    interconnect(const parameters&, unsigned stops);

    // The group that messages of a channel use from one stop to another.
    unsigned group_of(channel c, unsigned from, unsigned to) const {
        return from == to ? groups - 1 : group_of(c, shortest(from, to, stops_).way);
    }
    // Sets the group and the travel time of a message with stops and a channel.
    void find_way(transit& m) const {
        m.group = groups - 1;
        m.travel = 0;
        if (m.from == m.to) return;
        const route r = shortest(m.from, m.to, stops_);
        m.group = static_cast<std::uint8_t>(group_of(m.what, r.way));
        m.travel = r.hops * hop_cycles_;
    }

    // A message, with its stops and channel, may leave in its cycle `clock` or later. It belongs to
    // the ring until its delivery. The messages of one stop may be offered in any order of their
    // cycles; those of the same cycle leave in the order of the calls. Those of different stops are
    // independent. Throws std::logic_error if the cycle has already run or a stop does not exist.
    void offer(transit&);

    // Runs all cycles up to and including `until`, which is less than base::never. Calls
    // sink(transit&) for each arrival, in the order of cycle, stop and ring; a stop's own local
    // messages come last. The result does not depend on how the cycles are split into calls. The
    // sink may offer messages from the cycle of the delivery on.
    template <class Sink>
    void run(base::cycle_t until, Sink&& sink);
    // Runs cycle `t` alone; next_event() must not be earlier. Calls leave() after the arrivals of
    // the cycle; leave(), too, may offer messages for the cycle.
    template <class Sink, class Leave>
    void run_clock(base::cycle_t t, Sink&& sink, Leave&& leave);

    // Skips the cycles before `t`; next_event() must not be earlier.
    void skip_to(base::cycle_t t) { now_ = t; }

    // ---- groups that run by themselves (lone_group.h)
    ring_group& group(unsigned g) { return groups_[g]; }
    // A message that has left its stop, and that no group has any more.
    void enter(transit& m) {
        arrivals_.enter(m);
        next_arrival_ = std::min(next_arrival_, m.clock);
    }
    // From now on, the groups run by themselves. Calls receive(transit&) for each message that has
    // left its stop; they are no longer here.
    template <class Receive>
    void take_all(Receive receive) {
        arrivals_.take_all(next_arrival_, receive);
        next_arrival_ = next_attempt_ = base::never;
    }
    // The groups run here again, with the messages that wait in them.
    void find_next_attempt();

    // The first cycle that has not run yet.
    base::cycle_t now() const { return now_; }
    // The next cycles in which a message tries to enter the ring and in which one arrives;
    // base::never if there is none.
    base::cycle_t next_attempt() const { return next_attempt_; }
    base::cycle_t next_arrival() const { return next_arrival_; }
    base::cycle_t next_event() const {
        return next_arrival_ < next_attempt_ ? next_arrival_ : next_attempt_;
    }

    unsigned stops() const { return stops_; }
    // The parallel rings of a channel in one direction.
    unsigned copies(channel c) const { return copies_[index(c)]; }
    // Statistics of one ring, per stop.
    std::vector<traffic_count> counts(channel, direction, unsigned copy) const;
    // The use of all rings of a channel: cycles of slots that carry a message on its way, counted
    // when it enters; and the number of slots.
    std::uint64_t busy_cycles(channel) const;
    std::uint64_t slots(channel) const;
    // Whether the slot that passed the stop in the last cycle carried a message on.
    bool occupied(channel, direction, unsigned copy, unsigned stop) const;
    // The messages that wait at a stop, also those of later cycles.
    std::uint32_t waiting(channel, direction, unsigned stop) const;

  private:
    static constexpr std::size_t index(channel c) { return static_cast<std::size_t>(c); }
    static constexpr unsigned group_of(channel c, direction d) {
        return static_cast<unsigned>(c) * directions + static_cast<unsigned>(d);
    }
    const ring_group& rings_of(channel c, direction d) const { return groups_[group_of(c, d)]; }
    // Tries to inject the waiting messages in cycle `t`.
    [[gnu::noinline]] void inject(base::cycle_t t);

    unsigned stops_;
    std::uint32_t hop_cycles_;
    std::uint32_t copies_[channels];
    std::vector<ring_group> groups_;
    arrivals arrivals_;
    base::cycle_t now_ = 0;
    base::cycle_t running_ = base::never;  // the cycle that runs now
    base::cycle_t next_attempt_ = base::never;
    base::cycle_t next_arrival_ = base::never;

    std::vector<transit*> due_;  // in the present cycle
};

template <class Sink>
void interconnect::run(base::cycle_t until, Sink&& sink) {
    for (base::cycle_t t = next_event(); t <= until; t = next_event()) run_clock(t, sink, [] {});
    if (now_ <= until) now_ = until + 1;
}

template <class Sink, class Leave>
[[gnu::always_inline]] inline void interconnect::run_clock(base::cycle_t t, Sink&& sink,
                                                           Leave&& leave) {
    now_ = t;
    running_ = t;
    if (next_arrival_ <= t) {
        const transit_list list = arrivals_.take(t);
        next_arrival_ = arrivals_.next(t + 1);
        if (list.first == list.last) {
            sink(*list.first);
        } else {
            sort_due(list, due_);
            for (transit* const m : due_) sink(*m);
        }
    }
    leave();
    if (next_attempt_ <= t) inject(t);
    running_ = base::never;
    now_ = t + 1;
}

}  // namespace knc::ring

#endif

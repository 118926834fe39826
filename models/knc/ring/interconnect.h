// The bidirectional slotted ring between tiles, memory controllers and the SBOX.
//
// Models: data, address and acknowledge rings in both directions; a slot past each stop in each
// clock; messages of one stop, channel and direction wait for a free slot in the order of their
// clocks and take the lowest-numbered parallel ring that has one; the shortest way. Exact, but
// without moving slots (slot_ring.h). Leaves out: what messages mean, a limit to what may wait at a
// stop, agents that refuse a message, protection of a stop from starving behind the traffic that
// passes it. Source: Chrysos, Hot Chips 2012; decisions: docs/hierarchy.md.
#ifndef KNC_RING_INTERCONNECT_H
#define KNC_RING_INTERCONNECT_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/arrivals.h>
#include <knc/ring/message_pool.h>
#include <knc/ring/parameters.h>
#include <knc/ring/slot_ring.h>
#include <knc/ring/traffic.h>

namespace knc::ring {

class interconnect {
  public:
    // Throws std::invalid_argument: no stop or more than 65535, no ring of some channel or more
    // than 32, hop_cycles or local_cycles 0.
    interconnect(const parameters&, unsigned stops);

    // A message may leave stop `from` at `clock` or later. Messages of one stop may be offered in
    // any order of their clocks; those of the same clock leave in the order of the calls, those of
    // different stops are independent. `id` comes back with the delivery. Throws std::logic_error:
    // `clock` has been run, no such stop.
    void offer(channel, unsigned from, unsigned to, std::uint32_t id, base::cycle_t clock);

    // Runs all clocks up to and including `until`, which is less than base::never, and calls
    // sink(const delivery&) for each arrival, in the order of clock, stop and ring; a stop's own
    // local messages come last. How far one call runs does not matter. The sink may offer messages
    // from the clock of the delivery on.
    template <class Sink>
    void run(base::cycle_t until, Sink&& sink);
    // Clock `t` alone, before which nothing happens: next_event() is not earlier. leave() is called
    // once the arrivals of the clock have been; it, too, may offer messages for the clock.
    template <class Sink, class Leave>
    void run_clock(base::cycle_t t, Sink&& sink, Leave&& leave);

    // Clocks before `t`, in which nothing happens: next_event() is not earlier.
    void skip_to(base::cycle_t t) { now_ = t; }

    // The first clock not run yet.
    base::cycle_t now() const { return now_; }
    // When a message tries to leave its stop next, and when one arrives next; base::never: none.
    base::cycle_t next_attempt() const { return next_attempt_; }
    base::cycle_t next_arrival() const { return next_arrival_; }
    base::cycle_t next_event() const {
        return next_arrival_ < next_attempt_ ? next_arrival_ : next_attempt_;
    }

    unsigned stops() const { return stops_; }
    // Parallel rings of a channel in one direction.
    unsigned copies(channel c) const { return copies_[index(c)]; }
    // Statistics of one ring, for each stop.
    std::vector<traffic_count> counts(channel, direction, unsigned copy) const;
    // Whether the slot that passed the stop in the last clock run went on with a message.
    bool occupied(channel, direction, unsigned copy, unsigned stop) const;
    // Messages offered at a stop that have not left yet, also those of later clocks.
    std::uint32_t waiting(channel, direction, unsigned stop) const;

  private:
    static constexpr std::size_t index(channel c) { return static_cast<std::size_t>(c); }
    static constexpr std::size_t index(direction d) { return static_cast<std::size_t>(d); }

    struct ring {
        slot_ring slots;
        traffic carried;
    };
    struct queue {
        message_list messages;
        std::uint32_t length = 0;
        std::uint16_t stop = 0;
        direction way = direction::up;
        // Of its rings. A queue of local messages has none.
        std::uint8_t first_ring = 0, last_ring = 0;
    };

    std::size_t ring_number(channel, direction, unsigned copy) const;
    std::size_t queue_number(channel, direction, unsigned stop) const;
    std::size_t phase(base::cycle_t t) const { return t % (std::size_t{stops_} * p_.hop_cycles); }

    void find_due(base::cycle_t t);
    delivery release(std::uint32_t message);
    // All attempts of clock `t`.
    void inject(base::cycle_t t);
    void serve(queue&, base::cycle_t t, std::size_t phase);
    // Whether a message may enter the up or down rings at `t` for a way of `travel` clocks.
    bool admits(direction, base::cycle_t t, std::uint32_t travel) const;
    void depart(queue&, std::size_t ring, base::cycle_t arrival);

    parameters p_;
    unsigned stops_;
    std::uint32_t copies_[channels];
    std::vector<ring> rings_;
    std::vector<queue> queues_;          // channel by channel, up and down; then the local ones
    std::vector<std::uint64_t> filled_;  // one bit for each queue
    message_pool pool_;
    arrivals arrivals_;
    base::cycle_t now_ = 0;
    base::cycle_t next_attempt_ = base::never;
    base::cycle_t next_arrival_ = base::never;

    struct due_message {
        std::uint64_t order;
        std::uint32_t message;
    };
    std::vector<due_message> due_;  // of the clock being run
};

template <class Sink>
void interconnect::run(base::cycle_t until, Sink&& sink) {
    for (base::cycle_t t = next_event(); t <= until; t = next_event()) run_clock(t, sink, [] {});
    if (now_ <= until) now_ = until + 1;
}

template <class Sink, class Leave>
void interconnect::run_clock(base::cycle_t t, Sink&& sink, Leave&& leave) {
    now_ = t;
    if (next_arrival_ <= t) {
        find_due(t);
        for (const due_message& d : due_) sink(release(d.message));
    }
    leave();
    if (next_attempt_ <= t) inject(t);
    now_ = t + 1;
}

}  // namespace knc::ring

#endif

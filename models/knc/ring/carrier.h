// Takes coherence messages from stop to stop.
//
// Models: the injection queues of all stops and the slotted ring between them. In each cycle first
// everything arrives, then the parts at the stops act that act by themselves (memory controllers),
// then what leaves in the cycle enters the ring in a fixed order. So what happens depends on the
// messages and their cycles alone, neither on the order of calls for different stops nor on how
// run() is split. Leaves out: what receivers do with a message; a limit to what waits at a stop.
// Source: docs/hierarchy.md.
#ifndef KNC_RING_CARRIER_H
#define KNC_RING_CARRIER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/coherence/types.h>
#include <knc/ring/injection_queue.h>
#include <knc/ring/interconnect.h>
#include <knc/ring/topology.h>

namespace knc::ring {

class carrier {
  public:
    class receivers {
      public:
        // A message arrives at its stop in cycle `t`. May call send() for `t` or later.
        virtual void deliver(unsigned stop, tlm::tlm_generic_payload&, coherence::packet&,
                             base::cycle_t t) = 0;

      protected:
        ~receivers() = default;
    };

    // Throws std::invalid_argument: parameters the interconnect does not take, no tile or more than
    // coherence::max_tiles.
    carrier(const parameters&, unsigned tiles, unsigned controllers, receivers&);
    carrier(const carrier&) = delete;
    carrier& operator=(const carrier&) = delete;

    // A part that acts by itself at a controller's stop: its own cycles, at most one ahead of the
    // carrier's, are run with the carrier's.
    void attach(base::clocked_if& part) { attached_.push_back(&part); }

    // Takes a message, from the node that is its source. It may leave in the packet's cycle or
    // later, and is held until it is delivered. False, and nothing happens: it goes to nobody, or
    // is for nobody. Throws std::logic_error: its cycle is before now().
    bool send(tlm::tlm_generic_payload&, coherence::packet&);
    // Whether send() would take it.
    bool has_way(const coherence::message& m) const { return receiver(m) != no_stop; }

    // As after power-on, at cycle `now`; messages under way are lost.
    void reset(base::cycle_t now);
    // Runs the cycles [now(), until). Messages are delivered in the order of their cycles.
    void run(base::cycle_t until);
    // The first cycle not run yet; in deliver(), the cycle of the delivery.
    base::cycle_t now() const { return now_; }
    // If nothing is sent: the first cycle in which anything may happen, and one before which
    // nothing is delivered. base::never: nothing is under way.
    base::cycle_t next_event() const;
    base::cycle_t next_delivery() const;
    // No message takes less.
    base::cycle_t least_way() const { return least_way_; }

    const topology& stops() const { return stops_; }
    const interconnect& rings() const { return rings_; }
    // Messages that have been sent and not been delivered.
    std::size_t size() const { return size_; }
    // Calls visit(message&) for each.
    template <class Visit>
    void for_each(Visit visit) {
        for (const transit& m : messages_)
            if (m.payload != nullptr) visit(m.packet->content);
    }

  private:
    static constexpr std::uint16_t no_stop = 0xffff;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct transit {
        tlm::tlm_generic_payload* payload = nullptr;  // nullptr: free
        coherence::packet* packet = nullptr;
        std::uint32_t next = none;  // of the free ones
    };

    bool is_client(coherence::node_t n) const {
        return (n < tiles_ || n == coherence::first_agent) && stop_of_[n] != no_stop;
    }
    // The stop of who receives the message, or no_stop.
    std::uint16_t receiver(const coherence::message&) const;
    void step(base::cycle_t t);
    void arrive(const delivery&, base::cycle_t t);
    void run_attached(base::cycle_t t);
    void enter_ring(base::cycle_t t);

    const parameters p_;
    const unsigned tiles_;
    receivers& receivers_;
    topology stops_;
    interconnect rings_;
    std::array<std::uint16_t, 256> stop_of_;  // of each node; no_stop: no such node
    base::cycle_t least_way_;
    std::vector<base::clocked_if*> attached_;
    base::cycle_t next_attached_ = base::never;
    std::vector<transit> messages_;
    std::uint32_t free_ = none;
    std::size_t size_ = 0;
    injection_queue queue_;
    base::cycle_t now_ = 0;
};

}  // namespace knc::ring

#endif

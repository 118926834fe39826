// The ring, the directory slices and the memory controllers, connected without SystemC.
//
// Models no hardware itself: makes by function calls the connections that the modules ring::ring,
// card::directory and card::controller make by sockets. Tests and explorations can so build many
// machines, or one without SystemC. ring::carrier, directory_slice and memory_stop have the
// behaviour and the timing.
#ifndef KNC_CARD_MEMORY_FABRIC_H
#define KNC_CARD_MEMORY_FABRIC_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <knc/base/clock.h>
#include <knc/card/directory_slice.h>
#include <knc/card/l3_slice.h>
#include <knc/card/line_places.h>
#include <knc/card/memory_stop.h>
#include <knc/card/uncore_parameters.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/transaction_pool.h>
#include <knc/ring/carrier.h>

namespace knc::card {

class memory_fabric final : ring::carrier::receivers {
  public:
    class observer {
      public:
        // A message for the tile's L2 or uncached agent, or for the agent at the SBOX's stop,
        // arrives in `cycle`. The observer may call send(), for `cycle` or later.
        virtual void deliver(unsigned tile, const coherence::message&, base::cycle_t cycle) = 0;
        virtual void deliver_to_agent(const coherence::message&, base::cycle_t cycle) = 0;
        // An error of the model: the message is dropped.
        virtual void protocol_error(const std::string&) = 0;

      protected:
        ~observer() = default;
    };

    // Throws std::invalid_argument for impossible() parameters, and for no tile or more than 64.
    memory_fabric(const uncore_parameters&, unsigned tiles, std::uint64_t core_hz,
                  coherence::line_store&, observer&);

    // Whether the message comes from a tile or the agent, and its destination exists.
    bool has_way(const coherence::message&) const;
    // A message of a tile or the agent may leave in cycle `leaves` or later. Messages of one tile
    // for one cycle leave in the order of the calls. One without a destination is a protocol error.
    // Throws std::logic_error if `leaves` is before now().
    void send(const coherence::message&, base::cycle_t leaves);

    // See ring::carrier; run() includes the cycle `until`.
    void run(base::cycle_t until) { carrier_.run(until + 1); }
    // As coherence::network_if, for cycles up to `until`, exclusive.
    void begin_parts(base::cycle_t until, base::cycle_t far, base::host_threads_if& threads) {
        carrier_.begin_parts(until, far, threads, home_cycles(p_));
    }
    void run_parts(std::size_t thread) { carrier_.run_parts(thread); }
    void end_parts() { carrier_.end_parts(); }
    base::cycle_t now() const { return carrier_.now(); }
    base::cycle_t next_event() const { return carrier_.next_event(); }
    base::cycle_t next_delivery() const { return carrier_.next_delivery(); }
    // The minimum number of cycles from a request's departure from a tile to the arrival of any
    // consequence at a tile. A tile's response to a delivery may arrive earlier.
    base::cycle_t lookahead() const { return idle_lookahead(p_, carrier_.least_way()); }

    const coherence::address_hash& hash() const { return hash_; }
    line_places& lines() { return lines_; }
    const line_places& lines() const { return lines_; }
    const ring::topology& stops() const { return carrier_.stops(); }
    const memory_stop& controller(unsigned n) const { return *controllers_[n]; }
    // Without an L3; with an L3.
    const directory_slice& slice(unsigned tile) const { return *slices_[tile]; }
    const l3_slice& l3(unsigned tile) const { return *l3_[tile]; }
    // The number of messages in flight.
    std::size_t under_way() const { return lines_.under_way(); }

  private:
    // Messages and errors of the parts.
    struct sending final : coherence::timed_port {
        explicit sending(memory_fabric& f) : fabric(f) {}
        void send(const coherence::message&, base::cycle_t leaves) override;
        void protocol_error(const std::string& text) override {
            fabric.observer_.protocol_error(text);
        }
        memory_fabric& fabric;
    };

    // ring::carrier::receivers
    void deliver(unsigned stop, coherence::receiver_kind, tlm::tlm_generic_payload&,
                 coherence::packet&, base::cycle_t) override;

    const uncore_parameters p_;
    const unsigned tiles_;
    const coherence::address_hash hash_;
    observer& observer_;
    ring::carrier carrier_;
    coherence::transaction_pool pool_;
    sending sending_{*this};
    std::vector<std::unique_ptr<directory_slice>> slices_;
    std::vector<std::unique_ptr<l3_slice>> l3_;  // instead of these
    std::vector<std::unique_ptr<memory_stop>> controllers_;
    line_places lines_;
};

}  // namespace knc::card

#endif

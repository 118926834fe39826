// Everything between the tiles: the ring, the tag directory slices, the memory controllers.
//
// Models: messages of tiles and of the agent at the SBOX's stop enter the ring in the clock they
// leave; a slice takes them in order of arrival, one every directory_interval clocks, and what it
// sends leaves directory_cycles later; controllers answer at their times. What happens depends on
// the messages and their clocks alone, not on the order of calls for different tiles, nor on how
// run() is split. Leaves out: what tiles do with messages; limits to what waits at a stop.
// Source: the parts' own headers; docs/hierarchy.md.
#ifndef KNC_CARD_MEMORY_FABRIC_H
#define KNC_CARD_MEMORY_FABRIC_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <knc/base/clock.h>
#include <knc/card/departures.h>
#include <knc/card/memory_stop.h>
#include <knc/card/message_store.h>
#include <knc/card/uncore_parameters.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/directory.h>
#include <knc/coherence/memory_agent.h>
#include <knc/ring/interconnect.h>
#include <knc/ring/topology.h>

namespace knc::card {

class memory_fabric {
  public:
    class observer {
      public:
        // A message for the tile's L2 or uncached agent, or for the agent at the SBOX's stop,
        // arrives at `clock`. May call send(), for `clock` or later.
        virtual void deliver(unsigned tile, const coherence::message&, base::cycle_t clock) = 0;
        virtual void deliver_to_agent(const coherence::message&, base::cycle_t clock) = 0;
        // An error of the model: what caused it is dropped.
        virtual void protocol_error(const std::string&) = 0;

      protected:
        ~observer() = default;
    };
    struct directory_counts {
        std::uint64_t messages = 0;  // taken from the start
        std::uint64_t waited = 0;    // clocks they waited for the slice, in all
    };

    // Throws std::invalid_argument: impossible() parameters, no tile or more than 64.
    memory_fabric(const uncore_parameters&, unsigned tiles, std::uint64_t core_hz,
                  coherence::line_store&, observer&);
    memory_fabric(const memory_fabric&) = delete;
    memory_fabric& operator=(const memory_fabric&) = delete;

    // Whether the message comes from a tile or the agent, and goes to somebody.
    bool has_way(const coherence::message&) const;
    // A message of a tile or the agent may leave at clock `leaves` or later. Messages of one tile
    // for one clock leave in the order of the calls. One that has no way is a protocol error.
    // Throws std::logic_error: `leaves` is before now().
    void send(const coherence::message&, base::cycle_t leaves);

    // All parts as after power-on, at clock `now`; messages under way are lost.
    void reset(base::cycle_t now);

    // Runs all clocks up to and including `until`, less than base::never. Deliveries come in the
    // order of their clocks.
    void run(base::cycle_t until);
    // The first clock not run yet; in deliver(), the clock of the delivery.
    base::cycle_t now() const { return now_; }
    // If nothing is sent: the first clock in which anything may happen, and one before which
    // nothing is delivered. base::never: nothing is under way.
    base::cycle_t next_event() const;
    base::cycle_t next_delivery() const;
    // Least clocks from when a request leaves a tile to when anything comes of it to any tile.
    // What a tile sends in answer to a delivery may be quicker.
    base::cycle_t lookahead() const;

    const coherence::address_hash& hash() const { return hash_; }

    // Debug accesses (docs/coherence.md). No tile has the line or sends it: memory is all there is
    // to read and write.
    bool only_in_memory(coherence::line_t) const;
    // Offers what is here of the line.
    void view(coherence::debug_view&) const;
    // Overwrites bytes of the line in everything that is here.
    void debug_write(coherence::line_t, const coherence::line_data&, coherence::byte_mask);

    const ring::topology& stops() const { return stops_; }
    const ring::interconnect& rings() const { return rings_; }
    const memory_stop& controller(unsigned n) const { return *controllers_[n]; }
    const coherence::directory& slice(unsigned tile) const { return slices_[tile].logic; }
    directory_counts slice_counts(unsigned tile) const { return slices_[tile].counts; }
    // Messages that have been sent and not been delivered.
    std::size_t under_way() const { return messages_.size(); }

  private:
    static constexpr std::uint16_t no_stop = 0xffff;

    struct slice_stop {
        coherence::directory logic;
        base::cycle_t free = 0;  // when it can take the next message
        directory_counts counts;
    };
    // What the slices send, and the errors of all parts.
    struct directory_port final : coherence::port {
        explicit directory_port(memory_fabric& f) : fabric(f) {}
        void send(const coherence::message&) override;
        void protocol_error(const std::string&) override;
        memory_fabric& fabric;
        base::cycle_t leaves = 0;  // of the slice at work
    };

    void make_controllers_();
    void step_(base::cycle_t t);
    void arrive_(std::uint32_t number, base::cycle_t t);
    void run_memory_(base::cycle_t t);
    void enter_ring_(base::cycle_t t);

    uncore_parameters p_;
    unsigned tiles_;
    std::uint64_t core_hz_;
    coherence::address_hash hash_;
    coherence::line_store& store_;
    observer& observer_;
    ring::topology stops_;
    ring::interconnect rings_;
    std::array<std::uint16_t, 256> stop_of_;  // of each node; no_stop: no such node
    base::cycle_t least_way_;                 // of any message
    directory_port directory_port_;
    std::vector<slice_stop> slices_;
    std::vector<std::unique_ptr<memory_stop>> controllers_;
    base::cycle_t next_memory_ = base::never;  // of all controllers
    message_store messages_;
    departures departures_;
    base::cycle_t now_ = 0;
};

}  // namespace knc::card

#endif

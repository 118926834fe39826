// What the modules of a card ask of one another without a transaction.
//
// Models no hardware: scheduling, and the reset of the card.
#ifndef KNC_CARD_PORTS_H
#define KNC_CARD_PORTS_H

#include <cstdint>
#include <string>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>

namespace knc::card {

// A tile.
struct tile_if : base::clocked_if {
    // Brings counters and ground truth up to now().
    virtual void settle() = 0;
    // Instructions its threads have retired.
    virtual std::uint64_t instructions() const = 0;
    // Why none of its threads can go on; empty if one can.
    virtual std::string why_stopped() const = 0;
    // A message has reached its caches that is not processed yet: what they send in answer takes
    // less time to another tile than a request does.
    virtual bool replies_pending() const = 0;
};

// What arbitrates at cycles that are common to all tiles.
struct arbiter_if : virtual sc_core::sc_interface {
    // The cycle all tiles must stop at for arbitrate(); base::never: nothing waits.
    virtual base::cycle_t next_arbitration() const = 0;
    // All tiles stand at cycle `now`.
    virtual void arbitrate(base::cycle_t now) = 0;
};

// The card's physical address map.
struct address_map_if : virtual sc_core::sc_interface {
    // Whether RAM has all of [address, address + size).
    virtual bool is_ram(std::uint64_t address, std::uint64_t size) const = 0;
};

// The card as a whole.
struct card_if : virtual sc_core::sc_interface {
    // Before the first cycle.
    virtual void start() = 0;
    // All parts as after power-on; all tiles stand at cycle `now`.
    virtual void reset(base::cycle_t now) = 0;
    // Refreshes the signals: those of the cycle that has just run.
    virtual void sample() = 0;
    // Somebody outside may reach the card's devices at any time.
    virtual bool accessible() const = 0;
};

}  // namespace knc::card

#endif

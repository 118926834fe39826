// The interfaces between the modules of a card that are not transactions.
//
// Models no hardware: scheduling, reset and start of the card.
#ifndef KNC_CARD_PORTS_H
#define KNC_CARD_PORTS_H

#include <cstdint>
#include <functional>
#include <string>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/base/signal.h>
#include <knc/core/functional_place.h>

namespace knc::card {

// Receives the cycle that the signals have reached. No values but `changed` differ from those of
// the call before.
using sample_function = std::function<void(base::cycle_t, const base::value_range& changed)>;

// A tile.
struct tile_if : base::clocked_if {
    // From now on, the next activity is also at `where`; base::not_known there: next_activity()
    // knows it. A tile may ignore the call.
    virtual void keep_activity_in(base::cycle_t& where) { where = base::not_known; }
    // As run(), but does not stop earlier.
    virtual void run_to(base::cycle_t until) {
        while (now() < until) run(until);
    }
    // Brings counters and ledger up to now().
    virtual void settle() = 0;
    // The number of instructions that its threads have retired.
    virtual std::uint64_t instructions() const = 0;
    // The reason why none of its threads can continue; empty if one can.
    virtual std::string why_stopped() const = 0;
    // An interrupt would wake one of its threads.
    virtual bool interruptible() const = 0;
    // A message has reached its caches that is not processed yet: what they send in answer takes
    // less time to another tile than a request does.
    virtual bool replies_pending() const = 0;

    // While it runs, it calls somebody who does not belong to it: an observer, or a part of the
    // user.
    virtual bool observed() const = 0;

    // Its signals stay as they are before next_activity(), unless a message arrives.
    virtual bool still() const = 0;
    // As run(), under watch_overflows(); updates the tile's signals after each cycle that may have
    // changed one, and calls `sampled` with the cycle after that.
    virtual void run_sampled(base::cycle_t until, const sample_function& sampled) = 0;
    // No counter overflows before the last cycle before this one, unless software accesses the PMU.
    virtual base::cycle_t overflow_deadline() const = 0;
    // run() returns after each cycle in which software has accessed the PMU.
    virtual void watch_overflows(bool on) = 0;

    // ---- fast-forward (knc/core/core.h)
    virtual void hold() = 0;
    virtual bool drained() = 0;
    virtual void enter_functional(const core::functional_place&) = 0;
    virtual void leave_functional(base::cycle_t at) = 0;
    // The lines that its threads have used since enter_functional(); nullptr: they are not kept.
    virtual cache::footprint* used_lines() = 0;
    // Right after leave_functional(): its caches fetch used_lines(); its threads stand still until
    // end_warm_up(). warmed(): it has them, and nothing of it is in flight.
    virtual void begin_warm_up() = 0;
    virtual bool warmed() = 0;
    virtual void end_warm_up(base::cycle_t at) = 0;
};

// Arbitrates at cycles that are common to all tiles.
struct arbiter_if : virtual sc_core::sc_interface {
    // The cycle at which all tiles must stop for arbitrate(); base::never: nothing to arbitrate.
    virtual base::cycle_t next_arbitration() const = 0;
    // All tiles are at cycle `now`.
    virtual void arbitrate(base::cycle_t now) = 0;
};

// The card's physical address map.
struct address_map_if : virtual sc_core::sc_interface {
    // Whether all of [address, address + size) is RAM.
    virtual bool is_ram(std::uint64_t address, std::uint64_t size) const = 0;
};

// The receiver of the bootstrap's requests.
struct boot_request_if : virtual sc_core::sc_interface {
    // The bootstrap wants to start the image in cycle `at`, which no tile has reached.
    virtual void request_boot(base::cycle_t at) = 0;
};

// The card as a whole.
struct card_if : virtual sc_core::sc_interface {
    // Called before the first cycle.
    virtual void start() = 0;
    // Resets all parts; all tiles are at cycle `now`.
    virtual void reset(base::cycle_t now) = 0;
    // All tiles and what lies between them are drained: writes back what the caches have, and
    // empties them. Returns where the tiles execute functionally. All tiles are at cycle `now`.
    virtual core::functional_place empty_caches(base::cycle_t now, core::functional_goal&) = 0;
    // Why the card cannot fast-forward; empty: it can.
    virtual std::string why_timed() const = 0;
    // The bootstrap starts the image that the host has copied; all tiles are at one cycle.
    virtual void start_image() = 0;
    // Tiles run apart from now on, each by itself; `shared`: on several host threads, so what
    // leaves them is kept; `messages`: their messages to the network, too.
    virtual void begin_apart(bool shared, bool messages) = 0;
    // They have done so: what they have sent goes on its way, in the order of the tiles.
    virtual void end_apart() = 0;
    // Signals of the cycle that runs next are wanted; all tiles are at its beginning.
    virtual void begin_sample() = 0;
    // Updates the signals to the cycle that has just run.
    virtual void sample() = 0;
    // Only tiles have signals that are wanted.
    virtual bool samples_tiles_only() const = 0;
    // The run is over, and the simulation goes on.
    virtual void rest() = 0;
    // A module outside may access the card's devices at any time.
    virtual bool accessible() const = 0;
    // The user may still send characters to the UART, which interrupts when they arrive.
    virtual bool waits_for_input() const = 0;
};

}  // namespace knc::card

#endif

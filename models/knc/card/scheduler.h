// Lets the tiles of a card run ahead of SystemC time without anything depending on how far.
//
// Models no hardware. Between steps all tiles stand at one common clock, or have nothing to do
// before it. A step runs
//  - tiles that share an ideal memory: one clock of every tile, in order of index, while more than
//    one of them is active;
//  - tiles with caches: each for itself up to a clock before which nothing that any of them sends
//    from now on can have left it; what is under way between them has been run up to there before.
//    If nothing is under way, and no tile has a message to answer, up to a clock before which
//    nothing that any of them sends can have come to another one, or back;
//  - the only active tile alone, up to the first clock in which another one may become active;
//  - nothing, up to the first clock in which something may happen, while all sleep.
// While a device access is under way, or may come from outside, no tile passes SystemC time + the
// device latency, the least time its answer takes. So the outcome is the same for every quantum,
// down to single clocks.
#ifndef KNC_CARD_SCHEDULER_H
#define KNC_CARD_SCHEDULER_H

#include <string>
#include <vector>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/card/ports.h>
#include <knc/card/run_control.h>
#include <knc/coherence/network_if.h>
#include <knc/sbox/ports.h>

namespace knc::card {

class scheduler : public sc_core::sc_module,
                  public base::synchronize_if,
                  public sbox::reset_request_if {
  public:
    // In the order of their indices.
    sc_core::sc_port<tile_if, 0> tiles{"tiles"};
    sc_core::sc_port<arbiter_if> interrupts{"interrupts"};
    sc_core::sc_port<base::pending_if, 0> devices{"devices"};
    sc_core::sc_port<card_if> card{"card"};

    // What is between tiles with caches.
    struct network {
        coherence::network_if* fabric = nullptr;  // none: the tiles share an ideal memory
        // Least cycles from a cause in a tile to a message that leaves it.
        base::cycle_t lookahead = 0;
        // While nothing is in flight: least cycles from a cause in a tile to what another tile, or
        // it, can notice of it. A multiple of `lookahead`.
        base::cycle_t idle_lookahead = 0;
    };

    // `lookahead`: least clocks from now to the answer of a device access under way.
    scheduler(sc_core::sc_module_name, const base::clock&, const run_control&,
              base::cycle_t lookahead, const network&);

    // Ends the run `lookahead` clocks after the present SystemC time; the first request counts.
    void request_stop(stop_reason, std::uint32_t code, const std::string& detail = {});
    // Resets the card `lookahead` clocks after the present SystemC time, at one clock for all
    // tiles, if no reset is due before.
    void request_reset() override;
    // Ends the run after the step under way.
    void stop_now(stop_reason, const std::string& detail);
    void synchronize() override { posted_ = true; }

    base::cycle_t now() const { return now_; }
    const outcome& result() const { return result_; }

  private:
    void run();
    void step(base::cycle_t limit);
    void step_together(base::cycle_t limit);
    void step_apart(base::cycle_t limit);
    static void run_until(tile_if&, base::cycle_t to);
    void run_all_to_now() const;
    void run_network_to_now() const;
    bool replies_pending() const;
    void reset();
    struct activity {
        tile_if* only = nullptr;  // the one that is active first
        base::cycle_t first = base::never, second = base::never;
    };
    // `whether_now`: one that is active now is enough, whichever it is.
    activity next_activity(bool whether_now) const;
    bool device_pending() const;
    bool quiet() const;
    void end_of_elaboration() override;
    bool finished();
    base::cycle_t limit() const;
    bool tracing() const { return now_ >= control_.trace_from && now_ < control_.trace_to; }
    std::uint64_t instructions() const;
    void end(stop_reason, std::uint32_t code, const std::string& detail);

    const base::clock clock_;
    const run_control& control_;
    const base::cycle_t lookahead_;
    // What is bound to `tiles`, `devices` and `interrupts`.
    std::vector<tile_if*> tiles_;
    std::vector<base::pending_if*> devices_;
    arbiter_if* interrupts_ = nullptr;
    const network network_;

    base::cycle_t now_ = 0;           // clock all tiles have reached
    base::cycle_t synchronised_ = 0;  // clock SystemC time stands at
    bool posted_ = false;
    base::cycle_t stop_at_ = base::never, reset_at_ = base::never;
    bool accessible_ = false;
    outcome requested_;
    outcome result_;
};

}  // namespace knc::card

#endif

// The process that runs all tiles of a card, in temporal decoupling.
//
// Models no hardware. Between steps all tiles are at one common cycle, or have nothing to do before
// it. There are five kinds of steps. Tiles that share an ideal memory run one cycle each, in order
// of index, while more than one of them is active. Tiles with caches run each by itself up to a
// cycle before which no message sent from now on can have left a tile; the network has run up to
// there before. If nothing is in flight, and no tile has a message to answer, they run up to a
// cycle before which no message sent from now on can have any effect on a tile; otherwise those do
// that nothing in flight can reach, and are ahead of the others. The only active tile runs alone,
// up to the first cycle in which another one may become active. If all tiles sleep, time advances
// to the first cycle in which anything may happen.
//
// While a device access is in flight, or may come from outside, no tile passes SystemC time + the
// device latency, the minimum time of a response. The same latency follows the cycle in which a
// device acts by itself, and no tile passes that before SystemC time has. So the result is the same
// for every quantum, down to single cycles. In a fast-forward (scheduler_functional.cpp), tiles
// take turns by a quantum of its own, and the device latency does not count. Leaves out: the
// content of a step. Source: docs/architecture.md, "Time"; docs/fast_forward.md.
#ifndef KNC_CARD_SCHEDULER_H
#define KNC_CARD_SCHEDULER_H

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/card/ports.h>
#include <knc/card/run_control.h>
#include <knc/card/scheduled_tiles.h>
#include <knc/card/tile_runner.h>
#include <knc/coherence/network_if.h>
#include <knc/sbox/ports.h>

namespace knc::card {

class scheduler : public sc_core::sc_module,
                  public base::synchronize_if,
                  public sbox::reset_request_if,
                  public boot_request_if {
  public:
    // In the order of their indices.
    sc_core::sc_port<tile_if, 0> tiles{"tiles"};
    sc_core::sc_port<arbiter_if> interrupts{"interrupts"};
    sc_core::sc_port<base::pending_if, 0> devices{"devices"};
    sc_core::sc_port<card_if> card{"card"};

    // What lies between tiles with caches. Unbound: the tiles share an ideal memory.
    sc_core::sc_port<coherence::network_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> network{"network"};

    // Minimum cycles, which bound how far a part may run.
    struct lookaheads {
        base::cycle_t device;  // from now to the response of a device access in flight
        // With caches: from a cause in a tile to a message that leaves it; and to an effect on any
        // tile, while nothing is in flight, which is a multiple of the former.
        base::cycle_t tile, idle;
    };
    scheduler(sc_core::sc_module_name, const base::clock&, const run_control&, const lookaheads&);

    // Ends the run lookaheads::device cycles after the present SystemC time; the first request
    // counts.
    void request_stop(stop_reason, std::uint32_t code, const std::string& detail = {});
    // Resets the card lookaheads::device cycles after the present SystemC time, in one cycle for
    // all tiles, unless an earlier reset is due.
    void request_reset() override;
    // Ends the run in cycle `at`, at the earliest lookaheads::device cycles after the present
    // SystemC time; base::never: it goes on. The last call counts. Returns the cycle.
    base::cycle_t set_deadline(base::cycle_t at);
    // Calls run_control::attended in cycle `at`, at the earliest the present one, when all tiles
    // and SystemC time have reached it. The last call counts. A card whose threads all sleep waits
    // for that.
    void request_attention(base::cycle_t at) { attention_at_ = at; }
    // Calls run_control::observed likewise. The run ends when it would end without that.
    void request_observation(base::cycle_t at) { observation_at_ = at; }
    // In place of run_control's: signals are sampled in cycles [from, to), which have not begun.
    void set_trace_window(base::cycle_t from, base::cycle_t to) {
        trace_from_ = from;
        trace_to_ = to;
    }
    // From now on until it returns true, calls `f` at the first cycle after each cycle in which a
    // counter has overflowed or a PMI line has risen, and at other cycles; all tiles then are at
    // that cycle. If that is the first cycle after a sampled one, signals are sampled at once.
    void watch_overflows(std::function<bool(base::cycle_t)> f);
    // The card starts its image in cycle `at`, which is the same for all tiles.
    void request_boot(base::cycle_t at) override;
    // Ends the run after the present step.
    void stop_now(stop_reason, const std::string& detail);
    void synchronize() override { posted_ = true; }

    // Instructions are executed without time from lookaheads::device cycles after the present
    // SystemC time on, when everything in flight has come to its end; or in time again, from the
    // next step on.
    void request_fast_forward(bool on);
    // The firmware has written the marker register.
    void marked(std::uint32_t number);
    // Those until now; the last one may not have ended.
    const std::vector<fast_forward_record>& fast_forwards() const { return fast_forwards_; }

    // Called by run_control::fast_forward_ended, and by run_control::restore.
    void serialize(base::archive&);

    base::cycle_t now() const { return now_; }
    const outcome& result() const { return result_; }

  private:
    // Whether max_instructions is reached, or the card hangs, is checked at multiples of this
    // number of cycles, so that the end of a run does not depend on the quantum.
    static constexpr base::cycle_t check_interval = 10'000;

    void run();
    void step(base::cycle_t limit);
    void step_all(base::cycle_t limit);
    void step_sampled(base::cycle_t limit);
    bool step_only(tile_if&, base::cycle_t rest, base::cycle_t limit);
    void sample();
    bool samples_apart() const;
    base::cycle_t watched_limit() const;
    void look_for_overflows();
    bool may_fast_forward() const;
    void begin_fast_forward();
    void hold();
    void switch_if_drained();
    void enter_functional();
    void leave_functional(const std::string& why);
    void close_record(const std::string& why);
    void tell_of_end();
    bool restore();
    base::cycle_t functional_limit() const;
    void step_functional(base::cycle_t limit);
    void begin_warm_up();
    void look_at_warm_up();
    void end_warm_up();
    bool checks_now();
    void step_together(base::cycle_t limit);
    bool goes_on(base::cycle_t limit) const;
    void step_apart(base::cycle_t limit);
    base::cycle_t run_network(base::cycle_t until);
    void let_run_beyond(step_end&, base::cycle_t far);
    // No tile is ahead of now().
    bool level() const { return now_ >= foremost_; }
    void run_all_to_now() const;
    void run_network_to_now() const;
    bool replies_pending() const;
    void reset();
    void start_image();
    void attend();
    void observe();
    struct activity {
        tile_if* only = nullptr;  // the one with the earliest activity
        base::cycle_t first = base::never, second = base::never;
    };
    // `whether_now`: the search ends at the first tile that is active now.
    activity next_activity(bool whether_now) const;
    base::cycle_t devices_pending_from() const;
    bool quiet() const;
    void end_of_elaboration() override;
    void catch_up();
    bool finished();
    bool asleep() const;
    bool input_has_come();
    std::string why_stopped() const;
    base::cycle_t limit() const;
    bool tracing() const { return traced(now_); }
    bool traced(base::cycle_t c) const { return c >= trace_from_ && c < trace_to_; }
    std::uint64_t instructions() const;
    void end(stop_reason, std::uint32_t code, const std::string& detail);

    const base::clock clock_;
    const run_control& control_;
    const lookaheads lookahead_;
    // The modules bound to `tiles`, `devices` and `interrupts`.
    scheduled_tiles tiles_;
    std::vector<base::pending_if*> devices_;
    arbiter_if* interrupts_ = nullptr;
    coherence::network_if* network_ = nullptr;  // what is bound to `network`
    std::optional<tile_runner> runner_;

    base::cycle_t now_ = 0;           // the cycle that all tiles have reached
    base::cycle_t foremost_ = 0;      // no tile has passed this cycle, or now_
    base::cycle_t synchronised_ = 0;  // the cycle that SystemC time has reached
    bool posted_ = false;
    bool yielded_ = true;  // others have been called since the last step
    base::cycle_t stop_at_ = base::never, reset_at_ = base::never, boot_at_ = base::never;
    base::cycle_t deadline_ = base::never, attention_at_ = base::never,
                  observation_at_ = base::never;
    base::cycle_t trace_from_, trace_to_;
    // The cycle of the last sample; never: something from outside may have changed signals since.
    base::cycle_t sampled_at_ = base::never;
    std::function<bool(base::cycle_t)> overflow_watch_;
    bool accessible_ = false;

    // ---- fast-forward. The cycle in which the tiles begin to hold, or are looked at again.
    base::cycle_t switch_at_ = base::never;
    bool holding_ = false, functional_ = false;
    bool ended_ = false;  // it has ended, and nobody has been told
    // The tiles fill their caches, and are looked at in this cycle.
    base::cycle_t warm_up_at_ = base::never;
    core::functional_goal goal_;
    std::string wanted_end_;  // of the present one, in words
    std::uint32_t end_marker_ = 0;
    bool ends_at_marker_ = false;
    base::cycle_t checked_ = 0;  // finished() has looked at everything
    std::vector<fast_forward_record> fast_forwards_;

    outcome requested_;
    outcome result_;
};

}  // namespace knc::card

#endif

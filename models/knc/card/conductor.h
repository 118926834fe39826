// Lets the tiles of a card run ahead of SystemC time without anything depending on how far.
//
// Models no hardware. All tiles stand at one common clock between steps. A step runs
//  - one clock of every tile, in order of index, while more than one of them is active: they share
//  a
//    memory that answers at once;
//  - the only active tile alone, up to the first clock in which another one may become active;
//  - nothing, up to the first clock in which something may happen, while all sleep.
// While a device access is under way, no tile passes SystemC time + the device latency, the least
// time its answer takes. So the outcome is the same for every window, down to single clocks.
#ifndef KNC_CARD_CONDUCTOR_H
#define KNC_CARD_CONDUCTOR_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/card/run_control.h>
#include <knc/card/tile.h>

namespace knc::card {

class conductor : public sc_core::sc_module {
  public:
    struct outside {
        std::function<void()> start;           // before the first clock
        std::function<bool()> device_pending;  // a device access is under way
        std::function<void()> sample;          // the signals of the clock that has just run
    };

    // `lookahead`: least clocks from now to the answer of a device access under way.
    conductor(sc_core::sc_module_name, const base::clock&, const run_control&,
              base::cycle_t lookahead, std::vector<std::unique_ptr<tile>>& tiles, outside);

    // Ends the run `lookahead` clocks after the present SystemC time; the first request counts.
    void request_stop(stop_reason, std::uint32_t code);
    // Ends the run after the step under way.
    void stop_now(stop_reason, const std::string& detail);
    // Something was posted that SystemC must see before tiles go on.
    void synchronise() { posted_ = true; }

    base::cycle_t now() const { return now_; }
    const outcome& result() const { return result_; }

  private:
    void run();
    void step(base::cycle_t limit);
    bool finished();
    base::cycle_t limit() const;
    bool tracing() const { return now_ >= control_.trace_from && now_ < control_.trace_to; }
    std::uint64_t instructions() const;
    void end(stop_reason, std::uint32_t code, const std::string& detail);

    const base::clock clock_;
    const run_control& control_;
    const base::cycle_t lookahead_;
    std::vector<std::unique_ptr<tile>>& tiles_;
    outside outside_;

    base::cycle_t now_ = 0;           // clock all tiles have reached
    base::cycle_t synchronised_ = 0;  // clock SystemC time stands at
    bool posted_ = false;
    base::cycle_t stop_at_ = base::never;
    outcome requested_;
    outcome result_;
};

}  // namespace knc::card

#endif

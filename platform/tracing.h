// The waveform of a run: which signals, which clocks, into which file (docs/waveforms.md).
//
// Clocks: a trigger has the clock in which it comes about. A waveform shows the state after clock c
// at the time of clock c + 1.
#ifndef KNC_PLATFORM_TRACING_H
#define KNC_PLATFORM_TRACING_H

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/signal.h>
#include <knc/card/card.h>

#include <platform/image.h>
#include <platform/settings.h>
#include <platform/trace_file.h>
#include <platform/trace_recorder.h>
#include <platform/trace_trigger.h>
#include <platform/vcd_writer.h>

namespace platform {

class tracing {
  public:
    // Throws input_error for scopes or triggers that do not exist, and for a format that cannot be
    // written.
    tracing(const settings&, knc::card::card&, const image&);
    // Of a run that has failed, the file holds what there is.
    ~tracing();
    // Creates the file; before the first clock.
    void begin(const std::string& directory);

    // To be called from the functions of run_control with these names; `seen`: the clock in which a
    // mark can have its first effect.
    void sampled(knc::base::cycle_t, const knc::base::value_range& changed);
    void marked(std::uint32_t number, knc::base::cycle_t seen);
    // The user wants a waveform from clock `now` on, or none; all parts are at that clock. Triggers
    // no longer count.
    void switch_on(knc::base::cycle_t now);
    void switch_off(knc::base::cycle_t now);
    // The run has ended in clock `end`. Returns what the user should know, in one line each. Throws
    // std::runtime_error where the file cannot be written.
    std::vector<std::string> finish(knc::base::cycle_t end);

    const knc::base::signal_list& signals() const { return signals_; }
    trace_format format() const { return settings_.format; }
    // The clocks that the waveform shows: [from, to).
    knc::base::cycle_t from() const;
    knc::base::cycle_t to() const;

  private:
    bool triggered() const { return trigger_.mark || !trigger_.conditions.empty(); }
    trace_trigger trigger_of(const image&);
    void arm();
    void fire(knc::base::cycle_t at);
    bool conditions_met();
    void look(knc::base::cycle_t now);
    void window_ends();

    // The overflows of a counter, as of the last look.
    struct overflow_count {
        std::size_t thread, counter;
        std::uint64_t value = 0;
    };

    const trace_settings settings_;
    knc::card::card& card_;
    const knc::base::clock clock_;
    knc::base::signal_list signals_;
    std::deque<overflow_count> overflows_;  // those of the trigger
    trace_trigger trigger_;
    std::unique_ptr<trace_file> file_;
    std::unique_ptr<vcd_writer> writer_;
    std::unique_ptr<trace_recorder> recorder_;
    std::uint64_t windows_;  // still to come
    bool armed_ = false, fired_ = false;
    bool records_cycles_ = false;  // see card::sample_only()
    knc::base::cycle_t end_ = 0;
};

}  // namespace platform

#endif

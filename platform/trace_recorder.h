// From samples of signals to the windows of a waveform.
//
// A sample is the state at a clock; between two samples nothing changes. A window shows the clocks
// from `first` to `last`. It may begin before it is opened, by as many clocks as are kept.
#ifndef KNC_PLATFORM_TRACE_RECORDER_H
#define KNC_PLATFORM_TRACE_RECORDER_H

#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/signal.h>

#include <platform/trace_history.h>
#include <platform/vcd_writer.h>

namespace platform {

class trace_recorder {
  public:
    // `before`: clocks kept while no window is open. The values of the signals outlive it.
    trace_recorder(const knc::base::signal_list&, vcd_writer&, const knc::base::clock&,
                   knc::base::cycle_t before);

    // The signals show clock `c`, which is later than that of the sample before. No values but
    // `changed` differ from those of that sample.
    void sample(knc::base::cycle_t c, const knc::base::value_range& changed = {});
    // Opens the next window. `first` may be a clock before the last sample; what is not kept of it
    // is left out.
    void open(knc::base::cycle_t first, knc::base::cycle_t last);
    // Whether a window is open, or about to begin.
    bool is_open() const { return state_ != state::closed; }
    // Ends the window at clock `at`, the last sample's or later.
    void end_window(knc::base::cycle_t at);
    // Until the next window, all values are unknown. For a clock after the last sample's.
    void pause();
    // The run has ended at clock `end`.
    void finish(knc::base::cycle_t end);

    // The clock at which the waveform's size came to its limit; never: it has not.
    knc::base::cycle_t full_at() const { return full_at_; }
    // What the waveform shows: its first clock, and the end of its last window.
    knc::base::cycle_t first() const { return shown_from_; }
    knc::base::cycle_t last() const { return shown_to_; }

  private:
    enum class state : std::uint8_t { closed, awaited, open };
    // Signals whose values lie one behind the other, so that one comparison tells if any changed.
    struct block {
        const std::uint64_t* values;
        std::size_t first, count;  // in the order of the signals

        bool contains(const knc::base::value_range& r) const {
            return r.first >= values && r.last <= values + count;
        }
    };

    void begin(knc::base::cycle_t first, const std::vector<std::uint64_t>& values);
    void replay();
    void close(knc::base::cycle_t at);
    const block* block_of(const knc::base::value_range& changed);
    void record_changes(knc::base::cycle_t c, const knc::base::value_range& changed);
    void record_changes(knc::base::cycle_t c, const block&);
    void commit(knc::base::cycle_t c);
    void end_if(bool full, knc::base::cycle_t c);
    std::uint64_t time(knc::base::cycle_t c) const;

    vcd_writer& writer_;
    const knc::base::clock& clock_;
    const std::uint64_t ps_per_clock_, rest_per_clock_;  // 1 s / hz, and what remains of that
    const knc::base::cycle_t before_;
    std::vector<block> blocks_;
    const block* recent_ = nullptr;      // that of the last range of changes
    bool begun_ = false;                 // the present sample's time step in the waveform
    std::vector<std::uint64_t> values_;  // of the last sample
    trace_history history_;
    knc::base::cycle_t kept_from_ = 0;  // the first clock of the history
    state state_ = state::closed;
    knc::base::cycle_t first_ = 0, last_ = 0;    // of the present window
    knc::base::cycle_t now_ = knc::base::never;  // the last sample's
    knc::base::cycle_t full_at_ = knc::base::never;
    knc::base::cycle_t shown_from_ = knc::base::never, shown_to_ = knc::base::never;
};

}  // namespace platform

#endif

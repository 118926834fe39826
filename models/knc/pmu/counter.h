// One event counter.
//
// Models: which events it counts (event, privilege, own or all threads), how it counts (number of
// events, or cycles by threshold, inversion and edge detection), width, wrap-around and overflow.
// The counter is derived from the ledger: it adds the increase of a set of ledger cells. So an
// event costs its source one addition, however many counters select the event. Leaves out:
// registers, enable bits, status and interrupts (knc/pmu/front_end.h). Source: Intel 327357-001,
// 1.4.3.3; docs/pmu.md for the cases that it leaves open.
#ifndef KNC_PMU_COUNTER_H
#define KNC_PMU_COUNTER_H

#include <array>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/bits.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::pmu {

// What a counter counts, and how. The default selects no event.
struct selection {
    base::event event = base::event_count;  // base::event_count: no event
    bool supervisor = false;                // events at CPL 0
    bool user = false;                      // events at CPL 1-3
    bool all_threads = false;  // of all threads of the core; otherwise of the owner only
    std::uint8_t threshold =
        0;                // 0: add the events of each clock; n: add 1 in a clock of n or more
    bool invert = false;  // with a threshold: cycles with fewer than n events; otherwise ignored
    bool edge = false;    // count only cycles that follow one in which the condition was false
    bool holds_before = false;  // with `edge`: the condition was true when counting began

    bool operator==(const selection&) const;
    bool operator!=(const selection& other) const { return !(*this == other); }
    bool counts() const { return event != base::event_count && (supervisor || user); }
    void serialize(base::archive&);
};

// What a counter has added while it had one selection.
struct counted {
    selection what;
    std::uint64_t events;

    void serialize(base::archive&);
};

class counter {
  public:
    // `owner`: the thread to which the counter belongs. `width`: bits, below 64. `events` and
    // `bounds` must outlive the counter.
    counter(const base::ledger& events, const base::event_bounds& bounds, std::size_t owner,
            unsigned width);

    // Changes the selection; does nothing if it is unchanged. The counter first adds the events
    // that its old selection has not accounted yet. Returns true if they made it overflow.
    bool configure(const selection& s);

    bool counts_as(const selection& s) const { return s == selection_; }
    bool counting() const { return cell_count_ != 0; }
    // The counter needs the number of events in each single cycle.
    bool per_cycle() const { return counting() && (selection_.threshold != 0 || selection_.edge); }
    // The selected event has no thread context: it is an occurrence of the core. A duration of the
    // core counts for each thread.
    bool contextless() const;

    std::uint64_t value() const { return value_; }
    // A write never overflows. Bits above the width are dropped.
    void set_value(std::uint64_t v);

    // What the counter has added, by selection, in the order of their first use, whatever was
    // written to it meanwhile. No register shows it: software's sums can be compared with it.
    std::vector<counted> history() const;

    // The events of the present cycle so far included: its value, and whether it has exceeded its
    // width since the last advance(). Only if it is not per_cycle().
    std::uint64_t present() const { return (value_ + unaccounted()) & base::mask(width_); }
    bool exceeds() const { return unaccounted() >= distance(); }
    // The sum of it.
    std::uint64_t added() const;

    // Accounts the `clocks` cycles (at least 1) since the last call; the ledger must contain all
    // their events. If per_cycle(), these cycles must be alike. Returns true if the counter
    // exceeded its width (once, whatever the step).
    bool advance(base::cycle_t clocks);

    // The smallest number of cycles in which the counter can overflow; the overflow is then in the
    // last of them. base::never if it cannot overflow.
    base::cycle_t clocks_to_overflow() const;
    // The same for cycles that are all alike and in which only durations occur.
    base::cycle_t quiet_clocks_to_overflow() const;

    // Loads into a counter after reset.
    void serialize(base::archive&);

  private:
    std::uint64_t events() const;
    static void keep(std::vector<counted>&, const counted&);
    bool condition(std::uint64_t events_in_clock) const;
    std::uint64_t clocks_met(std::uint64_t events_in_clock, base::cycle_t clocks);
    bool add(std::uint64_t n);
    std::uint64_t unaccounted() const { return counting() ? events() - accounted_ : 0; }
    std::uint64_t distance() const { return (std::uint64_t{1} << width_) - value_; }

    const base::ledger* ledger_;
    const base::event_bounds* bounds_;
    std::size_t owner_;
    unsigned width_;
    selection selection_;
    std::array<const std::uint64_t*, 2 * base::threads_per_core> cells_{};
    std::size_t cell_count_ = 0;
    std::uint64_t bound_ = 0;  // upper bound of the cells' increase in one cycle
    std::uint64_t value_ = 0;
    std::uint64_t accounted_ = 0;   // sum of the cells up to which value_ is current
    bool met_before_ = false;       // the condition in the last accounted cycle
    std::uint64_t counted_ = 0;     // by the present selection since it was made
    std::vector<counted> history_;  // by selections before
};

}  // namespace knc::pmu

#endif

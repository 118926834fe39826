// One event counter.
//
// Models: which events count (event, privilege, own or all threads), how they count (number of
// events, or clocks by threshold, inversion and edge detection), width, wrap and overflow. The
// counter reads the ground truth: it adds the increase of a set of ledger cells. So an event costs
// its source one addition, however many counters select it. Leaves out: registers, enable bits,
// status and interrupts (knc/pmu/front_end.h). Source: Intel 327357-001, 1.4.3.3; docs/pmu.md for
// what it leaves open.
#ifndef KNC_PMU_COUNTER_H
#define KNC_PMU_COUNTER_H

#include <array>
#include <cstdint>

#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::pmu {

// What a counter counts and how. The default counts nothing.
struct selection {
    base::event event = base::event_count;  // base::event_count: no event
    bool supervisor = false;                // events at CPL 0
    bool user = false;                      // events at CPL 1-3
    bool all_threads = false;               // of every thread of the core; else of the owner only
    std::uint8_t threshold =
        0;                // 0: add the events of each clock; n: add 1 in a clock of n or more
    bool invert = false;  // with a threshold: of fewer than n; else ignored
    bool edge = false;    // add 1 only where the condition was false the clock before

    bool operator==(const selection&) const;
    bool operator!=(const selection& other) const { return !(*this == other); }
    bool counts() const { return event != base::event_count && (supervisor || user); }
};

class counter {
  public:
    // `owner`: thread the counter belongs to. `width`: bits, below 64. Ledger and bounds outlive
    // the counter.
    counter(const base::ledger& events, const base::event_bounds& bounds, std::size_t owner,
            unsigned width);

    // Changes what is counted; does nothing if the counter counts that already. The counter first
    // takes, as it was selected before, the events of the ledger that it has not accounted yet.
    // True: they made it overflow.
    bool configure(const selection& s);

    bool counts_as(const selection& s) const { return s == selection_; }
    bool counting() const { return cell_count_ != 0; }
    // Needs the number of events in each single clock.
    bool per_cycle() const { return counting() && (selection_.threshold != 0 || selection_.edge); }
    // What it counts has no thread context: an occurrence of the core. A clock of the core is each
    // thread's own.
    bool contextless() const;

    std::uint64_t value() const { return value_; }
    // Never an overflow. Bits above the width are dropped.
    void set_value(std::uint64_t v);

    // Accounts the `clocks` (at least 1) since the last call; all their events are in the ledger.
    // If per_cycle(), these clocks were alike. True: the counter passed its width (once, whatever
    // the step).
    bool advance(base::cycle_t clocks);

    // Clocks until the counter can overflow, at least 1 and at the earliest in the last of them;
    // base::never if it cannot.
    base::cycle_t clocks_to_overflow() const;
    // The same for clocks that are all alike and in which only duration events occur.
    base::cycle_t quiet_clocks_to_overflow() const;

  private:
    std::uint64_t events() const;
    bool condition(std::uint64_t events_in_clock) const;
    std::uint64_t clocks_met(std::uint64_t events_in_clock, base::cycle_t clocks);
    bool add(std::uint64_t n);
    std::uint64_t distance() const { return (std::uint64_t{1} << width_) - value_; }

    const base::ledger* ledger_;
    const base::event_bounds* bounds_;
    std::size_t owner_;
    unsigned width_;
    selection selection_;
    std::array<const std::uint64_t*, 2 * base::threads_per_core> cells_{};
    std::size_t cell_count_ = 0;
    std::uint64_t bound_ = 0;  // the most the cells can rise in one clock
    std::uint64_t value_ = 0;
    std::uint64_t accounted_ = 0;  // sum of the cells when the counter was last brought up to date
    bool met_before_ = false;      // the condition in the last accounted clock
};

}  // namespace knc::pmu

#endif

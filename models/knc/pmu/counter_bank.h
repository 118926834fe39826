// The event counters of one core.
//
// Models: any number of counters of any width up to 63 bits, each owned by a hardware thread; when
// they overflow; and until when nobody has to look. Leaves out: registers, enable bits, status and
// interrupts (the register front end: knc/pmu/front_end.h); how one counter counts
// (knc/pmu/counter.h). Source: docs/pmu.md, "How the counts come about".
//
// Time: `now` is a clock of the core and never decreases. settle() brings the bank up to date.
// Everything else acts at the clock last settled, before any event of that clock.
#ifndef KNC_PMU_COUNTER_BANK_H
#define KNC_PMU_COUNTER_BANK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/pmu/counter.h>
#include <knc/pmu/event_table.h>
#include <knc/pmu/ledger_audit.h>

namespace knc::pmu {

// What a counter is like.
struct counter_shape {
    std::uint8_t thread;  // whose it is
    std::uint8_t width;   // bits, 1-63
};

struct counter_overflow {
    std::size_t counter;
    // What it counts has no thread context.
    bool contextless;
};

// Is told what happens in a bank.
struct counter_listener {
    // These counters overflowed in the clock before `now`; at least one. May change the bank.
    virtual void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) = 0;
    // A source of events does what no source may: an error of the model, found by the audit.
    virtual void model_error(const std::string& text) = 0;

  protected:
    ~counter_listener() = default;
};

class counter_bank {
  public:
    // Ledger and listener outlive the bank. `bounds`: how often events can occur in one clock.
    // `audit`: check the ledger in each clock that is settled.
    counter_bank(base::ledger& events, const base::event_bounds& bounds,
                 const std::vector<counter_shape>&, counter_listener&, bool audit);
    counter_bank(const counter_bank&) = delete;
    counter_bank& operator=(const counter_bank&) = delete;

    // Accounts all clocks up to, not including, `now`; all their events are in the ledger. While
    // per_cycle(): called for each clock, or once for a stretch of clocks that were all alike (each
    // event's increase is then the same multiple of the stretch's length).
    void settle(base::cycle_t now);
    base::cycle_t settled() const { return settled_; }

    // If settle() is called at or before this clock, an overflow lies in the last clock it
    // accounts, whatever happens meanwhile. settled() + 1 while per_cycle(); base::never if nothing
    // can overflow.
    base::cycle_t deadline() const { return deadline_; }
    // The same if from settled() on all clocks are alike and only duration events occur (everything
    // stalled or halted), per-cycle counters included.
    base::cycle_t quiet_deadline() const { return quiet_deadline_; }
    // Some counter that counts has a threshold or detects edges.
    bool per_cycle() const { return per_cycle_; }
    bool audited() const { return audit_.has_value(); }

    std::size_t size() const { return counters_.size(); }
    // Counter `n` counts this from now on, from its present value. False: the events that it
    // counted until now made it overflow. The listener is not told: this is no end of a clock.
    bool select(std::size_t n, const selection&);
    std::uint64_t value(std::size_t n) const { return counters_[n].value(); }
    // Never an overflow. Bits above the counter's width are dropped.
    void set_value(std::size_t n, std::uint64_t value);
    // Overflows of counter `n` since reset.
    std::uint64_t overflows(std::size_t n) const { return overflows_[n]; }

    // `thread` is at another privilege from now on.
    void set_privilege(std::size_t thread, base::privilege p) { ledger_.at[thread] = p; }
    // The thread in the execution stage, or the one that left it last.
    std::size_t execution_stage() const { return ledger_.execution_stage; }

    // Every counter becomes 0 and counts nothing.
    void reset();

  private:
    void rearm();
    void plan();

    const base::event_bounds bounds_;
    base::ledger& ledger_;
    const std::vector<counter_shape> shapes_;
    counter_listener& listener_;
    std::optional<ledger_audit> audit_;
    std::vector<counter> counters_;
    std::vector<std::uint64_t> overflows_;
    std::vector<std::size_t> armed_;  // the counters that count, so that settle() visits no other
    std::vector<counter_overflow> overflowed_;  // of the clock under way; kept for its capacity
    bool per_cycle_ = false;
    base::cycle_t settled_ = 0;
    base::cycle_t deadline_ = base::never;
    base::cycle_t quiet_deadline_ = base::never;
};

}  // namespace knc::pmu

#endif

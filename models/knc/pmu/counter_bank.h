// The event counters of one core.
//
// Models: any number of counters of any width up to 63 bits, each owned by a hardware thread; their
// overflows; the deadline by which the bank must be settled. Leaves out: registers, enable bits,
// status and interrupts (the register front end: knc/pmu/front_end.h); how one counter counts
// (knc/pmu/counter.h). Source: docs/pmu.md, "How the counts come about".
//
// Time: `now` is a cycle of the core and never decreases. settle() brings the bank up to date.
// Every other call takes effect at the beginning of cycle settled(), before any event of it.
#ifndef KNC_PMU_COUNTER_BANK_H
#define KNC_PMU_COUNTER_BANK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/pmu/counter.h>
#include <knc/pmu/event_table.h>
#include <knc/pmu/ledger_audit.h>

namespace knc::pmu {

// The static properties of a counter.
struct counter_shape {
    std::uint8_t thread;  // the owner
    std::uint8_t width;   // in bits, 1-63
};

struct counter_overflow {
    std::size_t counter;
    // The counter's event has no thread context.
    bool contextless;
};

// Receives the overflows of a bank.
struct counter_listener {
    // These counters, at least one, overflowed in the cycle before `now`. The listener may change
    // the bank.
    virtual void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) = 0;
    // A watched bank has accounted the `clocks` cycles before `now`, which were all alike.
    virtual void passed([[maybe_unused]] base::cycle_t clocks, [[maybe_unused]] base::cycle_t now) {
    }
    // A source of events broke a rule that the audit checks: an error of the model.
    virtual void model_error(const std::string& text) = 0;

  protected:
    ~counter_listener() = default;
};

class counter_bank {
  public:
    // `events` and the listener must outlive the bank. `bounds`: the maximum of each event in one
    // cycle. `audit`: check the ledger in each settled cycle.
    counter_bank(base::ledger& events, const base::event_bounds& bounds,
                 const std::vector<counter_shape>&, counter_listener&, bool audit);
    counter_bank(const counter_bank&) = delete;
    counter_bank& operator=(const counter_bank&) = delete;

    // Accounts all cycles before `now`; the ledger must contain all their events. While
    // per_cycle(), it must be called for each cycle, or once for several cycles that are alike (the
    // increase of each event is then a multiple of their number).
    void settle(base::cycle_t now);
    base::cycle_t settled() const { return settled_; }
    // The cycles before `now` have no events and are not counted, not even by counters of cycles.
    void pass_over(base::cycle_t now);

    // If settle() is called at this cycle or before, any overflow lies in the last cycle that it
    // accounts, whatever happens meanwhile. settled() + 1 while per_cycle(); base::never if no
    // counter can overflow.
    base::cycle_t deadline() const { return deadline_; }
    // The same, including per-cycle counters, if from settled() on all cycles are alike and only
    // durations occur (all threads stalled or halted).
    base::cycle_t quiet_deadline() const { return quiet_deadline_; }
    // A counter may count in cycles in which no event but durations occurs.
    bool counts_when_quiet() const { return per_cycle_ || quiet_deadline_ != base::never; }
    // At least one enabled counter has a threshold, detects edges, or is watched.
    bool per_cycle() const { return per_cycle_; }
    // From now on, the listener learns of the cycles that an enabled counter has accounted, each
    // apart unless they are alike; or no more.
    void watch(bool on);
    bool audited() const { return audit_.has_value(); }

    std::size_t size() const { return counters_.size(); }
    std::size_t owner(std::size_t n) const { return shapes_[n].thread; }
    // Counter `n` counts this selection from now on, starting from its present value. Returns false
    // if the events counted until now made it overflow. The listener receives no call for that: the
    // cycle has not ended.
    bool select(std::size_t n, const selection&);
    std::uint64_t value(std::size_t n) const { return counters_[n].value(); }
    // With the events of the present cycle so far: counter::present(), counter::exceeds().
    std::uint64_t present(std::size_t n) const { return counters_[n].present(); }
    bool exceeds(std::size_t n) const { return counters_[n].exceeds(); }
    // The first cycle in which counter `n` may overflow, whatever happens meanwhile; base::never:
    // in none.
    base::cycle_t may_overflow(std::size_t n) const {
        const base::cycle_t clocks = counters_[n].clocks_to_overflow();
        return clocks == base::never ? clocks : settled_ + clocks - 1;
    }
    // A write never overflows. Bits above the counter's width are dropped.
    void set_value(std::size_t n, std::uint64_t value);
    // Overflows of counter `n` since reset.
    std::uint64_t overflows(std::size_t n) const { return overflows_[n]; }
    // What counter `n` has added since reset.
    std::uint64_t added(std::size_t n) const { return counters_[n].added(); }
    // counter::history() of counter `n` since reset.
    std::vector<counted> history(std::size_t n) const { return counters_[n].history(); }

    // The privilege of `thread` changes.
    void set_privilege(std::size_t thread, base::privilege p) { ledger_.at[thread] = p; }
    // The thread in the execution stage, or the last one that was there.
    std::size_t execution_stage() const { return ledger_.execution_stage; }

    // Clears all counters and selections.
    void reset();
    // Loads into a bank after reset; the ledger is loaded already.
    void serialize(base::archive&);

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
    std::vector<std::size_t> armed_;  // the enabled counters: settle() visits no others
    std::vector<counter_overflow>
        overflowed_;  // of the present cycle; a member to keep its capacity
    bool per_cycle_ = false;
    bool watched_ = false;
    base::cycle_t settled_ = 0;
    base::cycle_t deadline_ = base::never;
    base::cycle_t quiet_deadline_ = base::never;
};

}  // namespace knc::pmu

#endif

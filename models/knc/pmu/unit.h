// The performance monitoring unit of one Knights Corner core.
//
// Models: four banks (one per hardware thread) of two 40-bit counters with their MSRs, RDPMC,
// SPFLT, the time-stamp counter of the core, sticky overflow status, and the one-bit PMI line to
// each thread's local APIC. Events are read from the core's ledger. Leaves out: CPL and CR4 checks
// and instruction timing (the core), LVT and delivery (knc/apic). INIT does not touch a PMU:
// whoever handles it does nothing here; only reset() clears. Source: Intel 327357-001, 1.4;
// docs/pmu.md for what it leaves open.
//
// Time: `now` is a clock of the core and never decreases. The unit is brought up to date by
// settle(); register accesses, SPFLT, privilege changes and reset act at the clock last settled,
// before any event of that clock.
#ifndef KNC_PMU_UNIT_H
#define KNC_PMU_UNIT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/pmu/counter.h>
#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/ledger_audit.h>
#include <knc/pmu/parameters.h>

namespace knc::pmu {

// Takes the PMIs of the threads. It may read the unit but not change it.
struct pmi_listener {
    // The PMI line of `thread` rose: its local APIC sees an edge at clock `now`.
    virtual void pmi(std::size_t thread, base::cycle_t now) = 0;
    // A source of events does what no source may: an error of the model, found by the audit.
    virtual void model_error(const std::string& text) = 0;

  protected:
    ~pmi_listener() = default;
};

// One thread's registers, for reports and traces.
struct thread_state {
    std::array<std::uint64_t, counters_per_thread> counter;
    std::array<std::uint64_t, counters_per_thread> evtsel;
    std::uint64_t global_ctrl;
    std::uint64_t status;
    std::uint64_t spflt;
    std::array<std::uint64_t, counters_per_thread> overflows;  // since reset
    bool pmi_line;
};

class unit {
  public:
    // Ledger and listener outlive the unit. `bounds`: how often events can occur in one clock.
    unit(const parameters& p, base::ledger& events, pmi_listener& listener,
         const base::event_bounds& bounds = bounds_of_table());
    unit(const unit&) = delete;
    unit& operator=(const unit&) = delete;

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
    // The ledger is looked at in each clock that is settled (parameters::audit).
    bool audited() const { return audit_.has_value(); }
    // Some enabled counter has a counter mask or detects edges.
    bool per_cycle() const { return per_cycle_; }

    // RDMSR and WRMSR by `thread`. False: #GP(0), nothing changed (unknown MSR, wrong direction,
    // reserved bit).
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value) const;
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value);
    // Whether write() would take it: lets a core count a WRMSR before its effect.
    bool accepts(std::uint32_t msr, std::uint64_t value) const;
    // RDPMC by `thread`, `index` = ECX. False: #GP(0).
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value) const;
    // SPFLT by `thread`, with bit 0 of its operand.
    void spflt(std::size_t thread, bool enable);
    // The time-stamp counter: clocks since reset, moved by writes to it. Needs no settle().
    std::uint64_t tsc(base::cycle_t now) const { return now - epoch_; }

    // `thread` is at another privilege from now on.
    void set_privilege(std::size_t thread, base::privilege p) { ledger_.at[thread] = p; }

    // Cold or warm reset: every register, counter and line becomes 0. Not for INIT.
    void reset();

    bool pmi_line(std::size_t thread) const {
        return base::test(lines_, static_cast<unsigned>(thread));
    }
    thread_state state(std::size_t thread) const;

  private:
    struct bank {
        bank(const base::ledger& events, const base::event_bounds& bounds, std::size_t thread);
        std::array<counter, counters_per_thread> counters;
        std::array<std::uint64_t, counters_per_thread> evtsel{};
        std::array<std::uint64_t, counters_per_thread> overflows{};
        std::uint64_t spflt = 0;
        std::uint64_t global_ctrl = 0;
        std::uint64_t status = 0;
        bool level = false;  // some counter has its status and INT bits set
    };
    struct armed {
        bank* owner;
        std::size_t index;
    };
    using bank_set = std::uint32_t;  // one bit per thread

    bool enabled(const bank& b, std::size_t n) const;
    bool interrupts(const bank& b, std::size_t n) const;
    void overflow(bank& b, std::size_t n);
    void reconfigure(bank& b);
    void rearm();
    void plan();
    void drive_lines(bank_set contextless);

    const parameters parameters_;
    const base::event_bounds bounds_;
    base::ledger& ledger_;
    pmi_listener& listener_;
    std::optional<ledger_audit> audit_;
    std::array<bank, base::threads_per_core> banks_;
    std::array<armed, base::threads_per_core * counters_per_thread> armed_{};
    std::size_t armed_count_ = 0;
    bank_set lines_ = 0;
    bool per_cycle_ = false;
    base::cycle_t settled_ = 0;
    base::cycle_t deadline_ = base::never;
    base::cycle_t quiet_deadline_ = base::never;
    base::cycle_t epoch_ =
        0;  // the clock at which the time-stamp counter was, or would have been, 0
};

}  // namespace knc::pmu

#endif

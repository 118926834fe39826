// The register front end of architectural performance monitoring, versions 2 and 3.
//
// Models: for each of four hardware threads a bank of four general and three fixed counters of 48
// bits with its MSRs; RDPMC; the time-stamp counter of the core; sticky overflow status; a PMI for
// each overflow, or a one-bit line as on Knights Corner; the freeze of all counters at a PMI; which
// instructions have a PEBS record.
// Leaves out: counting (knc/pmu/counter_bank.h), the registers' bits (knc/pmu/perfmon_registers.h),
// CPL and CR4 checks and instruction timing (the core), LVT and delivery (knc/apic). INIT does not
// affect a PMU. Source: Intel SDM vol. 3, performance monitoring; docs/perfmon.md for the cases
// that it leaves open.
#ifndef KNC_PMU_PERFMON_FRONT_END_H
#define KNC_PMU_PERFMON_FRONT_END_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/event.h>
#include <knc/pmu/banked_front_end.h>
#include <knc/pmu/parameters.h>
#include <knc/pmu/pebs.h>
#include <knc/pmu/perfmon_registers.h>

namespace knc::pmu {

// A counter with PEBS that has overflowed. The instruction to record retires in cycle `since` or
// later; in a later one; or it is the first after which the counter no longer has the value
// `since`.
struct armed_counter {
    enum class wait : std::uint8_t { not_armed, from_cycle, after_cycle, for_event };
    wait what = wait::not_armed;
    std::uint64_t since = 0;

    void serialize(base::archive&);
};

// The registers of one thread.
struct perfmon_bank {
    std::array<std::uint64_t, perfmon::general_counters> evtsel{};
    std::uint64_t fixed_control = 0;
    std::uint64_t global_control = perfmon::general_bits;
    std::uint64_t status = 0;
    std::uint64_t debug_control = 0;
    std::uint64_t pmis = 0;  // since reset
    bool level = false;      // of the line, where there is one
    std::uint64_t debug_store = 0, pebs_enable = 0, pebs_config = 0;
    std::array<armed_counter, perfmon::counters> armed{};
    // Bit n, of counter n of the thread: its overflow in the present cycle has been noticed at the
    // end of an instruction; it belongs to the record that is due.
    std::uint8_t noticed = 0, due = 0;
    bool held = false;  // no record until release()
    pebs_counts pebs;

    void serialize(base::archive&);
};

class perfmon_front_end final
    : public banked_front_end<perfmon_front_end, perfmon_register, perfmon_bank>,
      private pebs_if {
  public:
    explicit perfmon_front_end(const parameters& p)
        : banked_front_end(p, base::threads_per_core, perfmon::counters, perfmon::width) {}

    using front_end_if::rdpmc;
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value, acceptance&) override;
    pebs_if* pebs() override { return this; }
    // Always 0 if each overflow has a PMI of its own.
    bool pmi_line(std::size_t thread) const override { return banks_[thread].level; }
    std::vector<shown_register> shown() const override;
    void show(std::size_t thread, std::uint64_t* values) const override;

    // General counters first, then the fixed ones.
    std::vector<std::string> counter_names() const override;
    thread_state state(std::size_t thread) const override;
    void serialize(base::archive&) override;

  private:
    friend struct perfmon_register_behaviour;
    using bank = perfmon_bank;

    // counter_listener
    void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) override;
    // banked_front_end
    const base::register_table<perfmon_register>& registers() const override {
        return perfmon_registers();
    }
    bool exists(const perfmon_register& r) const override { return r.exists(parameters_.perfmon); }
    std::uint64_t writable(const perfmon_register& r) const override {
        return r.bits(parameters_.perfmon);
    }
    void changes(std::size_t thread) override;
    void changed(std::size_t thread) override;

    // pebs_if
    base::cycle_t watch_from(std::size_t thread) const override;
    bool retired(std::size_t thread, base::cycle_t clock) override;
    pebs_request due(std::size_t thread) const override;
    void recorded(std::size_t thread, const std::array<std::uint64_t, perfmon::counters>& reset,
                  pebs_outcome) override;
    void hold(std::size_t thread) override;
    void release(std::size_t thread) override { banks_[thread].held = false; }
    bool steps_branches(std::size_t thread) const override {
        return base::test(banks_[thread].debug_control, perfmon::step_branches);
    }
    void stepped(std::size_t thread) override {
        banks_[thread].debug_control &= ~base::bit(perfmon::step_branches);
    }

    selection selected(const bank& b, std::size_t n) const;
    static bool has_pebs(const bank& b, std::size_t n);
    static bool is_adaptive(const bank& b, std::size_t n);
    bool of_one_instruction(const bank& b, std::size_t n) const;
    void set_armed(std::size_t thread, std::size_t n, base::cycle_t clock);
    bool overflow(std::size_t thread, std::size_t n, base::cycle_t clock);
    static bool interrupts(const bank& b, std::size_t n);
    void reconfigure(std::size_t thread);
    void interrupt(std::size_t thread, bool overflow);
};

}  // namespace knc::pmu

#endif

// The register front end of architectural performance monitoring, versions 2 and 3.
//
// Models: for each of four hardware threads a bank of four general and three fixed counters of 48
// bits with its MSRs; RDPMC; the time-stamp counter of the core; sticky overflow status; a PMI for
// each overflow, or a one-bit line as on Knights Corner; the freeze of all counters at a PMI.
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
#include <knc/pmu/front_end.h>
#include <knc/pmu/parameters.h>
#include <knc/pmu/perfmon_registers.h>

namespace knc::pmu {

class perfmon_front_end final : public card_front_end {
  public:
    explicit perfmon_front_end(const parameters& p) : parameters_(p) {}

    using front_end_if::rdpmc;
    using front_end_if::read;
    using front_end_if::write;
    std::vector<counter_shape> counters() const override;
    void connect(counter_bank&, pmi_listener_if&) override;
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value, acceptance&) override;
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value, acceptance&) override;
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value, acceptance&) override;
    std::uint64_t tsc(base::cycle_t now) const override { return now - epoch_; }
    // Always 0 if each overflow has a PMI of its own.
    bool pmi_line(std::size_t thread) const override { return banks_[thread].level; }
    void reset() override;
    std::vector<shown_register> shown() const override;
    void show(std::size_t thread, std::uint64_t* values) const override;

    // General counters first, then the fixed ones.
    std::vector<std::string> counter_names() const override;
    thread_state state(std::size_t thread) const override;
    std::uint64_t overflows(std::size_t thread, std::size_t n) const override {
        return counters_->overflows(counter(thread, n));
    }
    std::vector<counted> history(std::size_t thread, std::size_t n) const override {
        return counters_->history(counter(thread, n));
    }
    void serialize(base::archive&) override;

  private:
    friend struct perfmon_register_behaviour;
    struct bank {
        std::array<std::uint64_t, perfmon::general_counters> evtsel{};
        std::uint64_t fixed_control = 0;
        std::uint64_t global_control = perfmon::general_bits;
        std::uint64_t status = 0;
        std::uint64_t debug_control = 0;
        std::uint64_t pmis = 0;  // since reset
        bool level = false;      // of the line, where there is one

        void serialize(base::archive&);
    };

    // counter_listener
    void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) override;
    void model_error(const std::string& text) override { listener_->model_error(text); }

    static std::size_t counter(std::size_t thread, std::size_t n) {
        return thread * perfmon::counters + n;
    }
    perfmon_register::place find(std::uint32_t msr) const;
    static selection selected(const bank& b, std::size_t n);
    static bool interrupts(const bank& b, std::size_t n);
    void reconfigure(std::size_t thread);
    void interrupt(std::size_t thread, bool overflow);

    const parameters parameters_;
    counter_bank* counters_ = nullptr;
    pmi_listener_if* listener_ = nullptr;
    std::array<bank, base::threads_per_core> banks_;
    // The cycle in which the time-stamp counter is 0; it may lie before the start.
    base::cycle_t epoch_ = 0;
};

}  // namespace knc::pmu

#endif

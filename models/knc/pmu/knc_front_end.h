// The register front end of the Knights Corner core PMU.
//
// Models: for each of four hardware threads a bank of two 40-bit counters with its MSRs; RDPMC;
// SPFLT; the time-stamp counter of the core; sticky overflow status; the one-bit PMI line to each
// thread's local APIC. Leaves out: counting (knc/pmu/counter_bank.h), CPL and CR4 checks and
// instruction timing (the core), LVT and delivery (knc/apic). INIT does not affect a PMU. Source:
// Intel 327357-001, 1.4; docs/pmu.md for the cases that it leaves open.
#ifndef KNC_PMU_KNC_FRONT_END_H
#define KNC_PMU_KNC_FRONT_END_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/event.h>
#include <knc/pmu/front_end.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/parameters.h>

namespace knc::pmu {

class knc_front_end final : public card_front_end {
  public:
    explicit knc_front_end(const parameters& p) : parameters_(p) {}

    using front_end_if::rdpmc;
    using front_end_if::read;
    using front_end_if::write;
    std::vector<counter_shape> counters() const override;
    void connect(counter_bank&, pmi_listener_if&) override;
    bool read(std::size_t thread, std::uint32_t msr, std::uint64_t& value, acceptance&) override;
    bool write(std::size_t thread, std::uint32_t msr, std::uint64_t value, acceptance&) override;
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value, acceptance&) override;
    std::uint64_t tsc(base::cycle_t now) const override { return now - epoch_; }
    void spflt(std::size_t thread, bool enable) override;
    bool pmi_line(std::size_t thread) const override {
        return base::test(lines_, static_cast<unsigned>(thread));
    }
    void reset() override;
    std::vector<shown_register> shown() const override;
    void show(std::size_t thread, std::uint64_t* values) const override;

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
    friend struct knc_register_behaviour;
    struct bank {
        std::array<std::uint64_t, counters_per_thread> evtsel{};
        std::uint64_t spflt = 0;
        std::uint64_t global_ctrl = 0;
        std::uint64_t status = 0;
        bool level = false;  // a counter has both its status and INT bits set

        void serialize(base::archive&);
    };
    using bank_set = std::uint32_t;  // one bit per thread

    // counter_listener
    void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) override;
    void model_error(const std::string& text) override { listener_->model_error(text); }

    static std::size_t counter(std::size_t thread, std::size_t n) {
        return thread * counters_per_thread + n;
    }
    static bool enabled(const bank& b, std::size_t n);
    static bool interrupts(const bank& b, std::size_t n);
    void reconfigure(std::size_t thread);
    void drive_lines(bank_set contextless);

    const parameters parameters_;
    counter_bank* counters_ = nullptr;
    pmi_listener_if* listener_ = nullptr;
    std::array<bank, base::threads_per_core> banks_;
    bank_set lines_ = 0;
    // The cycle in which the time-stamp counter is 0; it may lie before the start.
    base::cycle_t epoch_ = 0;
};

}  // namespace knc::pmu

#endif

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
#include <knc/pmu/banked_front_end.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/parameters.h>

namespace knc::pmu {

// The registers of one thread.
struct knc_bank {
    std::array<std::uint64_t, counters_per_thread> evtsel{};
    std::uint64_t spflt = 0;
    std::uint64_t global_ctrl = 0;
    std::uint64_t status = 0;
    bool level = false;  // a counter has both its status and INT bits set

    void serialize(base::archive&);
};

class knc_front_end final : public banked_front_end<knc_front_end, knc_register, knc_bank> {
  public:
    explicit knc_front_end(const parameters& p)
        : banked_front_end(p, base::threads_per_core, counters_per_thread, counter_width) {}

    using front_end_if::rdpmc;
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value, acceptance&) override;
    void spflt(std::size_t thread, bool enable) override;
    bool pmi_line(std::size_t thread) const override {
        return base::test(lines_, static_cast<unsigned>(thread));
    }
    void reset() override;
    std::vector<shown_register> shown() const override;
    void show(std::size_t thread, std::uint64_t* values) const override;

    std::vector<std::string> counter_names() const override;
    thread_state state(std::size_t thread) const override;
    void serialize(base::archive&) override;

  private:
    friend struct knc_register_behaviour;
    using bank = knc_bank;
    using bank_set = std::uint32_t;  // one bit per thread

    // counter_listener
    void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) override;
    // banked_front_end
    const base::register_table<knc_register>& registers() const override { return knc_registers(); }
    void changed(std::size_t thread) override;

    static bool enabled(const bank& b, std::size_t n);
    static bool interrupts(const bank& b, std::size_t n);
    void drive_lines(bank_set contextless);

    bank_set lines_ = 0;
};

}  // namespace knc::pmu

#endif

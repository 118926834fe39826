// The register front end of a Pentium with MMX: CESR, two counters, the time-stamp counter.
//
// Models: one thread with two 40-bit counters; the event of each, which clocks of the privilege
// levels and whether occurrences or clocks are counted; RDPMC; the pins PM0 and PM1; the time-stamp
// counter, which may stop in HLT. There is no overflow status and no PMI. Leaves out: counting
// (knc/pmu/counter_bank.h), CPL and CR4 checks and instruction timing (the core). INIT does not
// affect a PMU. Source: Intel SDM vol. 3, performance monitoring of Pentium processors; Intel's MMX
// developer's guide, chapter 6; docs/p55c.md for what they leave open.
#ifndef KNC_PMU_P55C_FRONT_END_H
#define KNC_PMU_P55C_FRONT_END_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/pmu/banked_front_end.h>
#include <knc/pmu/p55c_pins.h>
#include <knc/pmu/p55c_registers.h>

namespace knc::pmu {

struct p55c_bank {
    std::uint64_t control = 0;  // CESR

    void serialize(base::archive&);
};

class p55c_front_end final : public banked_front_end<p55c_front_end, p55c_register, p55c_bank> {
  public:
    explicit p55c_front_end(const parameters& p);

    using front_end_if::rdpmc;
    bool rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value, acceptance&) override;
    std::uint64_t tsc(base::cycle_t now) const override;
    void sleeps(bool on, base::cycle_t now) override;
    bool pmi_line(std::size_t) const override { return false; }
    std::size_t threads() const override { return 1; }
    void reset() override;
    std::vector<shown_register> shown() const override;
    void show(std::size_t thread, std::uint64_t* values) const override;

    std::size_t pins() const override { return p55c::counters; }
    void observe_pins() override;
    bool pin(std::size_t n, base::cycle_t at) const override { return pins_.level(n, at); }
    base::cycle_t next_pin_change(std::size_t n, base::cycle_t at) const override {
        return pins_.next_change(n, at);
    }

    std::vector<std::string> counter_names() const override { return {"ctr0", "ctr1"}; }
    thread_state state(std::size_t thread) const override;
    void serialize(base::archive&) override;

  private:
    friend struct p55c_register_behaviour;
    using bank = p55c_bank;

    const base::register_table<p55c_register>& registers() const override {
        return p55c_registers();
    }
    void changed(std::size_t thread) override;

    // counter_listener
    void overflowed(const std::vector<counter_overflow>&, base::cycle_t now) override;
    void passed(base::cycle_t clocks, base::cycle_t now) override;

    std::uint64_t field(std::size_t n) const;
    bool shows_overflows(std::size_t n) const;
    static bool shows_overflows(std::uint64_t control, std::size_t n);
    selection selected(std::size_t n) const;
    void watch_counters();
    void show_overflow(std::size_t n, base::cycle_t at);
    void show_increments(std::size_t n, base::cycle_t from, base::cycle_t to);
    void raise_pin(std::size_t n, base::cycle_t from, base::cycle_t to);

    p55c_pins pins_;
    bool observed_ = false;                              // somebody looks at the pins
    std::array<std::uint64_t, p55c::counters> added_{};  // by a counter, as the pins show it
    std::uint64_t control_ = 0;                          // CESR, before a write that takes effect
    bool asleep_ = false;
    base::cycle_t asleep_since_ = 0;
};

}  // namespace knc::pmu

#endif

// Another register layout over the same counters, in the module: what a front end may rely on.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <knc/pmu/front_end.h>

#include "pmu_fixture.h"

namespace {

using namespace pmu_test;

// In the manner of a Pentium: a control register at 0x11 with two fields of 16 bits (5:0 event
// code, 6: count at CPL 0, 7: count above), counters of 40 bits at 0x12 and 0x13, one thread. Codes
// are its own. An overflow of counter N pulses the PMI of thread N and stops both counters.
class two_counters final : public pmu::front_end_if {
  public:
    using front_end_if::rdpmc;
    using front_end_if::read;
    using front_end_if::write;
    std::vector<pmu::counter_shape> counters() const override { return {{0, 40}, {0, 40}}; }
    void connect(pmu::counter_bank& c, pmu::pmi_listener_if& l) override {
        counters_ = &c;
        listener_ = &l;
    }
    bool read(std::size_t, std::uint32_t msr, std::uint64_t& value, pmu::acceptance& a) override {
        if (msr < 0x11 || msr > 0x13) return false;
        a.accepted();
        value = msr == 0x11 ? control_ : counters_->value(msr - 0x12);
        return true;
    }
    bool write(std::size_t, std::uint32_t msr, std::uint64_t value, pmu::acceptance& a) override {
        if (msr < 0x11 || msr > 0x13) return false;
        a.accepted();
        if (msr == 0x11)
            control(value);
        else
            counters_->set_value(msr - 0x12, value);
        return true;
    }
    bool rdpmc(std::size_t, std::uint32_t index, std::uint64_t& value,
               pmu::acceptance& a) override {
        if (index > 1) return false;
        a.accepted();
        value = counters_->value(index);
        return true;
    }
    std::uint64_t tsc(cycle_t now) const override { return now; }
    bool pmi_line(std::size_t) const override { return false; }
    void reset() override {
        counters_->reset();
        control_ = 0;
    }
    std::vector<shown_register> shown() const override { return {{"control", 32}}; }
    void show(std::size_t, std::uint64_t* values) const override { *values = control_; }

  private:
    void overflowed(const std::vector<pmu::counter_overflow>& which, cycle_t now) override {
        for (const pmu::counter_overflow& o : which) listener_->overflowed(o.counter, now);
        control(0);
    }
    void model_error(const std::string& text) override { listener_->model_error(text); }
    void control(std::uint64_t value) {
        control_ = value;
        constexpr base::event codes[] = {base::event_count, base::instructions_executed,
                                         base::branches};
        for (unsigned n = 0; n < 2; ++n) {
            const std::uint64_t field = value >> 16 * n;
            pmu::selection s;
            s.event = codes[field & 3];
            s.supervisor = base::test(field, 6);
            s.user = base::test(field, 7);
            counters_->select(n, s);
        }
    }
    pmu::counter_bank* counters_ = nullptr;
    pmu::pmi_listener_if* listener_ = nullptr;
    std::uint64_t control_ = 0;
};

TEST(other_front_end, its_registers_count_and_its_overflows_have_its_effect) {
    two_counters registers;
    pmu::pmu pmu("pmu", registers, false, base::clock(1'000'000'000));
    processor cpu("cpu");
    cpu.msr.bind(pmu.msr);
    cpu.events.bind(pmu.events);
    for (std::size_t t = 0; t < 4; ++t) pmu.pmi_lines[t].bind(cpu.lines[t]);
    cpu.script = [&] {
        std::uint64_t value = 0;
        // Knights Corner's registers are not there.
        EXPECT_EQ(cpu.access(tlm::TLM_READ_COMMAND, msr::ctrl, value),
                  tlm::TLM_COMMAND_ERROR_RESPONSE);
        // Counter 0: instructions at CPL 0; counter 1: branches at any, 3 from its wrap.
        cpu.write(0x13, top - 2);
        cpu.write(0x11, 0x00c2'0041);
        for (unsigned n = 0; n < 5; ++n) {
            cpu.until(10 * (n + 1));
            cpu.events->set_privilege(0, n < 2 ? base::supervisor : base::user);
            cpu.events->raise(0, base::instructions_executed);
            cpu.events->raise(0, base::branches);
        }
        cpu.until(100);
        // Branches of 10, 20 and 30 ns; the third overflows and stops both.
        EXPECT_EQ(cpu.read(0x12), 2u);
        EXPECT_EQ(cpu.read(0x13), 0u);
        EXPECT_EQ(cpu.read(0x11), 0u);
        EXPECT_TRUE(registers.rdpmc(0, 0, value));
        EXPECT_EQ(value, 2u);
    };
    sc_core::sc_start(ns(200));
    // A pulse of half a clock on the line of the counter's number, when the clock has ended.
    EXPECT_EQ(cpu.changes, (changes{{1, true, ns(31)}, {1, false, ns(31.5)}}));
    const base::signal_list shown = pmu.signals("p");
    ASSERT_EQ(shown.size(), 4u);
    EXPECT_EQ(shown[0].name, "p.t0.control");
}

}  // namespace

// Overflow status, the PMI line and its edges, and the service order the guide prescribes.
#include <gtest/gtest.h>

#include "fixture.h"

namespace {

using namespace pmu_test;
using base::instructions_executed;
using base::snp_hit_l2;

TEST(overflow, status_is_set_without_int_but_no_pmi) {
    bench b;
    b.arm(instructions | os, top);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::status), 1u);
    EXPECT_FALSE(b.registers.pmi_line(0));
    EXPECT_TRUE(b.record.seen.empty());
}

TEST(overflow, pmi_comes_with_the_clock_after_the_event) {
    bench b;
    b.tick(7);
    b.arm(instructions | os | intr, top - 1, 2, 1);
    b.raise(2, instructions_executed);  // clock 7
    EXPECT_TRUE(b.record.seen.empty());
    b.raise(2, instructions_executed);  // clock 8 ends at 9
    EXPECT_EQ(b.record.seen, (pmis{{2, 9}}));
    EXPECT_TRUE(b.registers.pmi_line(2));
    EXPECT_EQ(b.read(msr::status, 2), 2u);
    for (std::size_t t : {0, 1, 3}) {
        EXPECT_FALSE(b.registers.pmi_line(t));
        EXPECT_EQ(b.read(msr::status, t), 0u);
    }
}

// An instruction raises VPU_ELEMENTS_ACTIVE by 16: what is beyond the top stays in the counter.
TEST(overflow, one_step_past_the_top) {
    bench b;
    b.arm(vpu_elements | os | intr, top - 5);
    b.raise(0, base::vpu_elements_active, 16);
    EXPECT_EQ(b.read(msr::cntr0), 10u);  // 6 to 0
    EXPECT_EQ(b.read(msr::status), 1u);
    b.raise(0, base::vpu_elements_active, 16);
    EXPECT_EQ(b.read(msr::cntr0), 26u);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
}

TEST(overflow, status_is_sticky) {
    bench b;
    b.arm(instructions | os, top);
    b.raise(0, instructions_executed);
    b.write(msr::ctrl, 0);
    b.write(msr::evtsel0, 0);
    b.write(msr::cntr0, 0);
    b.tick(1000);
    EXPECT_EQ(b.read(msr::status), 1u);
}

TEST(overflow, ovf_control_clears_the_bits_written_as_1) {
    bench b;
    b.arm(instructions | os, top, 0, 0);
    b.arm(instructions | os, top, 0, 1);
    b.raise(0, instructions_executed);
    ASSERT_EQ(b.read(msr::status), 3u);
    b.write(msr::ovf, 0);
    EXPECT_EQ(b.read(msr::status), 3u);
    b.write(msr::ovf, 2);
    EXPECT_EQ(b.read(msr::status), 1u);
    b.write(msr::ovf, 3);
    EXPECT_EQ(b.read(msr::status), 0u);
    // OVF_CONTROL holds nothing: a new overflow is not suppressed.
    b.write(msr::cntr0, top);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::status), 1u);
}

TEST(overflow, ovf_control_acts_on_its_own_thread) {
    bench b;
    b.arm(instructions | os, top, 0);
    b.raise(0, instructions_executed);
    b.write(msr::ovf, 3, 1);
    EXPECT_EQ(b.read(msr::status, 0), 1u);
}

TEST(overflow, simultaneous_overflows_make_one_edge) {
    bench b;
    b.arm(instructions | os | intr, top, 0, 0);
    b.arm(instructions | os | intr, top, 0, 1);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::status), 3u);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
    b.write(msr::ovf, 1);
    EXPECT_TRUE(b.registers.pmi_line(0));  // counter 1 still holds it
    b.write(msr::ovf, 2);
    EXPECT_FALSE(b.registers.pmi_line(0));
}

TEST(overflow, no_new_edge_while_a_status_bit_stands) {
    bench b;
    b.arm(instructions | os | intr, top, 0, 0);
    b.arm(instructions | os | intr, top - 1, 0, 1);
    b.raise(0, instructions_executed);  // counter 0
    b.raise(0, instructions_executed);  // counter 1
    b.write(msr::cntr0, top);
    b.raise(0, instructions_executed);  // counter 0 again
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
    EXPECT_EQ(b.registers.state(0).overflows[0], 2u);
    b.write(msr::ovf, 3);
    b.write(msr::cntr0, top);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}, {0, 4}}));
}

TEST(overflow, the_line_follows_status_and_int) {
    bench b;
    b.arm(instructions | os, top);
    b.raise(0, instructions_executed);
    EXPECT_TRUE(b.record.seen.empty());
    b.write(msr::evtsel0, instructions | os | intr | en);  // the status bit is there already
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
    b.write(msr::evtsel0, instructions | os | en);
    EXPECT_FALSE(b.registers.pmi_line(0));
    b.write(msr::evtsel0, intr);  // neither counting nor enabled
    EXPECT_TRUE(b.registers.pmi_line(0));
    EXPECT_EQ(b.record.seen.size(), 2u);
}

TEST(overflow, several_threads_in_one_clock) {
    bench b;
    for (std::size_t t = 0; t < 4; ++t) b.arm(instructions | os | intr | any, top - t % 2, t);
    b.raise(3, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}, {2, 1}}));
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}, {2, 1}, {1, 2}, {3, 2}}));
}

TEST(overflow, another_threads_event_interrupts_the_counters_owner) {
    bench b;
    b.arm(instructions | os | intr | any, top, 1);
    b.ledger.execution_stage = 3;
    b.raise(3, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{1, 1}}));
}

TEST(overflow, without_context_goes_to_the_thread_in_the_execution_stage) {
    bench b;
    b.arm(snoop_hit_l2 | os | intr, top, 1);
    b.ledger.execution_stage = 3;
    b.ledger.raise_core(snp_hit_l2);
    b.tick();
    EXPECT_EQ(b.record.seen, (pmis{{3, 1}}));
    EXPECT_EQ(b.read(msr::status, 1), 1u);  // in the counter's own bank
    EXPECT_EQ(b.read(msr::status, 3), 0u);
    EXPECT_FALSE(b.registers.pmi_line(1));  // the edge went elsewhere
    EXPECT_FALSE(b.registers.pmi_line(3));  // as a pulse: nothing of thread 3's own holds it
    // The owner's level stands: neither kind of event makes another edge.
    b.arm(instructions | os | intr, top, 1, 1);
    b.write(msr::cntr0, top, 1);
    b.ledger.raise_core(snp_hit_l2);
    b.raise(1, instructions_executed);
    EXPECT_EQ(b.read(msr::status, 1), 3u);
    EXPECT_EQ(b.record.seen.size(), 1u);
    b.write(msr::ovf, 3, 1);
    b.write(msr::cntr1, top, 1);
    b.raise(1, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{3, 1}, {1, 3}}));
    EXPECT_TRUE(b.registers.pmi_line(1));
}

TEST(overflow, without_context_to_the_owner_when_in_the_execution_stage) {
    bench b;
    b.arm(snoop_hit_l2 | os | intr, top, 1);
    b.ledger.execution_stage = 1;
    b.ledger.raise_core(snp_hit_l2);
    b.tick();
    EXPECT_EQ(b.record.seen, (pmis{{1, 1}}));
    EXPECT_TRUE(b.registers.pmi_line(1));
}

TEST(overflow, without_context_to_the_owner_by_configuration) {
    pmu::parameters p;
    p.contextless_pmi = pmu::contextless_pmi::owner;
    bench b(p);
    b.arm(snoop_hit_l2 | os | intr, top, 1);
    b.ledger.execution_stage = 3;
    b.ledger.raise_core(snp_hit_l2);
    b.tick();
    EXPECT_EQ(b.record.seen, (pmis{{1, 1}}));
    EXPECT_TRUE(b.registers.pmi_line(1));
}

// Clocks are counted alike by all threads, and are each thread's own.
TEST(overflow, of_clocks_goes_to_the_owner) {
    bench b;
    for (std::size_t t = 0; t < 4; ++t) b.arm(unhalted | os | intr, top - t, t);
    b.ledger.execution_stage = 2;
    for (unsigned clock = 0; clock < 6; ++clock) {
        b.ledger.raise_core(base::cpu_clk_unhalted);
        b.tick();
    }
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
    for (std::size_t t = 0; t < 4; ++t) {
        EXPECT_EQ(b.read(msr::status, t), 1u);
        EXPECT_TRUE(b.registers.pmi_line(t));
    }
}

TEST(overflow, without_context_in_all_banks_makes_one_edge_in_the_execution_stage) {
    bench b;
    for (std::size_t t = 0; t < 4; ++t) b.arm(snoop_hit_l2 | os | intr, top, t);
    b.ledger.execution_stage = 2;
    b.ledger.raise_core(snp_hit_l2);
    b.tick();
    EXPECT_EQ(b.record.seen, (pmis{{2, 1}}));  // one wire, one edge
    for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(b.read(msr::status, t), 1u);
    EXPECT_TRUE(b.registers.pmi_line(2));  // its own bank holds it
}

TEST(overflow, a_pulse_on_a_standing_line_is_no_edge) {
    bench b;
    b.arm(instructions | os | intr, top, 3);
    b.raise(3, instructions_executed);
    b.arm(snoop_hit_l2 | os | intr, top, 1);
    b.ledger.execution_stage = 3;
    b.ledger.raise_core(snp_hit_l2);
    b.tick();
    EXPECT_EQ(b.record.seen, (pmis{{3, 1}}));
    EXPECT_EQ(b.read(msr::status, 1), 1u);
}

TEST(overflow, with_and_without_context_in_one_clock_goes_to_the_owner) {
    bench b;
    b.arm(snoop_hit_l2 | os | intr, top, 1, 0);
    b.arm(instructions | os | intr, top, 1, 1);
    b.ledger.execution_stage = 3;
    b.ledger.raise_core(snp_hit_l2);
    b.raise(1, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{1, 1}}));
}

TEST(overflow, only_counters_with_int_decide_where_the_edge_goes) {
    bench b;
    b.arm(snoop_hit_l2 | os | intr, top, 1, 0);
    b.arm(instructions | os, top, 1, 1);
    b.ledger.execution_stage = 3;
    b.ledger.raise_core(snp_hit_l2);
    b.raise(1, instructions_executed);
    EXPECT_EQ(b.read(msr::status, 1), 3u);
    EXPECT_EQ(b.record.seen, (pmis{{3, 1}}));
}

// The performance-counter LVT entry of a local APIC, as far as a PMI needs it: an edge is delivered
// unless masked, and masks the entry.
struct lvt : pmu::pmi_listener_if {
    void model_error(const std::string& text) override { ADD_FAILURE() << text; }
    void overflowed(std::size_t, cycle_t) override {
        if (masked) return;
        masked = pending = true;
    }
    bool masked = false;
    bool pending = false;
};

struct service_bench {
    base::ledger ledger;
    lvt entry;
    pmu::knc_front_end registers{pmu::parameters{}};
    pmu::counter_bank counters{ledger, pmu::bounds_of_table(), registers.counters(), registers,
                               false};
    unsigned handled[2] = {0, 0};

    explicit service_bench(std::uint64_t period0, std::uint64_t period1)
        : period{period0, period1} {
        registers.connect(counters, entry);
        for (unsigned n = 0; n < 2; ++n) {
            registers.write(0, msr::cntr0 + n, top + 1 - period[n]);
            registers.write(0, msr::evtsel0 + n, instructions | os | intr | en);
        }
        registers.write(0, msr::ctrl, 3);
    }
    // One instruction of the interrupted program or of the handler.
    void instruction() {
        ledger.raise(0, instructions_executed);
        counters.settle(counters.settled() + 1);
    }
    // The guide's seven steps, one instruction between each; step 2 may be left out.
    void service(bool stop_counters) {
        entry.pending = false;
        instruction();
        if (stop_counters) registers.write(0, msr::ctrl, 0);
        instruction();
        std::uint64_t status = 0;
        registers.read(0, msr::status, status);
        instruction();
        registers.write(0, msr::ovf, status);
        instruction();
        entry.masked = false;
        instruction();
        for (unsigned n = 0; n < 2; ++n) {
            if ((status >> n & 1) == 0) continue;
            ++handled[n];
            registers.write(0, msr::cntr0 + n, top + 1 - period[n]);
        }
        registers.write(0, msr::ctrl, 3);
    }
    std::uint64_t period[2];
};

TEST(overflow, every_overflow_is_accounted_for_in_the_prescribed_order) {
    // Periods that meet: counter 1 overflows with counter 0, one instruction after it, and in
    // between.
    for (auto [p0, p1] :
         {std::pair{10, 10}, std::pair{10, 11}, std::pair{7, 3}, std::pair{5, 13}}) {
        service_bench b(p0, p1);
        for (unsigned i = 0; i < 1000; ++i) {
            b.instruction();
            if (b.entry.pending) b.service(true);
        }
        const pmu::thread_state s = b.registers.state(0);
        EXPECT_EQ(b.handled[0], s.overflows[0]) << p0 << " " << p1;
        EXPECT_EQ(b.handled[1], s.overflows[1]) << p0 << " " << p1;
        EXPECT_GT(b.handled[0], 50u);
        EXPECT_GT(b.handled[1], 50u);
    }
}

TEST(overflow, a_driver_that_does_not_stop_the_counters_gets_stuck) {
    // Counter 1 overflows 3 instructions after counter 0: after the handler has read the status and
    // before it clears it. The line stays 1 and no further PMI comes.
    service_bench b(10, 13);
    for (unsigned i = 0; i < 1000; ++i) {
        b.instruction();
        if (b.entry.pending) b.service(false);
    }
    EXPECT_EQ(b.handled[0], 1u);
    EXPECT_EQ(b.handled[1], 0u);
    EXPECT_TRUE(b.registers.pmi_line(0));
    EXPECT_FALSE(b.entry.masked);
    std::uint64_t status = 0;
    b.registers.read(0, msr::status, status);
    EXPECT_NE(status, 0u);
}

}  // namespace

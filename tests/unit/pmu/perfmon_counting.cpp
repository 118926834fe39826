// What the counters of architectural performance monitoring count, their overflows and PMIs.
#include <gtest/gtest.h>

#include <knc/pmu/perfmon_events.h>

#include "perfmon_fixture.h"

namespace pmu_test {
namespace {

namespace m = perfmon_msr;

TEST(perfmon_events, codes) {
    struct row {
        std::uint64_t code;
        base::event cell;
    };
    const row rows[] = {{core_cycles, base::unhalted_core_cycles},
                        {retired, base::instructions_executed},
                        {reference, base::unhalted_reference_cycles},
                        {llc_reference, base::llc_references},
                        {llc_miss, base::llc_misses},
                        {branch, base::branches},
                        {branch_miss, base::branch_misses_retired}};
    const auto find = [](std::uint64_t code, bool l3 = false) {
        return pmu::find_perfmon_event(static_cast<std::uint8_t>(code),
                                       static_cast<std::uint8_t>(code >> 8), l3);
    };
    unsigned bit = 0;
    for (const row& r : rows) {
        EXPECT_EQ(find(r.code), r.cell);
        EXPECT_EQ(pmu::perfmon_events()[bit].cpuid_bit, bit);
        ++bit;
    }
    // INSTRUCTIONS_EXECUTED and a pair without event.
    EXPECT_EQ(find(0x0016), base::event_count);
    EXPECT_EQ(find(0x0300), base::event_count);
    // Events of the model, of which two need an L3.
    const row loads[] = {{0x01D1, base::loads_l1_hit},  {0x02D1, base::loads_l2_hit},
                         {0x04D1, base::loads_l3_hit},  {0x08D1, base::loads_l1_miss},
                         {0x10D1, base::loads_l2_miss}, {0x20D1, base::loads_l3_miss},
                         {0x40D1, base::loads_fb_hit}};
    for (const row& r : loads) {
        const bool needs_l3 = r.cell == base::loads_l3_hit || r.cell == base::loads_l3_miss;
        EXPECT_EQ(find(r.code, true), r.cell);
        EXPECT_EQ(find(r.code), needs_l3 ? base::event_count : r.cell);
        EXPECT_EQ(pmu::perfmon_events()[bit++].cpuid_bit, pmu::no_bit);
    }
    EXPECT_EQ(pmu::perfmon_events().size(), bit);
    EXPECT_EQ(find(0x03D1, true), base::event_count);
    EXPECT_EQ(pmu::perfmon_name(base::instructions_executed), "INSTRUCTIONS_RETIRED");
    EXPECT_EQ(pmu::perfmon_name(base::data_read), "");
}

// Cards do not have them.
TEST(perfmon_events, are_not_in_the_table_of_the_cards) {
    for (const pmu::perfmon_event& e : pmu::perfmon_events()) {
        EXPECT_EQ(pmu::find_event(e.name), base::event_count);
        if (e.cell < base::event_count) continue;
        EXPECT_EQ(pmu::info(e.cell).scope, pmu::event_scope::thread);
        EXPECT_GE(pmu::bounds_of_table()[e.cell], 1u);
    }
}

TEST(perfmon_counting, each_general_counter_counts_each_event) {
    for (unsigned n = 0; n < 4; ++n) {
        for (const pmu::perfmon_event& e : pmu::perfmon_events()) {
            perfmon_bench b;
            b.arm(e.select | e.umask << 8 | os, 10, n);
            b.raise(0, e.cell);
            b.raise(0, e.cell);
            b.raise(1, e.cell);  // another thread
            EXPECT_EQ(b.read(m::pmc + n), 12u) << e.name;
        }
    }
}

TEST(perfmon_counting, fixed_counters) {
    perfmon_bench b;
    for (unsigned n = 0; n < 3; ++n) b.arm_fixed(n, 3);
    b.raise(0, base::instructions_executed, 2);
    b.raise(0, base::unhalted_core_cycles);
    b.raise(0, base::unhalted_reference_cycles);
    EXPECT_EQ(b.read(m::fixed + 0), 2u);
    EXPECT_EQ(b.read(m::fixed + 1), 1u);
    // The time-stamp counter's clock: that of the core, whatever perfmon.ref_divider is.
    EXPECT_EQ(b.read(m::fixed + 2), 1u);
}

TEST(perfmon_counting, both_enables) {
    perfmon_bench b;
    const auto counts = [&] {
        const std::uint64_t before = b.read(m::pmc);
        b.raise(0, base::instructions_executed);
        return b.read(m::pmc) != before;
    };
    b.arm(retired | os);
    EXPECT_TRUE(counts());  // GLOBAL_CTRL is 0xF after reset
    b.write(m::ctrl, 0xE);
    EXPECT_FALSE(counts());
    b.write(m::ctrl, 1);
    EXPECT_TRUE(counts());
    b.write(m::evtsel, retired | os);
    EXPECT_FALSE(counts());
    b.write(m::evtsel, retired | en);  // no privilege level
    EXPECT_FALSE(counts());
    // A fixed one is off after reset.
    b.write(m::fixed_ctrl, 3);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::fixed), 0u);
    b.write(m::ctrl, fixed(0));
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::fixed), 1u);
    b.write(m::fixed_ctrl, 0);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::fixed), 1u);
}

TEST(perfmon_counting, privilege) {
    perfmon_bench b;
    b.arm(retired | os, 0, 0);
    b.arm(retired | usr, 0, 1);
    b.arm_fixed(0, 2);
    b.raise(0, base::instructions_executed);
    b.counters.set_privilege(0, base::user);
    b.raise(0, base::instructions_executed, 2);
    EXPECT_EQ(b.read(m::pmc), 1u);
    EXPECT_EQ(b.read(m::pmc + 1), 2u);
    EXPECT_EQ(b.read(m::fixed), 2u);
}

TEST(perfmon_counting, any_thread) {
    perfmon_bench b;
    b.arm(retired | os | any);
    b.arm_fixed(0, 5);
    for (std::size_t t = 0; t < 4; ++t) b.raise(t, base::instructions_executed);
    EXPECT_EQ(b.read(m::pmc), 4u);
    EXPECT_EQ(b.read(m::fixed), 4u);
}

TEST(perfmon_counting, counter_mask_inversion_and_edge) {
    perfmon_bench b;
    b.arm(retired | os | cmask(2), 0, 0);
    b.arm(retired | os | cmask(2) | inv, 0, 1);
    b.arm(retired | os | cmask(1) | edge, 0, 2);
    for (const std::uint64_t n : {2, 1, 0, 2, 2}) {
        b.ledger.raise(0, base::instructions_executed, n);
        b.tick();
    }
    EXPECT_EQ(b.read(m::pmc), 3u);      // clocks of two
    EXPECT_EQ(b.read(m::pmc + 1), 2u);  // of fewer
    EXPECT_EQ(b.read(m::pmc + 2), 2u);  // after none: the first clock and the fourth
}

// Reference cycles need not be the same in cycles that are alike otherwise, so a counter of single
// cycles must see each of them.
TEST(perfmon_counting, reference_cycles_are_looked_at_one_by_one) {
    pmu::parameters p = perfmon_parameters();
    p.audit = false;
    perfmon_bench b(p);
    b.arm(reference | os | cmask(1));
    EXPECT_EQ(b.counters.quiet_deadline(), b.counters.settled() + 1);
    b.write(m::evtsel, core_cycles | os | cmask(1) | en);
    EXPECT_EQ(b.counters.quiet_deadline(), b.counters.settled() + top48 + 1);
}

TEST(perfmon_overflow, status_of_each_counter) {
    for (unsigned n = 0; n < 7; ++n) {
        perfmon_bench b;
        const std::uint64_t bit = n < 4 ? general(n) : fixed(n - 4);
        if (n < 4)
            b.arm(retired | os, top48 - 1, n);
        else
            b.arm_fixed(n - 4, 1, top48 - 1);
        const base::event e = n < 5 ? base::instructions_executed : base::unhalted_core_cycles;
        b.raise(0, e);
        EXPECT_EQ(b.read(m::status), 0u);
        b.raise(0, e);
        EXPECT_EQ(b.read(m::status), bit);
        EXPECT_TRUE(b.record.seen.empty());  // neither INT nor PMI
        // Sticky, until its own bit is written.
        EXPECT_TRUE(b.write(m::ovf, ~bit & (0x7'0000'000F | std::uint64_t{3} << 62)));
        EXPECT_EQ(b.read(m::status), bit);
        EXPECT_TRUE(b.write(m::ovf, bit));
        EXPECT_EQ(b.read(m::status), 0u);
        EXPECT_EQ(b.registers.overflows(0, n), 1u);
    }
}

TEST(perfmon_overflow, each_sends_a_pmi) {
    perfmon_bench b;
    b.arm(retired | os | intr, top48, 1, 2);
    b.raise(2, base::instructions_executed);  // cycle 0, visible in 1
    b.write(m::a_pmc + 1, top48, 2);
    b.raise(2, base::instructions_executed);  // the status bit is still 1
    EXPECT_EQ(b.record.seen, (pmis{{2, 1}, {2, 2}}));
    EXPECT_FALSE(b.registers.pmi_line(2));
    // By another thread's event: the owner's.
    b.write(m::evtsel + 1, retired | os | intr | any | en, 2);
    b.write(m::a_pmc + 1, top48, 2);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.record.seen.back(), (pmi_record::entry{2, 3}));
}

TEST(perfmon_overflow, several_in_one_clock_are_one_pmi) {
    perfmon_bench b;
    b.arm(retired | os | intr, top48, 0);
    b.arm(retired | os | intr, top48, 3);
    b.arm_fixed(0, 9, top48);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::status), general(0) | general(3) | fixed(0));
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
}

TEST(perfmon_overflow, line) {
    pmu::parameters p = perfmon_parameters();
    p.perfmon.pmi = pmu::perfmon_pmi::line;
    perfmon_bench b(p);
    b.arm(retired | os | intr, top48);
    b.raise(0, base::instructions_executed);
    EXPECT_TRUE(b.registers.pmi_line(0));
    b.write(m::a_pmc, top48);
    b.raise(0, base::instructions_executed);  // the line is 1: no edge
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
    b.write(m::ovf, 1);
    EXPECT_FALSE(b.registers.pmi_line(0));
    b.write(m::a_pmc, top48);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}, {0, 3}}));
    // Clearing and setting INT while the status bit is 1.
    b.write(m::evtsel, retired | os | en);
    EXPECT_FALSE(b.registers.pmi_line(0));
    b.write(m::evtsel, retired | os | intr | en);
    EXPECT_EQ(b.record.seen.size(), 3u);
}

TEST(perfmon_overflow, freeze) {
    perfmon_bench b;
    b.write(m::debugctl, 0x1000);
    b.arm(retired | os, top48, 1);  // without INT: no PMI, no freeze
    b.arm(retired | os | intr, top48 - 1, 0);
    b.arm_fixed(0, 1);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::ctrl), 0xFu | fixed(0));
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::ctrl), 0u);
    b.raise(0, base::instructions_executed, 2);
    EXPECT_EQ(b.read(m::pmc), 0u);
    EXPECT_EQ(b.read(m::pmc + 1), 1u);
    EXPECT_EQ(b.read(m::fixed), 2u);
    EXPECT_EQ(b.record.seen, (pmis{{0, 2}}));
    // Software starts them again.
    b.write(m::ctrl, 1);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(m::pmc), 1u);
    // Another thread's counters have not stopped.
    EXPECT_EQ(b.read(m::ctrl, 1), 0xFu);
}

TEST(perfmon_overflow, a_write_of_a_counter_never_does) {
    perfmon_bench b;
    b.arm(retired | os | intr, top48);
    b.write(m::pmc, 0);
    b.write(m::a_pmc, top48);
    b.write(m::a_pmc, 0);
    b.tick();
    EXPECT_EQ(b.read(m::status), 0u);
    EXPECT_TRUE(b.record.seen.empty());
}

TEST(perfmon_reports, state_and_signals) {
    perfmon_bench b;
    b.arm(branch | os | intr, top48, 2, 1);
    b.arm_fixed(1, 1, 7, 1);
    b.raise(1, base::branches);
    const pmu::thread_state s = b.registers.state(1);
    EXPECT_EQ(s.counter, (std::vector<std::uint64_t>{0, 0, 0, 0, 0, 7, 0}));
    EXPECT_EQ(s.overflows, (std::vector<std::uint64_t>{0, 0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(s.evtsel[2], branch | os | intr | en);
    EXPECT_EQ(s.fixed_control, 0x10u);
    EXPECT_EQ(s.status, 4u);
    EXPECT_EQ(s.global_ctrl, 0xFu | fixed(1));
    ASSERT_EQ(b.registers.history(1, 2).size(), 1u);
    EXPECT_EQ(b.registers.history(1, 2)[0].what.event, base::branches);
    EXPECT_EQ(b.registers.history(1, 2)[0].events, 1u);
    const auto shown = b.registers.shown();
    std::vector<std::uint64_t> values(shown.size());
    b.registers.show(1, values.data());
    const auto value = [&](const std::string& name) {
        for (std::size_t n = 0; n < shown.size(); ++n)
            if (shown[n].name == name) return values[n];
        ADD_FAILURE() << name;
        return std::uint64_t{0};
    };
    EXPECT_EQ(value("pmc2"), 0u);
    EXPECT_EQ(value("fixed1"), 7u);
    EXPECT_EQ(value("evtsel2"), s.evtsel[2]);
    EXPECT_EQ(value("fixed_ctrl"), 0x10u);
    EXPECT_EQ(value("status"), 4u);
    EXPECT_EQ(value("global_ctrl"), s.global_ctrl);
    EXPECT_EQ(value("pmis"), 1u);
}

}  // namespace
}  // namespace pmu_test

// Which events a counter counts: enables, privilege, threads, SPFLT, scope; and how it wraps.
#include <gtest/gtest.h>

#include "fixture.h"

namespace {

using namespace pmu_test;
using base::instructions_executed;

TEST(counting, needs_both_enables) {
    for (unsigned n : {0u, 1u}) {
        for (unsigned enables = 0; enables < 4; ++enables) {
            bench b;
            b.write(msr::evtsel0 + n, instructions | os | ((enables & 1) != 0 ? en : 0));
            // The other counter's bit enables nothing here.
            b.write(msr::ctrl, (enables & 2) != 0 ? base::bit(n) : base::bit(1 - n));
            b.raise(0, instructions_executed);
            EXPECT_EQ(b.read(msr::cntr0 + n), enables == 3 ? 1u : 0u) << n << enables;
            EXPECT_EQ(b.read(msr::cntr0 + 1 - n), 0u);
        }
    }
}

TEST(counting, privilege_filter) {
    // 3 events at CPL 0 and 5 above it.
    const std::pair<std::uint64_t, std::uint64_t> expected[] = {
        {0, 0}, {usr, 5}, {os, 3}, {usr | os, 8}};
    for (auto [bits, count] : expected) {
        bench b;
        b.arm(instructions | bits);
        b.raise(0, instructions_executed, 2);
        b.counters.set_privilege(0, base::user);
        b.raise(0, instructions_executed, 2);
        b.raise(0, instructions_executed, 3);
        b.counters.set_privilege(0, base::supervisor);
        b.raise(0, instructions_executed, 1);
        EXPECT_EQ(b.read(msr::cntr0), count) << bits;
    }
}

TEST(counting, any_thread) {
    bench b;
    b.arm(instructions | os, 0, 1, 0);
    b.arm(instructions | os | any, 0, 1, 1);
    b.ledger.raise(0, instructions_executed, 1);
    b.ledger.raise(1, instructions_executed, 2);
    b.ledger.raise(2, instructions_executed, 4);
    b.ledger.raise(3, instructions_executed, 8);
    b.tick();
    EXPECT_EQ(b.read(msr::cntr0, 1), 2u);   // its own
    EXPECT_EQ(b.read(msr::cntr1, 1), 15u);  // all
}

TEST(counting, any_thread_filters_by_the_privilege_of_each_thread) {
    bench b;
    b.arm(instructions | usr | any);
    b.counters.set_privilege(2, base::user);
    b.ledger.raise(0, instructions_executed, 1);
    b.ledger.raise(2, instructions_executed, 4);
    b.tick();
    EXPECT_EQ(b.read(msr::cntr0), 4u);
}

TEST(counting, events_without_thread_context_count_once_in_every_bank) {
    for (std::uint64_t mode : {std::uint64_t{0}, any}) {
        bench b;
        for (std::size_t t = 0; t < 4; ++t) b.arm(snoop_hit_l2 | os | mode, 0, t);
        b.ledger.raise_core(base::snp_hit_l2, 3);
        b.tick();
        for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(b.read(msr::cntr0, t), 3u) << t;
    }
}

TEST(counting, events_without_thread_context_are_filtered_by_the_owners_privilege) {
    bench b;
    for (std::size_t t = 0; t < 4; ++t) b.arm(snoop_hit_l2 | usr | any, 0, t);
    b.counters.set_privilege(2, base::user);
    b.ledger.raise_core(base::snp_hit_l2, 3);
    b.tick();
    for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(b.read(msr::cntr0, t), t == 2 ? 3u : 0u) << t;
}

TEST(counting, two_counters_may_count_the_same_event) {
    bench b;
    b.arm(instructions | os, 0, 0, 0);
    b.arm(instructions | os, 100, 0, 1);
    b.raise(0, instructions_executed, 2);
    EXPECT_EQ(b.read(msr::cntr0), 2u);
    EXPECT_EQ(b.read(msr::cntr1), 102u);
}

TEST(counting, events_before_the_enabling_write_do_not_count) {
    bench b;
    b.ledger.raise(0, instructions_executed, 50);
    b.tick(30);
    b.arm(instructions | os);
    EXPECT_EQ(b.read(msr::cntr0), 0u);
    b.raise(0, instructions_executed, 2);
    b.write(msr::ctrl, 0);
    b.raise(0, instructions_executed, 2);
    EXPECT_EQ(b.read(msr::cntr0), 2u);
    b.write(msr::ctrl, 1);
    b.raise(0, instructions_executed, 1);
    EXPECT_EQ(b.read(msr::cntr0), 3u);
}

// A source that raises before it writes in the same clock: the disabling write is counted, the
// enabling one is not.
TEST(counting, events_already_raised_count_as_selected_before_the_write) {
    bench b;
    b.ledger.raise(0, instructions_executed);
    b.arm(instructions | os);
    b.tick();
    EXPECT_EQ(b.read(msr::cntr0), 0u);
    b.ledger.raise(0, instructions_executed);
    b.write(msr::ctrl, 0);
    EXPECT_EQ(b.read(msr::cntr0), 1u);
    b.tick();
    EXPECT_EQ(b.read(msr::cntr0), 1u);
}

TEST(counting, an_unknown_event_detaches) {
    bench b(unaudited());
    b.arm(instructions | os);
    b.raise(0, instructions_executed, 2);
    b.write(msr::evtsel0, 0x00FE | os | en);  // 0xFE exists with unit mask 0x10 only
    b.raise(0, instructions_executed, 2);
    EXPECT_EQ(b.read(msr::cntr0), 2u);
    EXPECT_EQ(b.counters.deadline(), base::never);
    b.write(msr::evtsel0, instructions | os | en);
    b.raise(0, instructions_executed, 2);
    EXPECT_EQ(b.read(msr::cntr0), 4u);
}

TEST(counting, the_event_may_be_changed_while_counting) {
    bench b;
    b.arm(instructions | os);
    b.ledger.raise(0, base::branches, 7);
    b.raise(0, instructions_executed, 2);
    b.write(msr::evtsel0, 0x0012 | os | en);  // BRANCHES: the 7 before are not caught up
    b.ledger.raise(0, instructions_executed, 2);
    b.raise(0, base::branches, 1);
    EXPECT_EQ(b.read(msr::cntr0), 3u);
}

TEST(counting, spflt_gates_only_counters_under_its_control) {
    for (std::uint64_t controlled = 0; controlled < 4; ++controlled) {
        for (bool preference : {false, true}) {
            bench b;
            b.arm(instructions | os, 0, 0, 0);
            b.arm(instructions | os, 0, 0, 1);
            b.write(msr::spflt, controlled);
            b.registers.spflt(0, preference);
            EXPECT_EQ(b.read(msr::spflt), controlled | (preference ? base::bit(63) : 0));
            b.raise(0, instructions_executed);
            EXPECT_EQ(b.read(msr::cntr0), preference || (controlled & 1) == 0 ? 1u : 0u);
            EXPECT_EQ(b.read(msr::cntr1), preference || (controlled & 2) == 0 ? 1u : 0u);
        }
    }
}

TEST(counting, spflt_acts_on_its_own_thread) {
    bench b;
    for (std::size_t t : {0, 1}) {
        b.arm(instructions | os, 0, t);
        b.write(msr::spflt, 1, t);
    }
    b.registers.spflt(1, true);
    b.ledger.raise(0, instructions_executed);
    b.raise(1, instructions_executed);
    EXPECT_EQ(b.read(msr::cntr0, 0), 0u);
    EXPECT_EQ(b.read(msr::cntr0, 1), 1u);
}

TEST(counting, user_pref_may_be_set_by_wrmsr_as_well) {
    bench b;
    b.arm(instructions | os);
    b.write(msr::spflt, base::bit(63) | 1);
    b.raise(0, instructions_executed);
    b.write(msr::spflt, 1);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::cntr0), 1u);
}

TEST(counting, wraps_at_40_bits_with_remainder) {
    bench b;
    b.arm(vpu_elements | os, top - 2);  // 3 below 2^40
    b.raise(0, base::vpu_elements_active, 16);
    EXPECT_EQ(b.read(msr::cntr0), 13u);
    EXPECT_EQ(b.read(msr::status), 1u);
    EXPECT_EQ(b.registers.state(0).overflows[0], 1u);
}

TEST(counting, does_not_overflow_below_2_to_the_40) {
    bench b;
    b.arm(vpu_elements | os, top - 16);
    b.raise(0, base::vpu_elements_active, 16);
    EXPECT_EQ(b.read(msr::cntr0), top);
    EXPECT_EQ(b.read(msr::status), 0u);
    b.raise(0, base::vpu_elements_active, 1);
    EXPECT_EQ(b.read(msr::cntr0), 0u);
    EXPECT_EQ(b.read(msr::status), 1u);
}

TEST(counting, a_counter_write_never_overflows) {
    bench b;
    b.arm(instructions | os | intr, top);
    b.write(msr::cntr0, 0);
    b.write(msr::cntr0, top);
    b.tick();
    EXPECT_EQ(b.read(msr::status), 0u);
    EXPECT_TRUE(b.record.seen.empty());
    EXPECT_EQ(b.read(msr::cntr0), top);
}

TEST(counting, a_counter_written_while_counting_goes_on_from_there) {
    bench b;
    b.arm(instructions | os);
    b.raise(0, instructions_executed, 2);
    b.write(msr::cntr0, 1000);
    b.raise(0, instructions_executed, 2);
    EXPECT_EQ(b.read(msr::cntr0), 1002u);
}

// Events raised before the write in its clock are overwritten with the old value; a clock that is
// judged as a whole is judged with them.
TEST(counting, events_already_raised_are_before_a_counter_write) {
    bench b;
    b.arm(instructions | os, 0, 0, 0);
    b.arm(instructions | os | cmask(2), 0, 0, 1);
    b.ledger.raise(0, instructions_executed, 2);
    b.write(msr::cntr0, 100);
    b.write(msr::cntr1, 100);
    b.tick();
    EXPECT_EQ(b.read(msr::cntr0), 100u);
    EXPECT_EQ(b.read(msr::cntr1), 101u);
}

TEST(counting, deadline_is_the_last_safe_clock) {
    bench b(unaudited());
    b.tick(10);
    EXPECT_EQ(b.counters.deadline(), base::never);
    b.arm(instructions | os, top - 99);  // 100 to go, at most 2 a clock
    EXPECT_EQ(b.counters.deadline(), 60u);
    EXPECT_EQ(b.counters.quiet_deadline(), base::never);  // no instruction in a quiet stretch
    b.write(msr::evtsel0, instructions | os | any | en);  // at most 8 a clock: 12.5 clocks
    EXPECT_EQ(b.counters.deadline(), 23u);
    b.arm(unhalted | os, top - 29, 0, 1);  // 30 to go, 1 a clock
    EXPECT_EQ(b.counters.deadline(), 23u);
    EXPECT_EQ(b.counters.quiet_deadline(), 40u);
    b.write(msr::ctrl, 0);
    EXPECT_EQ(b.counters.deadline(), base::never);
    EXPECT_EQ(b.counters.quiet_deadline(), base::never);
}

}  // namespace

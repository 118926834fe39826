// Counting clocks instead of events: counter mask, inversion, edge detection.
#include <vector>

#include <gtest/gtest.h>

#include "fixture.h"

namespace {

using namespace pmu_test;
using base::instructions_executed;

// Counter 0 over clocks with these numbers of instructions.
std::uint64_t count(std::uint64_t select, const std::vector<std::uint64_t>& clocks) {
    bench b;
    b.arm(instructions | select);
    for (std::uint64_t n : clocks) b.raise(0, instructions_executed, n);
    return b.read(msr::cntr0);
}

const std::vector<std::uint64_t> stream{0, 1, 2, 2, 0,
                                        0, 1, 0, 2, 1};  // 9 instructions in 10 clocks

TEST(per_cycle, counter_mask) {
    EXPECT_EQ(count(os, stream), 9u);
    EXPECT_EQ(count(os | cmask(1), stream), 6u);
    EXPECT_EQ(count(os | cmask(2), stream), 3u);
    EXPECT_EQ(count(os | cmask(3), stream), 0u);
    EXPECT_EQ(count(os | cmask(255), stream), 0u);
}

TEST(per_cycle, inversion) {
    EXPECT_EQ(count(os | inv | cmask(1), stream), 4u);
    EXPECT_EQ(count(os | inv | cmask(2), stream), 7u);
    EXPECT_EQ(count(os | inv | cmask(3), stream), 10u);
    EXPECT_EQ(count(os | inv | cmask(255), stream), 10u);
    EXPECT_EQ(count(os | inv, stream), 9u);  // ignored without a counter mask
}

TEST(per_cycle, edge) {
    EXPECT_EQ(count(os | edge, stream), 3u);                   // 1 2 2 | 1 | 2 1
    EXPECT_EQ(count(os | edge | inv, stream), 3u);             // inversion ignored
    EXPECT_EQ(count(os | edge | cmask(1), stream), 3u);        // the same condition
    EXPECT_EQ(count(os | edge | cmask(2), stream), 2u);        // 2 2 | 2
    EXPECT_EQ(count(os | edge | inv | cmask(1), stream), 3u);  // 0 | 0 0 | 0
    EXPECT_EQ(count(os | edge | inv | cmask(2), stream), 3u);  // 0 1 | 0 0 1 0 | 1
    EXPECT_EQ(count(os | edge | inv | cmask(3), stream), 1u);  // never false
}

TEST(per_cycle, no_privilege_selected_never_counts) {
    EXPECT_EQ(count(inv | cmask(1), stream), 0u);
    EXPECT_EQ(count(edge, stream), 0u);
}

TEST(per_cycle, counter_mask_sees_all_threads_of_a_clock) {
    bench b;
    b.arm(microcode | os | cmask(3) | any, 0, 0, 0);
    b.arm(microcode | os | cmask(1), 0, 0, 1);
    for (std::size_t t : {1, 2}) b.ledger.raise(t, base::microcode_cycles);
    b.tick();  // 2 events in this clock, none of thread 0
    for (std::size_t t : {0, 1, 3}) b.ledger.raise(t, base::microcode_cycles);
    b.tick();  // 3 events
    EXPECT_EQ(b.read(msr::cntr0), 1u);
    EXPECT_EQ(b.read(msr::cntr1), 1u);
}

TEST(per_cycle, inversion_counts_only_at_a_selected_privilege_of_the_owner) {
    bench b;
    b.arm(instructions | usr | inv | cmask(1), 0, 0, 0);
    b.arm(instructions | os | inv | cmask(1), 0, 0, 1);
    b.tick(5);
    b.counters.set_privilege(0, base::user);
    b.tick(3);
    // Another thread's privilege does not matter.
    b.counters.set_privilege(1, base::user);
    b.tick(1);
    b.counters.set_privilege(0, base::supervisor);
    b.tick(2);
    EXPECT_EQ(b.read(msr::cntr0), 4u);
    EXPECT_EQ(b.read(msr::cntr1), 7u);
}

TEST(per_cycle, inverted_counter_advances_through_a_stall) {
    bench b;
    b.arm(instructions | os | inv | cmask(1), top - 299);  // 300 to go
    EXPECT_TRUE(b.counters.per_cycle());
    EXPECT_EQ(b.counters.deadline(), 1u);
    EXPECT_EQ(b.counters.quiet_deadline(), 300u);
    b.tick(299);
    EXPECT_EQ(b.read(msr::cntr0), top);
    EXPECT_EQ(b.read(msr::status), 0u);
    EXPECT_EQ(b.counters.quiet_deadline(), 300u);
    b.tick();
    EXPECT_EQ(b.read(msr::cntr0), 0u);
    EXPECT_EQ(b.read(msr::status), 1u);
}

TEST(per_cycle, a_stretch_of_alike_cycles) {
    bench b;
    b.arm(unhalted | os | cmask(1), 0, 0, 0);
    b.arm(unhalted | os | edge, 0, 0, 1);
    b.tick(10);  // halted
    b.ledger.raise_core(base::cpu_clk_unhalted, 500);
    b.tick(500);
    b.ledger.raise_core(base::cpu_clk_unhalted, 20);
    b.tick(20);
    b.tick(5);
    b.ledger.raise_core(base::cpu_clk_unhalted, 1);
    b.tick(1);
    EXPECT_EQ(b.read(msr::cntr0), 521u);
    EXPECT_EQ(b.read(msr::cntr1), 2u);  // awake twice
}

TEST(per_cycle, edge_starts_from_false_when_counting_starts) {
    bench b;
    b.arm(instructions | os | edge);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::cntr0), 1u);
    b.write(msr::ctrl, 0);
    b.raise(0, instructions_executed);
    b.write(msr::ctrl, 1);
    b.raise(0, instructions_executed);  // asserted in the clock before, but not to this counter
    EXPECT_EQ(b.read(msr::cntr0), 2u);
    b.write(msr::evtsel0, instructions | os | edge | cmask(1) | en);  // another condition
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::cntr0), 3u);
}

TEST(per_cycle, edge_survives_writes_that_do_not_change_the_condition) {
    bench b;
    b.arm(instructions | os | edge);
    b.raise(0, instructions_executed);
    b.write(msr::evtsel0, instructions | os | edge | intr | en);
    b.raise(0, instructions_executed);
    b.write(msr::cntr0, 10);
    b.raise(0, instructions_executed);
    b.write(msr::cntr1, 10);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.read(msr::cntr0), 10u);  // still the assertion counted before the write
}

TEST(per_cycle, mode_shows_only_while_such_a_counter_counts) {
    bench b;
    EXPECT_FALSE(b.counters.per_cycle());
    b.arm(instructions | os);
    EXPECT_FALSE(b.counters.per_cycle());
    b.arm(instructions | os | edge, 0, 3, 1);
    EXPECT_TRUE(b.counters.per_cycle());
    b.write(msr::spflt, 2, 3);  // under SPFLT control and not preferred
    EXPECT_FALSE(b.counters.per_cycle());
    b.registers.spflt(3, true);
    EXPECT_TRUE(b.counters.per_cycle());
    b.write(msr::evtsel1, 0x00FF | os | edge | en, 3);  // no such event
    EXPECT_FALSE(b.counters.per_cycle());
    b.write(msr::evtsel1, instructions | os | cmask(1) | en, 3);
    EXPECT_TRUE(b.counters.per_cycle());
    EXPECT_EQ(b.counters.deadline(), b.counters.settled() + 1);
    b.write(msr::ctrl, 0, 3);
    EXPECT_FALSE(b.counters.per_cycle());
}

TEST(per_cycle, overflow_at_the_edge_that_reaches_2_to_the_40) {
    bench b;
    b.arm(instructions | os | edge | intr, top);
    b.raise(0, instructions_executed);
    EXPECT_EQ(b.record.seen, (pmis{{0, 1}}));
    b.write(msr::ovf, 1);
    b.write(msr::cntr0, top);
    b.raise(0, instructions_executed);  // still asserted
    EXPECT_EQ(b.read(msr::status), 0u);
}

}  // namespace

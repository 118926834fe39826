// What threads do with their cycles, and what is counted for it.
#include <knc/core/cycle_accounting.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

class cycle_accounting_test : public testing::Test {
  protected:
    cycle_accounting_test() { accounting.reset(); }
    std::uint64_t count(unsigned t, base::event e) const { return ledger.total(t, e); }

    base::ledger ledger;
    timeline time;
    picker picking;
    cycle_accounting accounting{ledger, time, picking};
};

// Issue in cycle 10: cycles 11-13 hold the stage (EXEC_STAGE_CYCLES and FE_STALLED), 14-15 only
// wait (FE_STALLED).
TEST_F(cycle_accounting_test, counts_execution_and_then_waiting) {
    time.move_to(10);
    accounting.occupy(1, 3, 2);
    EXPECT_EQ(picking.ready(1), base::never);  // it delays only, and there is no earlier cycle
    EXPECT_EQ(accounting.next_change(), 14u);
    accounting.settle(12);
    EXPECT_EQ(count(1, base::exec_stage_cycles), 1u);
    accounting.settle(20);
    EXPECT_EQ(count(1, base::exec_stage_cycles), 3u);
    EXPECT_EQ(count(1, base::fe_stalled), 5u);
    EXPECT_EQ(count(1, base::microcode_cycles), 0u);
    EXPECT_EQ(accounting.doing(1), occupancy::idle);
    EXPECT_EQ(count(0, base::fe_stalled), 0u);
}

// Thread 0 is awake in cycles 10-29, at CPL 0 up to 19; thread 1 in 15-20, the cycle of its HLT
// included, and from 25 on.
TEST_F(cycle_accounting_test, counts_the_cycles_of_each_thread) {
    accounting.count_each_thread(4);
    time.move_to(10);
    accounting.wake(0);
    time.move_to(15);
    accounting.wake(1);
    time.move_to(20);
    accounting.count_at(0, base::user);
    accounting.halt(1, 21);
    // In the same cycle, but its own cycle 20 is not counted yet.
    EXPECT_EQ(count(0, base::unhalted_core_cycles), 10u);
    time.move_to(25);
    accounting.wake(1);
    time.move_to(30);
    accounting.settle(30);
    EXPECT_EQ(count(0, base::unhalted_core_cycles), 20u);
    EXPECT_EQ(ledger.counts[0][base::supervisor][base::unhalted_core_cycles], 10u);
    EXPECT_EQ(ledger.counts[0][base::user][base::unhalted_core_cycles], 10u);
    EXPECT_EQ(count(1, base::unhalted_core_cycles), 6u + 5u);
    EXPECT_EQ(count(2, base::unhalted_core_cycles), 0u);
    // Ticks in cycles 12, 16, 20, 24 and 28; those of thread 1 in 16, 20 and 28.
    EXPECT_EQ(count(0, base::unhalted_reference_cycles), 5u);
    EXPECT_EQ(ledger.counts[0][base::user][base::unhalted_reference_cycles], 3u);
    EXPECT_EQ(count(1, base::unhalted_reference_cycles), 3u);
    // The core's event is that of any of them.
    EXPECT_EQ(count(3, base::cpu_clk_unhalted), 20u);
}

// A thread that is woken in the cycle of its HLT has that cycle once.
TEST_F(cycle_accounting_test, a_cycle_of_a_halt_counts_once) {
    accounting.count_each_thread(1);
    time.move_to(10);
    accounting.wake(0);
    time.move_to(12);
    accounting.halt(0, 13);
    accounting.wake(0);
    time.move_to(15);
    accounting.settle(15);
    EXPECT_EQ(count(0, base::unhalted_core_cycles), 5u);
    EXPECT_EQ(count(0, base::unhalted_reference_cycles), 5u);
}

// Neither is counted where nobody asks for them.
TEST_F(cycle_accounting_test, counts_the_cycles_of_threads_on_demand) {
    time.move_to(10);
    accounting.wake(0);
    accounting.settle(20);
    EXPECT_EQ(count(0, base::unhalted_core_cycles), 0u);
    EXPECT_EQ(count(0, base::cpu_clk_unhalted), 10u);
}

// The same issue: executing in cycles 11-13, waiting in 14 and 15.
TEST_F(cycle_accounting_test, says_what_a_thread_does_in_a_cycle) {
    time.move_to(10);
    accounting.occupy(1, 3, 2);
    time.move_to(13);
    EXPECT_EQ(accounting.doing(1), occupancy::executing);
    time.move_to(14);
    EXPECT_EQ(accounting.doing(1), occupancy::waiting);
    time.move_to(15);
    EXPECT_EQ(accounting.doing(1), occupancy::waiting);
    time.move_to(16);
    EXPECT_EQ(accounting.doing(1), occupancy::idle);
}

// A walk of 25 cycles found in cycle 10. A fetch loses that cycle too; a load issues in it and
// waits in 11-35.
TEST_F(cycle_accounting_test, a_walk_has_its_cycles) {
    time.move_to(10);
    accounting.note_walk(0, 25, true);
    EXPECT_EQ(accounting.walks(0).until, 35u);
    accounting.note_walk(1, 25, false);
    accounting.add_stall(1, 25);
    EXPECT_EQ(accounting.walks(1).until, 36u);
    EXPECT_EQ(accounting.walks(1).cycles, 25u);
    // A second page of the same instruction.
    accounting.note_walk(1, 8, false);
    EXPECT_EQ(accounting.walks(1).until, 44u);
    EXPECT_EQ(accounting.walks(1).cycles, 33u);
    // Of another one.
    accounting.take_stall(1);
    time.move_to(60);
    accounting.note_walk(1, 8, false);
    EXPECT_EQ(accounting.walks(1).until, 69u);
    EXPECT_EQ(accounting.walks(1).cycles, 8u);
}

TEST_F(cycle_accounting_test, execution_keeps_all_threads_from_issuing) {
    time.move_to(10);
    picking.set_ready(0, 12);
    picking.set_ready(1, 12);
    accounting.occupy(0, 3, 2);
    EXPECT_EQ(picking.ready(0), 16u);
    EXPECT_EQ(picking.next_issue(), 14u);  // thread 1, when the stage is free
}

// The first cycle of microcode is that of the issue, which counts its own EXEC_STAGE_CYCLES.
TEST_F(cycle_accounting_test, microcode_counts_from_the_cycle_of_its_issue) {
    time.move_to(5);
    picking.set_ready(2, 7);
    accounting.use_microcode(2, 4);
    accounting.settle(100);
    EXPECT_EQ(count(2, base::microcode_cycles), 4u);
    EXPECT_EQ(count(2, base::exec_stage_cycles), 3u);
    EXPECT_EQ(picking.ready(2), 9u);
}

TEST_F(cycle_accounting_test, a_lost_slot_is_a_stalled_cycle) {
    time.move_to(5);
    accounting.lose_slot(3, 3);
    EXPECT_EQ(picking.ready(3), 8u);
    accounting.settle(100);
    EXPECT_EQ(count(3, base::fe_stalled), 3u);
    EXPECT_EQ(count(3, base::exec_stage_cycles), 0u);
}

TEST_F(cycle_accounting_test, a_wait_ends_when_it_is_told) {
    time.move_to(5);
    accounting.wait(0, 2, base::never);
    EXPECT_EQ(picking.ready(0), base::never);
    accounting.resume(0, 6);  // not before the two cycles of what issued with it
    EXPECT_EQ(picking.ready(0), 8u);
    accounting.wait(1, 0, 9);
    EXPECT_EQ(picking.ready(1), 9u);
    accounting.settle(100);
    EXPECT_EQ(count(0, base::fe_stalled), 2u);
    EXPECT_EQ(count(1, base::fe_stalled), 3u);  // cycles 6, 7, 8
}

TEST_F(cycle_accounting_test, an_event_ends_delay) {
    time.move_to(10);
    picking.set_ready(0, 12);
    accounting.begin_delay(0, 50);
    EXPECT_EQ(picking.ready(0), 61u);  // 50 cycles behind the one of the issue
    EXPECT_TRUE(accounting.delayed(0));
    time.move_to(20);
    accounting.end_delay(0);
    EXPECT_EQ(picking.ready(0), 20u);
    EXPECT_FALSE(accounting.delayed(0));
    accounting.settle(100);
    EXPECT_EQ(count(0, base::fe_stalled), 9u);  // cycles 11 to 19
}

// CPU_CLK_UNHALTED counts for every thread while one is awake.
TEST_F(cycle_accounting_test, the_core_is_unhalted_while_one_thread_is_awake) {
    time.move_to(10);
    accounting.settle(10);
    accounting.wake(0);
    time.move_to(15);
    accounting.wake(1);
    time.move_to(20);
    accounting.halt(0, 22);
    time.move_to(30);
    accounting.halt(1, 32);  // in cycle 30, which is its last
    time.move_to(50);
    accounting.settle(50);
    for (unsigned t = 0; t < 4; ++t) EXPECT_EQ(count(t, base::cpu_clk_unhalted), 21u) << t;
    // Woken at once, a thread goes on where it might have issued anyhow.
    time.move_to(31);
    accounting.wake(1);
    EXPECT_EQ(picking.ready(1), 32u);
}

// The cycles of an instruction that changes the level belong to the old one.
TEST_F(cycle_accounting_test, cycles_before_a_change_of_privilege_keep_their_level) {
    time.move_to(10);
    picking.set_ready(0, 12);
    accounting.occupy(0, 0, 4);  // cycles 11 to 14
    accounting.follow_privilege(0, base::user);
    EXPECT_EQ(time.due(), 15u);
    EXPECT_EQ(accounting.next_privilege(), 15u);
    EXPECT_FALSE(accounting.privilege_due(0));
    time.move_to(15);
    EXPECT_TRUE(accounting.privilege_due(0));
    base::event_row& row = accounting.count_at(0, base::user);
    EXPECT_EQ(&row, &ledger.counts[0][base::user]);
    EXPECT_EQ(ledger.counts[0][base::supervisor][base::fe_stalled], 4u);
    EXPECT_EQ(row[base::fe_stalled], 0u);
    EXPECT_EQ(accounting.next_privilege(), base::never);
}

TEST_F(cycle_accounting_test, extra_cycles_are_taken_once) {
    accounting.add_execute(2, 3);
    accounting.add_stall(2, 4);
    accounting.add_stall(2, 1);
    EXPECT_TRUE(accounting.has_extra(2));
    EXPECT_FALSE(accounting.has_extra(1));
    EXPECT_EQ(accounting.take_execute(2), 3u);
    EXPECT_EQ(accounting.take_stall(2), 5u);
    EXPECT_FALSE(accounting.has_extra(2));
}

}  // namespace
}  // namespace knc::core::test

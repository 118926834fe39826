// The issue rule: one thread per clock, none in back-to-back clocks, microcode alone.

#include "rig.h"

namespace knc::card::test {
namespace {

using base::event;

// ADC issues in U only, in one clock: no two of them pair.
KNC_PROGRAM(singles, ".rept 400\nadcl %eax, %eax\n.endr\n1: jmp 1b");
KNC_PROGRAM(nops, ".rept 400\nnop\n.endr\n1: jmp 1b");
KNC_PROGRAM(store_loop, "1: movl %eax, 0x3000\nincl %eax\njmp 1b");
KNC_PROGRAM(cpuid_loop, "1: cpuid\njmp 1b");
KNC_PROGRAM(halt, "hlt");

TEST(issue, one_thread_issues_every_second_clock) {
    rig r;
    r.start(0, 0x1000, singles);
    r.run(200);
    // Clocks 0, 2, ... 198.
    EXPECT_EQ(r.unit.cpu().instructions(0), 100u);
    EXPECT_EQ(r.count(0, event::instructions_executed), 100u);
    EXPECT_EQ(r.count(0, event::exec_stage_cycles), 100u);
    EXPECT_EQ(r.count(0, event::cpu_clk_unhalted), 200u);
    EXPECT_EQ(r.count(0, event::instructions_executed_v_pipe), 0u);
    // 100 two-byte instructions from an aligned address: 32-byte blocks 0 to 6.
    EXPECT_EQ(r.count(0, event::code_read), 7u);
}

TEST(issue, two_threads_fill_every_clock) {
    rig r;
    r.start(0, 0x1000, singles);
    r.start(1, 0x2000, singles);
    r.run(200);
    EXPECT_EQ(r.unit.cpu().instructions(0), 100u);
    EXPECT_EQ(r.unit.cpu().instructions(1), 100u);
}

TEST(issue, four_threads_share_evenly) {
    rig r;
    for (std::uint32_t t = 0; t < 4; ++t) r.start(t, 0x1000 * (t + 1), singles);
    r.run(200);
    for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(r.unit.cpu().instructions(t), 50u) << t;
}

TEST(issue, interval_is_a_parameter) {
    parameters p;
    p.core.issue_interval = 5;
    rig r(p);
    r.start(0, 0x1000, singles);
    r.run(200);
    EXPECT_EQ(r.unit.cpu().instructions(0), 40u);
}

TEST(issue, pairs_double_what_one_thread_does) {
    rig r;
    r.start(0, 0x1000, nops);
    r.run(200);
    // A pair in each of 100 issues.
    EXPECT_EQ(r.count(0, event::instructions_executed), 200u);
    EXPECT_EQ(r.count(0, event::instructions_executed_v_pipe), 100u);
    EXPECT_EQ(r.count(0, event::exec_stage_cycles), 100u);
}

TEST(issue, data_and_branches_are_counted_where_they_happen) {
    rig r;
    r.start(0, 0x1000, store_loop);
    r.run(401);
    // A round is the store with the increment, then the jump alone: 2 issues, 4 clocks. The first
    // jump is not in the BTB: the pipeline is refilled in 2 clocks, in one of which the thread
    // could not issue anyway.
    EXPECT_EQ(r.count(0, event::instructions_executed), 300u);
    EXPECT_EQ(r.count(0, event::instructions_executed_v_pipe), 100u);
    EXPECT_EQ(r.count(0, event::pipeline_flushes), 1u);
    EXPECT_EQ(r.count(0, event::branches_mispredicted), 0u);
    EXPECT_EQ(r.count(0, event::data_write), 100u);
    EXPECT_EQ(r.count(0, event::data_read), 0u);
    EXPECT_EQ(r.count(0, event::branches), 100u);
    EXPECT_EQ(r.count(0, event::microcode_cycles), 0u);
    EXPECT_EQ(r.read<std::uint32_t>(0x3000), 99u);
}

TEST(issue, microcode_stalls_the_other_threads) {
    rig r;
    r.start(0, 0x1000, cpuid_loop);
    r.start(1, 0x2000, singles);
    r.run(15 + 18 * 100 + 2);
    // CPUID holds the core for 15 clocks. In the clock after it thread 1 has waited longest and
    // issues, then thread 0 its jump, then thread 1 again, then thread 0 the next CPUID: 18 clocks
    // a round. The first jump is not in the BTB and costs 2 clocks more, in which thread 1 issues
    // once.
    EXPECT_EQ(r.count(0, event::branches), 100u);
    EXPECT_EQ(r.count(0, event::microcode_cycles), 15u + 100u * 15u);
    EXPECT_EQ(r.unit.cpu().instructions(1), 201u);
    EXPECT_EQ(r.count(1, event::microcode_cycles), 0u);
}

TEST(issue, a_halted_core_does_not_count_cycles) {
    rig r;
    r.start(0, 0x1000, halt);
    r.run(1000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().next_activity(), base::never);
    EXPECT_EQ(r.count(0, event::exec_stage_cycles), 1u);
    // The clock of the HLT itself; every thread of the core reads the same.
    for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(r.count(t, event::cpu_clk_unhalted), 1u) << t;
}

TEST(issue, one_awake_thread_keeps_the_core_unhalted) {
    rig r;
    r.start(0, 0x1000, halt);
    r.start(1, 0x2000, nops);
    r.run(1000);
    for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(r.count(t, event::cpu_clk_unhalted), 1000u) << t;
}

}  // namespace
}  // namespace knc::card::test

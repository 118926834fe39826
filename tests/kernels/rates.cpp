// What one thread can do, and what threads do to each other. Streams of ADC, which issues in U only
// and takes a clock, run on threads 1 to 3 beside a kernel on thread 0.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;
using card::test::program;

// ---- one thread

// At most one issue every second clock.
KNC_KERNEL(rates, singles, 32, "", ".rept 50\nadcl %eax, %eax\n.endr", "", 100,
           issues(50, 0) + raises(code_read, 3));
KNC_KERNEL(rates, pairs, 32, "", ".rept 25\nincl %eax\nincl %ecx\n.endr", "", 50,
           issues(50, 25) + raises(code_read, 1));
KNC_KERNEL(rates, of_three_cycles, 32, "", ".rept 25\nadcl %eax, %eax\n.endr", "", 75,
           issues(25, 0) + raises(code_read, 1),
           tuned([](card::parameters& p) { p.core.issue_interval = 3; }));
// A loop of 7 instructions that do not pair, and DEC with JNZ, which do: 8 issues, 16 clocks a
// round, 2.29 for each of the 7. On a card a stream of independent instructions of one thread was
// measured at 2.29 clocks each. The loop it was measured with is not published: what ours shows is
// that the model gives 2 clocks each and the loop around them the rest, with any number of them
// other than 7 another rest. MOV, 50 rounds, and two branches in V that were not predicted, the
// first JNZ (no entry) and the last (misprediction): 5 clocks each instead of 2.
KNC_KERNEL(rates, loop_of_seven, 32, "",
           "movl $50, %ecx\n1: .rept 7\nnegl %eax\n.endr\ndecl %ecx\njnz 1b", "",
           2 + 50 * 16 + 3 + 3,
           issues(1 + 50 * 9, 50) + raises(branches, 50) + raises(pipeline_flushes, 2) +
               raises(branches_mispredicted, 1) + waits(4 + 4));

// ---- several threads

KNC_PROGRAM(adcs, ".rept 1000\nadcl %eax, %eax\n.endr");

// `k` on thread 0, streams on `others` other threads. Threads take turns: thread 0 issues `start`
// in clock 0, thread n in clock n, and so on.
measurement beside(const kernel& k, std::uint32_t others) {
    machine m;
    for (std::uint32_t t = 1; t <= others; ++t) m.start(t, 0x10000 + 0x1000 * t, adcs);
    return k.measure(m);
}
void expect_instructions(const measurement& m, std::uint32_t others, std::uint64_t each) {
    for (std::uint32_t t = 1; t <= 3; ++t) {
        const base::event_row& row = m.events[t];
        const std::uint64_t n = t <= others ? each : 0;
        EXPECT_EQ(row[instructions_executed], n) << "thread " << t;
        EXPECT_EQ(row[exec_stage_cycles], n) << "thread " << t;
        EXPECT_EQ(row[microcode_cycles], 0u) << "thread " << t;
        EXPECT_EQ(row[cpu_clk_unhalted], m.clocks) << "thread " << t;
    }
}

// Two threads fill every clock: none is slower than alone. ADCs in clocks 2, 4, ... 100, `stop` in
// 102; the other thread in 1, 3, ... 101.
TEST(threads, two_reach_full_rate) {
    const measurement m = beside(rates_singles, 1);
    EXPECT_EQ(m.clocks, 100u);
    EXPECT_EQ(m.events[0][instructions_executed], 50u);
    expect_instructions(m, 1, 51);
}

// Every third clock: ADCs in 3, 6, ... 150, `stop` in 153.
TEST(threads, three_share_evenly) {
    const measurement m = beside(rates_singles, 2);
    EXPECT_EQ(m.clocks, 153u - 2);
    EXPECT_EQ(m.events[0][instructions_executed], 50u);
    expect_instructions(m, 2, 51);
}

// Every fourth: `stop` in 204.
TEST(threads, four_share_evenly) {
    const measurement m = beside(rates_singles, 3);
    EXPECT_EQ(m.clocks, 204u - 2);
    EXPECT_EQ(m.events[0][instructions_executed], 50u);
    expect_instructions(m, 3, 51);
}

// A pair takes one issue like any other: 25 in clocks 4 to 100, `stop` in 104.
TEST(threads, pairs_share_as_single_instructions_do) {
    const measurement m = beside(rates_pairs, 3);
    EXPECT_EQ(m.clocks, 104u - 2);
    EXPECT_EQ(m.events[0][instructions_executed], 50u);
    expect_instructions(m, 3, 26);
}

// ---- what one thread takes from the others

KNC_KERNEL(rates, division, 32, "movl $1, %ecx\nxorl %edx, %edx", "divl %ecx", "", 41,
           issues(1, 0) + microcode(41));
KNC_KERNEL(rates, lock, 32, "movl $0x4000, %ebx", "lock incl (%ebx)", "", 18,
           issues(1, 0) + held(17) + reads(1) + writes(1));
KNC_KERNEL(rates, refill, 32, "", "jmp 1f\nnop\n1:", "", 3,
           issues(1, 0) + raises(branches, 1) + raises(pipeline_flushes, 1) + waits(2));
KNC_KERNEL(rates, delay, 64, "movl $40, %ecx", ".byte 0xC4, 0xE1, 0x7A, 0xAE, 0xF1", "", 41,
           issues(1, 0) + waits(40));
KNC_KERNEL(rates, interlock, 32, "movl $-0x4000, %ebx", "negl %ebx\nmovl (%ebx), %eax", "", 5,
           issues(2, 0) + reads(1) + waits(1) + raises(pipeline_agi_stalls, 1));

// Microcode keeps all others out of the pipelines: DIV in clocks 2 to 42. Thread 1 issues in 1 and,
// having waited longest, in 43; 40 clocks late. `stop` comes in 44.
TEST(threads, microcode_stalls_the_other) {
    const measurement m = beside(rates_division, 1);
    EXPECT_EQ(m.clocks, 44u - 2);
    EXPECT_EQ(m.events[0][microcode_cycles], 41u);
    expect_instructions(m, 1, 2);
}

// DIV in 4 to 44, threads 1 to 3 in 45 to 47, `stop` in 48: each lost 40 clocks.
TEST(threads, microcode_stalls_all_others) {
    const measurement m = beside(rates_division, 3);
    EXPECT_EQ(m.clocks, 48u - 2);
    expect_instructions(m, 3, 2);
}

// A repeated string instruction is microcode from its first element to its last: REP LODS in 2 to
// 23, thread 1 in 1 and 24, `stop` in 25.
KNC_KERNEL(rates, repeated, 32, "movl $0x4000, %esi\nmovl $5, %ecx", "rep lodsl", "", 7 + 5 * 3,
           issues(1, 0) + microcode(7 + 5 * 3) + reads(5));
TEST(threads, repeated_microcode_stalls_the_other) {
    const measurement m = beside(rates_repeated, 1);
    EXPECT_EQ(m.clocks, 25u - 2);
    expect_instructions(m, 1, 2);
}

// There is one E stage: what holds it for several clocks without microcode holds up the others too.
// LOCK INC in 2 to 19, thread 1 in 20, `stop` in 21.
TEST(threads, a_held_e_stage_stalls_the_other) {
    const measurement m = beside(rates_lock, 1);
    EXPECT_EQ(m.clocks, 21u - 2);
    EXPECT_EQ(m.events[0][microcode_cycles], 0u);
    expect_instructions(m, 1, 2);
}

// A thread that waits holds nothing. The jump in 2, refill in 3 and 4, `stop` in 5, when thread 0
// has waited longer than thread 1, which issued in 1 and 3.
TEST(threads, a_refill_stalls_no_other) {
    const measurement m = beside(rates_refill, 1);
    EXPECT_EQ(m.clocks, 3u);
    expect_instructions(m, 1, 2);
}

// DELAY in 2, `stop` in 43; thread 1 in 1, 3, ... 41.
TEST(threads, a_delay_stalls_no_other) {
    const measurement m = beside(rates_delay, 1);
    EXPECT_EQ(m.clocks, 41u);
    expect_instructions(m, 1, 21);
}

// The slot an interlock loses stays empty: NEG in 2, nothing in 4, thread 1 in 5, for thread 0 has
// had its turn, the load in 6, `stop` in 8.
TEST(threads, a_lost_slot_stays_empty) {
    const measurement m = beside(rates_interlock, 1);
    EXPECT_EQ(m.clocks, 8u - 2);
    EXPECT_EQ(m.events[0][pipeline_agi_stalls], 1u);
    expect_instructions(m, 1, 4);  // in 1, 3, 5 and 7
}

// Among four it costs a turn: NEG in 4, nothing in 8, the load in 12, `stop` in 16.
TEST(threads, a_lost_slot_costs_a_turn) {
    const measurement m = beside(rates_interlock, 3);
    EXPECT_EQ(m.clocks, 16u - 2);
    expect_instructions(m, 3, 4);
}

// FDIV in 2 holds the x87 unit until 43: thread 1, which issued FABS in 1, loses its slot in 3 and
// waits. Thread 0 goes on with integer instructions in 4, 6, ... 52, `stop` in 54, thread 1 with
// FABS in 43, 45, ... 53.
KNC_KERNEL(rates, fdiv, 32, "fninit\nfld1\nfldz", "fdiv %st(1), %st\n.rept 25\nnegl %edx\n.endr",
           "", 52, issues(26, 0) + raises(code_read, 1));
KNC_PROGRAM(fabses, "fninit\nfldz\n.rept 1000\nfabs\n.endr");
TEST(threads, a_division_keeps_the_others_from_the_x87_unit) {
    machine m;
    m.start(1, 0x10000, fabses);
    const measurement d = rates_fdiv.measure(m);
    EXPECT_EQ(d.clocks, 52u);
    EXPECT_EQ(d.events[1][instructions_executed], 7u);
    EXPECT_EQ(d.events[1][fe_stalled], 40u);
}

// ---- what is not shared

// Thread 1 has run the same code before: its branch target buffer is its own.
TEST(threads, have_a_branch_target_buffer_each) {
    machine m;
    rates_refill.run(m, 1);
    rates_refill.compare(rates_refill.measure(m));
}

}  // namespace
}  // namespace knc::kernels

// A tile that executes without time: clocks, turns, what ends it, and that nothing counts.

#include "event_log.h"

namespace knc::card::test {
namespace {

KNC_PROGRAM64(count_down, "movl $1000, %ecx\n1: incq %rbx\ndecl %ecx\njnz 1b\nhlt");
KNC_PROGRAM64(count_for_ever, "1: incq 0x6000\njmp 1b");
KNC_PROGRAM64(count_beside, "1: incq 0x6008\njmp 1b");

// The far jump to long mode is the last of them.
constexpr std::uint64_t to_long_mode_instructions = 12;

TEST(functional, an_instruction_takes_a_clock_and_counts_nothing) {
    rig r;
    r.start64(0, count_down);
    r.fast_forward();
    const auto before = r.unit.cpu().counts().counts;
    r.run(5000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 1000u);
    EXPECT_EQ(r.unit.cpu().instructions(0), to_long_mode_instructions + 1 + 3000 + 1);
    // It sleeps behind its HLT.
    EXPECT_EQ(r.unit.cpu().awake_cycles(0), r.unit.cpu().instructions(0));
    EXPECT_EQ(r.unit.cpu().counts().counts, before);
}

TEST(functional, ends_exactly_at_the_number_of_instructions) {
    rig r;
    r.start64(0, count_down);
    r.goal.instructions = to_long_mode_instructions + 1 + 3 * 200 + 1;
    r.fast_forward();
    while (!r.goal.reached) r.unit.cpu().run(100'000);
    EXPECT_EQ(r.unit.cpu().instructions(0), to_long_mode_instructions + 602);
    EXPECT_EQ(r.unit.cpu().now(), to_long_mode_instructions + 602);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 201u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rcx], 800u);
}

TEST(functional, ends_before_the_instruction_at_an_address) {
    rig r;
    r.start64(0, count_down);
    r.goal.pc = 0x1008;  // DECL, behind 5 bytes of MOVL and 3 of INCQ
    r.fast_forward();
    while (!r.goal.reached) r.unit.cpu().run(100'000);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rip], 0x1008u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 1u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rcx], 1000u);
}

// Each has the core for a turn of 100 clocks; the last instructions are in the middle of a round.
TEST(functional, threads_take_turns) {
    rig r;
    r.start64(0, count_for_ever);
    r.fast_forward(100);
    r.run(1000);
    r.load(0x1800, count_beside);
    r.unit.cpu().boot(1, 0x7000, 0, 0);
    const std::uint64_t before = r.unit.cpu().instructions(0);
    EXPECT_EQ(before, 1000u);
    r.run(3000);
    EXPECT_EQ(r.unit.cpu().instructions(0), before + 1000);
    EXPECT_EQ(r.unit.cpu().instructions(1), 1000u);
}

// A thread that has halted leaves the rest of its turn to the others.
TEST(functional, a_thread_that_halts_gives_its_turn_away) {
    rig r;
    r.start64(0, count_down);
    r.fast_forward(100'000);
    r.run(100);
    r.unit.cpu().boot(1, 0x7000, 0, 0);
    r.run(10'000);
    const std::uint64_t each = to_long_mode_instructions + 3002;
    EXPECT_EQ(r.unit.cpu().instructions(0), each);
    EXPECT_EQ(r.unit.cpu().instructions(1), each);
    EXPECT_EQ(r.unit.cpu().awake_cycles(0), each);
    EXPECT_EQ(r.unit.cpu().awake_cycles(1), 2 * each - 100);
}

TEST(functional, time_goes_on_where_it_was_left) {
    rig r;
    r.start64(0, count_for_ever);
    r.run(3000);
    const std::uint64_t counted = r.count(0, base::instructions_executed);
    const std::uint64_t clocks = r.count(0, base::cpu_clk_unhalted);
    EXPECT_EQ(counted, r.unit.cpu().instructions(0));
    r.fast_forward();
    r.run(13'000);
    EXPECT_EQ(r.unit.cpu().instructions(0), counted + 10'000);
    r.unit.leave_functional(13'000);
    r.run(14'000);
    const std::uint64_t in_time = r.unit.cpu().instructions(0) - counted - 10'000;
    EXPECT_GT(in_time, 100u);
    EXPECT_EQ(r.count(0, base::instructions_executed), counted + in_time);
    EXPECT_EQ(r.count(0, base::cpu_clk_unhalted), clocks + 1000);
    EXPECT_EQ(r.read<std::uint64_t>(0x6000),
              (r.unit.cpu().instructions(0) - to_long_mode_instructions + 1) / 2);
}

// The timer counts a clock for each instruction; the interrupt takes one of its own.
KNC_PROGRAM(wait_for_timer, KNC_LOGGED "sti\n1: incl %ebx\njmp 1b");
TEST(functional, an_interrupt_comes_at_its_clock) {
    event_log r;
    r.start(0, 0x1000, wait_for_timer);
    r.fast_forward();
    ASSERT_TRUE(r.unit.apic(0).write(0xf0, 0x1ff, 0));
    ASSERT_TRUE(r.unit.apic(0).write(0x3e0, 11, 0));    // divide by 1
    ASSERT_TRUE(r.unit.apic(0).write(0x320, 0x41, 0));  // one shot
    ASSERT_TRUE(r.unit.apic(0).write(0x380, 1000, 0));
    r.unit.cpu().notify();
    r.run(1001);
    ASSERT_EQ(r.events(), 0u);  // the handler has not noted it yet
    r.run(1100);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, 0x41u);
    // LGDT, LIDT, MOVL and STI, then one INCL for two clocks.
    EXPECT_EQ(r.unit.cpu().instructions(0), 1100u - 1);
}

// A write to the page that executes takes effect with the next instruction, though all of them are
// decoded in the first round, which writes elsewhere.
// clang-format off
KNC_PROGRAM64(patch_next,
    "movl $0x6000, %edi\n2: movl $1, %eax\nmovl $0x90909090, (%rdi)\nmovl $3, %ebx\n"
    "1: addl $2, %eax\nnop\nmovl $" KNC_LABEL(patch_next, 1b) ", %edi\nincl %edx\n"
    "cmpl $2, %edx\njne 2b\nhlt");
// clang-format on
TEST(functional, code_may_change_itself) {
    rig r;
    r.start64(0, patch_next);
    r.load(0x1000, patch_next);
    r.fast_forward();
    r.run(1000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 3u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rax], 1u);  // four NOPs in the place of ADDL
}

KNC_PROGRAM64(use_device, "movl $0xd0000000, %ebx\nmovl $5, (%rbx)\nmovl (%rbx), %eax\nhlt");
TEST(functional, devices_answer_at_once) {
    rig r;
    r.start64(0, use_device);
    // A page table entry for the device: a large page.
    const std::uint64_t directory = 0xc003, page = 0xd000'0083;
    std::memcpy(r.memory.data() + 0xa018, &directory, sizeof directory);
    std::memcpy(r.memory.data() + 0xc400, &page, sizeof page);
    r.fast_forward();
    r.run(1000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    ASSERT_EQ(r.posted.size(), 2u);
    EXPECT_TRUE(r.posted[0].write);
    EXPECT_EQ(r.posted[0].data[0], 5u);
    EXPECT_EQ(r.posted[0].issued, to_long_mode_instructions + 1);
    EXPECT_EQ(r.posted[1].issued, to_long_mode_instructions + 2);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rax], 0u);
}

}  // namespace
}  // namespace knc::card::test

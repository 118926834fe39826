// Debug exceptions whose delivery MOV SS puts off by one instruction.

#include "debugging.h"

namespace knc::card::test {
namespace {

#define WATCH_SELECTOR ARM("0", "0x5800", "0x00030401") "movw $0x18, 0x5800\n"

// clang-format off
KNC_PROGRAM(held_over_nop, KNC_LOGGED
    MARK(held_over_nop, 1f, 0) WATCH_SELECTOR
    "movw 0x5800, %ss\nnop\n1: nop\nhlt");
KNC_PROGRAM(held_over_int, KNC_LOGGED WATCH_SELECTOR
    "movw 0x5800, %ss\nint $0x40\nhlt");
KNC_PROGRAM(held_over_fault, KNC_LOGGED WATCH_SELECTOR
    "movw 0x5800, %ss\nud2");
KNC_PROGRAM(held_over_icebp, KNC_LOGGED
    MARK(held_over_icebp, 1f, 0) WATCH_SELECTOR
    "movw 0x5800, %ss\n.byte 0xf1\n1: nop\nhlt");
KNC_PROGRAM(held_over_detection, KNC_LOGGED
    MARK(held_over_detection, 1f, 0) WATCH_SELECTOR
    "movl $0x32401, %eax\nmovl %eax, %dr7\nmovw 0x5800, %ss\n1: movl %dr7, %ebx\nhlt");
// DR0 on the first selector, DR3 on the second.
KNC_PROGRAM(held_twice, KNC_LOGGED
    MARK(held_twice, 1f, 0)
    "movl $0x180018, 0x5800\n"
    ARM("0", "0x5800", "0") ARM("3", "0x5802", "0x30030441")
    "movw 0x5800, %ss\nmovw 0x5802, %ss\n1: nop\nhlt");
// clang-format on

TEST(debugging, mov_ss_holds_its_data_breakpoint_until_the_next_instruction_is_done) {
    event_log r;
    r.execute(held_over_nop);
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(1).dr6, dr6_clear | 1);
}
TEST(debugging, mov_ss_before_int_reports_at_the_handler) {
    event_log r;
    r.execute(held_over_int);
    ASSERT_EQ(r.events(), 3u);
    EXPECT_EQ(r.at(1).vector, 1u);
    EXPECT_EQ(r.at(1).eip, r.stub(0x40));
    EXPECT_EQ(r.at(2).vector, 0x40u);
}
// One exception: INT1 raises it, with what MOV SS held back.
TEST(debugging, mov_ss_before_int1_is_one_exception) {
    event_log r;
    r.execute(held_over_icebp);
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(1).vector, 1u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(1).dr6, dr6_clear | 1);
}
// General detect is not put off by MOV SS.
TEST(debugging, mov_ss_before_a_detected_access_is_one_exception) {
    event_log r;
    r.execute(held_over_detection);
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(1).vector, 1u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(1).dr6, dr6_clear | bd | 1);
    EXPECT_EQ(r.at(1).eflags & rf, rf);
}
// The second holds the first's back no longer, and its own goes with that.
TEST(debugging, two_mov_ss_are_one_exception) {
    event_log r;
    r.execute(held_twice);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | 1 | 8);
}
TEST(debugging, mov_ss_before_a_fault_reports_at_its_handler) {
    event_log r;
    r.start(0, 0x1000, held_over_fault);
    r.run(1000);
    ASSERT_GE(r.events(), 3u);
    EXPECT_EQ(r.at(1).vector, 1u);
    EXPECT_EQ(r.at(1).eip, r.stub(6));
    EXPECT_EQ(r.at(2).vector, 6u);
}

}  // namespace
}  // namespace knc::card::test

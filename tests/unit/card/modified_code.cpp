// Instructions that were written a moment ago, by the thread itself and by others.

#include "rig.h"

namespace knc::card::test {
namespace {

// Calls a routine at 0x5000 (MOV EAX, imm32; RET), rewrites its immediate, calls it again.
KNC_PROGRAM(patch_own,
            "movl $0x5000, %ebx\nmovl $0x8000, %esp\ncall *%ebx\nmovl %eax, 0x3000\n"
            "movl $0x22222222, 0x5001\ncall *%ebx\nmovl %eax, 0x3004\n1: jmp 1b");
// Calls it for ever.
KNC_PROGRAM(call_for_ever,
            "movl $0x5000, %ebx\nmovl $0x8000, %esp\n1: call *%ebx\nmovl %eax, 0x3000\njmp 1b");
// Waits, then rewrites it.
KNC_PROGRAM(patch_later,
            "movl $100, %ecx\n1: decl %ecx\njnz 1b\nmovl $0x22222222, 0x5001\n2: jmp 2b");
KNC_PROGRAM(routine, "movl $0x11111111, %eax\nret");

TEST(modified_code, a_thread_executes_what_it_has_just_written) {
    rig r;
    r.start(0, 0x1000, patch_own);
    r.load(0x5000, routine);
    r.run(200);
    EXPECT_EQ(r.read<std::uint32_t>(0x3000), 0x1111'1111u);
    EXPECT_EQ(r.read<std::uint32_t>(0x3004), 0x2222'2222u);
}

TEST(modified_code, a_thread_executes_what_another_has_written) {
    rig r;
    r.start(0, 0x1000, call_for_ever);
    r.start(1, 0x2000, patch_later);
    r.load(0x5000, routine);
    r.run(250);
    EXPECT_EQ(r.read<std::uint32_t>(0x3000), 0x1111'1111u);
    r.run(1500);
    EXPECT_EQ(r.read<std::uint32_t>(0x3000), 0x2222'2222u);
}

// Data beside code, in the same page but another line, may be written without a trace.
KNC_PROGRAM(data_beside_code, "1: incl 0x1800\njmp 1b");
TEST(modified_code, data_in_a_page_of_code_changes_nothing_but_itself) {
    rig r;
    r.start(0, 0x1000, data_beside_code);
    // INC of memory holds the E stage for 3 clocks, and the jump with it: it is in V. The first
    // jump is not in the BTB: 2 clocks more.
    r.run(302);
    EXPECT_EQ(r.read<std::uint32_t>(0x1800), 100u);
}

}  // namespace
}  // namespace knc::card::test

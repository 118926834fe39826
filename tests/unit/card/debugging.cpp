// Debug exceptions: what traps or faults where, with which flags and conditions, and in what order.

#include "debugging.h"

namespace knc::card::test {
namespace {

// ---- programs

// clang-format off
KNC_PROGRAM(break_twice, KNC_LOGGED
    MARK(break_twice, 1f, 0)
    ARM("0", KNC_LABEL(break_twice, 1f), "0x401")
    "xorl %ebx, %ebx\n2: jmp 1f\n1: incl %ebx\ncmpl $2, %ebx\njne 2b\nhlt");
KNC_PROGRAM(break_at_fault, KNC_LOGGED
    MARK(break_at_fault, 1f, 0)
    ARM("0", KNC_LABEL(break_at_fault, 1f), "0x402")
    "1: ud2\nhlt");
KNC_PROGRAM(break_after_interrupt, KNC_LOGGED
    MARK(break_after_interrupt, 1f, 0)
    ARM("3", KNC_LABEL(break_after_interrupt, 1f), "0x440")
    "movl $400, %ecx\n2: loop 2b\nsti\nnop\n1: incl %ebx\nhlt");
KNC_PROGRAM(break_in_shadow, KNC_LOGGED
    MARK(break_in_shadow, 1f, 0)
    MARK(break_in_shadow, 2f, 1)
    ARM("0", KNC_LABEL(break_in_shadow, 1f), "0x401")
    ARM("1", KNC_LABEL(break_in_shadow, 2f), "0x405")
    "movl $0x18, %ecx\nmovl %ecx, %ss\n1: incl %ebx\nsti\n2: incl %ebx\ncli\nhlt");

// DR0: 4 bytes, write; DR1: 4 bytes, access.
KNC_PROGRAM(watch_data, KNC_LOGGED
    MARK(watch_data, 1f, 0)
    MARK(watch_data, 2f, 1)
    MARK(watch_data, 3f, 2)
    ARM("0", "0x5800", "0x400")
    ARM("1", "0x5804", "0x00fd0405")
    "movl $7, %eax\nmovl 0x5800, %ebx\nmovl %eax, 0x5800\n"
    "1: movl 0x5804, %ebx\n2: movb $1, 0x5803\n3: nop\nhlt");
KNC_PROGRAM(break_at_device, KNC_LOGGED
    MARK(break_at_device, 1f, 0)
    ARM("0", KNC_LABEL(break_at_device, 1f), "0x401")
    "1: movl %eax, 0xfef00000\nhlt");
KNC_PROGRAM(watch_string, KNC_LOGGED
    MARK(watch_string, 1f, 0)
    MARK(watch_string, 2f, 1)
    ARM("0", "0x5802", "0x00010401")
    "movl $0x5800, %edi\nmovl $5, %ecx\nmovb $0x55, %al\ncld\n1: rep stosb\n"
    "movl $0x57fe, %edi\nmovl $5, %ecx\nrep stosb\n2: hlt");
KNC_PROGRAM(break_at_string, KNC_LOGGED
    MARK(break_at_string, 1f, 0)
    ARM("0", KNC_LABEL(break_at_string, 1f), "0x401")
    "movl $0x5800, %edi\nmovl $200, %ecx\ncld\nsti\n1: rep stosb\ncli\nhlt");
KNC_PROGRAM(watch_stack, KNC_LOGGED
    MARK(watch_stack, 1f, 0)
    ARM("0", "0x8ff4", "0x000d0401")
    "int $0x40\n1: nop\nhlt");
KNC_PROGRAM(watch_and_fault, KNC_LOGGED
    MARK(watch_and_fault, 1f, 0)
    ARM("0", "0x5800", "0x00030401")
    "movw $0x1000, 0x5804\nmovl $0x5800, %ebx\n1: lssl (%ebx), %ecx\nhlt");
KNC_PROGRAM(step_some, KNC_LOGGED
    MARK(step_some, 1f, 0)
    MARK(step_some, 2f, 1)
    MARK(step_some, 3f, 2)
    MARK(step_some, 4f, 3)
    MARK(step_some, 5f, 4)
    "movl $0x18, %ecx\n" STEP
    "nop\n1: movl %ecx, %ss\nnop\n2: int $0x40\n3: nop\n4: hlt\n5: nop\n" UNSTEP "hlt");
KNC_PROGRAM(step_and_watch, KNC_LOGGED
    MARK(step_and_watch, 1f, 0)
    ARM("2", "0x5800", "0x01000410") STEP
    "movb $1, 0x5800\n1: hlt\nhlt");
KNC_PROGRAM(step_string, KNC_LOGGED
    MARK(step_string, 1f, 0)
    "movl $0x5800, %edi\nmovl $3, %ecx\ncld\n" STEP "1: rep stosb\n" UNSTEP "hlt");
// IRET sets TF.
KNC_PROGRAM(step_by_iret, KNC_LOGGED
    MARK(step_by_iret, 2f, 0)
    "pushl $0x102\npushl $8\npushl $" KNC_LABEL(step_by_iret, 1f) "\niret\n"
    "1: nop\n2: hlt\nhlt");
KNC_PROGRAM(step_device, KNC_LOGGED
    MARK(step_device, 1f, 0) STEP
    "sti\nmovl %eax, 0xfef00000\n1: cli\nhlt");

KNC_PROGRAM(icebp, KNC_LOGGED
    MARK(icebp, 1f, 0)
    ".byte 0xf1\n1: hlt");
KNC_PROGRAM(general_detect, KNC_LOGGED
    MARK(general_detect, 1f, 0)
    "movl $0x2400, %eax\nmovl %eax, %dr7\n1: movl %dr7, %ebx\nmovl %ebx, 0x5010\nhlt");
KNC_PROGRAM(port_breakpoint, KNC_LOGGED
    MARK(port_breakpoint, 1f, 0)
    "movl $8, %eax\nmovl %eax, %cr4\n"
    ARM("1", "0x80", "0x00200404")
    "movb $0x5a, %al\noutb %al, $0x80\n1: hlt\nhlt");
// clang-format on

// ---- instruction breakpoints

TEST(debugging, an_instruction_breakpoint_faults_before_the_instruction) {
    event_log r;
    r.on_return(rf, 0);
    r.execute(break_twice);
    ASSERT_EQ(r.events(), 2u);  // RF holds for one instruction
    for (std::size_t n = 0; n < 2; ++n) {
        EXPECT_EQ(r.at(n).vector, 1u);
        EXPECT_EQ(r.at(n).eip, r.mark(0));
        EXPECT_EQ(r.at(n).dr6, dr6_clear | 1);
        EXPECT_EQ(r.at(n).eflags & rf, 0u);
    }
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 2u);
}

TEST(debugging, without_rf_the_breakpoint_is_met_again) {
    event_log r;
    r.start(0, 0x1000, break_twice);
    r.run(5000);
    EXPECT_GT(r.events(), 10u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 0u);
}

TEST(debugging, an_instruction_breakpoint_comes_before_the_faults_of_its_instruction) {
    event_log r;
    r.on_return(rf, 0);
    r.start(0, 0x1000, break_at_fault);
    r.run(600);
    ASSERT_GE(r.events(), 3u);
    EXPECT_EQ(r.at(0).vector, 1u);
    EXPECT_EQ(r.at(1).vector, 6u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(1).eflags & rf, rf);
    EXPECT_EQ(r.at(2).vector, 6u);  // RF is still there: the instruction has not completed
}

TEST(debugging, an_interrupt_comes_before_an_instruction_breakpoint) {
    event_log r;
    r.on_return(rf, iff);  // no more interrupts
    r.start(0, 0x1000, break_after_interrupt);
    r.run(200);
    r.interrupt(0x41);
    r.run_to_halt();
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(0).vector, 0x41u);  // behind the NOP that STI covers
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).eflags & rf, 0u);
    EXPECT_EQ(r.at(1).vector, 1u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
}

TEST(debugging, mov_ss_hides_an_instruction_breakpoint_and_sti_does_not) {
    event_log r;
    r.on_return(rf, 0);
    r.execute(break_in_shadow);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(1));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | 2);
}

TEST(debugging, an_instruction_that_waits_for_a_device_meets_its_breakpoint_once) {
    event_log r;
    r.on_return(rf, 0);
    r.start(0, 0x1000, break_at_device);
    r.run(1000);
    ASSERT_EQ(r.posted.size(), 1u);
    r.answer(r.posted[0], 1010);
    r.run_to_halt();
    EXPECT_EQ(r.events(), 1u);
    EXPECT_EQ(r.posted.size(), 1u);
}

// The instruction that RF protects is refused, and so is the handler of its #GP: there is no gate.
// RF was cleared when the instruction began, and a #DF restarts nothing: its image has RF clear
// (SDM vol. 3, 17.3.1.1).
KNC_PROGRAM64(double_fault_with_rf,
              "movl $0x80000 + " KNC_LABEL(double_fault_with_rf, 2f) ", 0xd080\n"
              "movl $0x8e00, 0xd084\nmovl $0xd0000fff, 0x80c0\nmovl $0, 0x80c4\nlidt 0x80c0\n"
              "movl $0x7f00, %esp\nmovl $0xfff8, %eax\npushq $0\npushq $0x7f00\n"
              "pushq $0x10002\npushq $8\n"
              "pushq $" KNC_LABEL(double_fault_with_rf, 1f) "\niretq\n1: movl %eax, %ds\nhlt\n"
              "2: movl 8(%rsp), %ecx\nmovl 24(%rsp), %ebx\nhlt");

TEST(debugging, a_double_fault_does_not_bring_rf_back) {
    rig r;
    r.start64(0, double_fault_with_rf);
    r.run(4000);
    ASSERT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx] & 0x10002u, 2u);
}

// ---- data breakpoints

TEST(debugging, data_breakpoints_trap_behind_the_instruction) {
    event_log r;
    r.execute(watch_data);
    ASSERT_EQ(r.events(), 3u);
    const std::uint32_t conditions[] = {1, 2, 1};
    for (std::size_t n = 0; n < 3; ++n) {
        EXPECT_EQ(r.at(n).vector, 1u);
        EXPECT_EQ(r.at(n).eip, r.mark(static_cast<std::uint32_t>(n)));
        EXPECT_EQ(r.at(n).dr6, dr6_clear | conditions[n]);
        EXPECT_EQ(r.at(n).eflags & rf, 0u);
    }
    EXPECT_EQ(r.read<std::uint32_t>(0x5800), 0x0100'0007u);
}

TEST(debugging, data_breakpoints_trap_inside_a_repeated_instruction) {
    event_log r;
    r.execute(watch_string);
    ASSERT_EQ(r.events(), 2u);
    // The third of five bytes: the instruction has more to do, and RF tells it to go on.
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).eflags & rf, rf);
    // The last one: behind the instruction.
    EXPECT_EQ(r.at(1).eip, r.mark(1));
    EXPECT_EQ(r.at(1).eflags & rf, 0u);
    EXPECT_EQ(r.read<std::uint64_t>(0x57fe), 0x0055'5555'5555'5555u);
}

TEST(debugging, a_repeated_instruction_meets_its_breakpoint_once) {
    event_log r;
    r.on_return(rf, 0);
    r.start(0, 0x1000, break_at_string);
    r.run(300);
    r.interrupt(0x42);  // while it repeats
    r.run_to_halt();
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(0).vector, 1u);
    EXPECT_EQ(r.at(1).vector, 0x42u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(1).eflags & rf, rf);
}

TEST(debugging, what_an_event_pushes_is_reported_before_its_handler_runs) {
    event_log r;
    r.execute(watch_stack);
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(0).vector, 1u);
    EXPECT_EQ(r.at(0).eip, r.stub(0x40));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | 1);
    EXPECT_EQ(r.at(1).vector, 0x40u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
}

TEST(debugging, a_fault_drops_what_its_instruction_met) {
    event_log r;
    r.start(0, 0x1000, watch_and_fault);
    r.run(1000);
    ASSERT_GE(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, 13u);  // selector beyond the table
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear);
}

// ---- single step

TEST(debugging, single_step) {
    event_log r;
    r.execute(step_some);
    // Behind the NOP; not behind MOV SS but behind what follows it; not behind INT, whose handler
    // runs unstepped, but behind the NOP after it; HLT ends at once; NOP; PUSHF, AND, and POPF
    // itself, which ends it. POPF that began it is not one.
    ASSERT_EQ(r.events(), 9u);
    const std::uint32_t vectors[] = {1, 1, 0x40, 1, 1, 1, 1, 1, 1};
    const std::uint32_t marks[] = {0, 1, 2, 3, 4};
    for (std::uint32_t n = 0; n < 9; ++n) {
        EXPECT_EQ(r.at(n).vector, vectors[n]) << n;
        if (n < 5) {
            EXPECT_EQ(r.at(n).eip, r.mark(marks[n])) << n;
        }
        EXPECT_EQ(r.at(n).dr6, vectors[n] == 1 ? dr6_clear | bs : dr6_clear) << n;
        EXPECT_EQ((r.at(n).eflags & tf) != 0, n != 8) << n;  // POPF has ended it
    }
    EXPECT_EQ(r.at(5).eip, r.mark(4) + 1);
}

TEST(debugging, conditions_met_together_are_one_trap) {
    event_log r;
    r.on_return(0, tf);
    r.execute(step_and_watch);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | bs | 4);
}

TEST(debugging, a_repeated_instruction_is_stepped_by_element) {
    event_log r;
    r.execute(step_string);
    ASSERT_EQ(r.events(), 3u + 3u);  // three elements, PUSHF, AND, POPF
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(2).eip, r.mark(0) + 2);
    EXPECT_EQ(r.at(1).eflags & rf, rf);
    EXPECT_EQ(r.at(2).eflags & rf, 0u);
}

TEST(debugging, iret_begins_stepping_behind_its_target) {
    event_log r;
    r.on_return(0, tf);
    r.execute(step_by_iret);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
}

// Both wait for a store to a device to end.
TEST(debugging, a_trap_comes_before_an_interrupt) {
    event_log r;
    r.start(0, 0x1000, step_device);
    r.run(1000);
    r.on_return(0, tf);
    EXPECT_EQ(r.events(), 1u);  // behind STI
    ASSERT_EQ(r.posted.size(), 1u);
    r.interrupt(0x43);
    r.run(1100);
    EXPECT_EQ(r.events(), 1u);
    r.answer(r.posted[0], 1110);
    r.run_to_halt();
    ASSERT_EQ(r.events(), 3u);
    EXPECT_EQ(r.at(1).vector, 1u);
    EXPECT_EQ(r.at(1).eip, r.mark(0));
    EXPECT_EQ(r.at(2).vector, 0x43u);
    EXPECT_EQ(r.at(2).eip, r.mark(0));
    EXPECT_EQ(r.posted.size(), 1u);  // the store was made once
}

// ---- the rest

TEST(debugging, int1_has_no_condition) {
    event_log r;
    r.execute(icebp);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear);
}

TEST(debugging, general_detect_faults_and_is_cleared) {
    event_log r;
    r.execute(general_detect);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | bd);
    EXPECT_EQ(r.at(0).eflags & rf, rf);
    EXPECT_EQ(r.mark(4), 0x400u);
}

TEST(debugging, port_breakpoints_trap_when_the_access_is_done) {
    parameters p;
    p.profile = isa::profile::compat;
    event_log r(p);
    r.start(0, 0x1000, port_breakpoint);
    r.run(2000);
    EXPECT_EQ(r.events(), 0u);
    ASSERT_EQ(r.posted.size(), 1u);
    const core::device_request& q = r.posted[0];
    EXPECT_EQ(q.space, core::address_space::ports);
    EXPECT_EQ(q.address, 0x80u);
    EXPECT_TRUE(q.write);
    EXPECT_EQ(q.size, 1u);
    EXPECT_EQ(q.data[0], 0x5a);
    r.answer(q, r.unit.cpu().now() + 10);
    r.run_to_halt();
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).eip, r.mark(0));
    EXPECT_EQ(r.at(0).dr6, dr6_clear | 2);
}

}  // namespace
}  // namespace knc::card::test

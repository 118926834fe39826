// Skid: the clocks from an overflow to the first instruction of the handler, part by part.
//
// Of thread 0 unless said otherwise, alone on its core, with the default of 40 clocks for event
// entry and an edge that is at the local APIC in the clock after the overflow. With "n" the clock
// of the overflow, the thread takes the interrupt at clock b and the handler begins at b + 40:
// delivery is 1, boundary b - (n + 1), entry 40.

#include "skid_rig.h"

namespace knc::card::test {
namespace {

// The instruction at n, the next one would issue at n + 2.
TEST(skid, instructions_of_one_clock) {
    skid_rig r;
    r.start(0, 0x1000, singles);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 50);
    r.run(2000);
    expect_one(r.skid(), 1, 1, 40, 0);
    EXPECT_EQ(r.skid().histogram[5], 1u);  // 42 clocks
    EXPECT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, pmi_vector);
}

// 25 clocks more: the request at n + 26, an issue slot. Meanwhile the slots n + 2 to n + 24.
TEST(skid, the_way_to_the_local_apic_may_take_time) {
    parameters p;
    p.core.pmi_cycles = 25;
    skid_rig r(p);
    r.start(0, 0x1000, singles);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 50);
    r.run(2000);
    expect_one(r.skid(), 26, 0, 40, 12);
}

// An edge finds the entry as it is when it arrives.
TEST(skid, an_edge_on_its_way_is_lost_at_an_entry_masked_meanwhile) {
    parameters p;
    p.core.pmi_cycles = 25;
    skid_rig r(p);
    r.start(0, 0x1000, singles);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 1);
    r.run(in_stream + 10);
    EXPECT_EQ(r.unit.pmu().state(0).status, 1u);
    r.enable(pmi_vector | masked);
    r.run(2000);
    EXPECT_EQ(r.skid().count, 0u);
    EXPECT_EQ(r.unit.apic(0).pmi_lost_count(), 1u);
}

// Microcode cycle 10 of the DIV that issues in d is clock n = d + 9; the next slot d + 41.
KNC_STREAM(divides, "sti\n", "divl %ecx");
TEST(skid, inside_a_divide) {
    skid_rig r;
    r.start(0, 0x1000, divides);
    r.enable();
    r.run(in_stream);
    r.arm(microcode_cycles, 10);
    r.run(3000);
    expect_one(r.skid(), 1, 41 - 10, 40, 0);
}

// The divide itself overflows, in its first clock; it is the last instruction before the interrupt.
TEST(skid, by_a_divide) {
    skid_rig r;
    r.start(0, 0x1000, divides);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, r.distance(before_text));
    r.run(3000);
    expect_one(r.skid(), 1, 40, 40, 0);
}

// RDPMC counts in its last clock, n; the next slot is n + 1. It has not retired when it counts.
KNC_STREAM(reads_counter, "sti\n", "movl $0, %ecx\nrdpmc");
TEST(skid, by_an_instruction_that_counts_before_it_retires) {
    skid_rig r;
    r.start(0, 0x1000, reads_counter);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, r.distance(before_text + 1));
    r.run(3000);
    expect_one(r.skid(), 1, 0, 40, 0);
}

// The WRMSR raises the line: the status bit has stood since the stream. Its last clock counts as n.
KNC_STREAM(sets_int, "sti\n", "movl $0x28, %ecx\nmovl $0x530016, %eax\nwrmsr");
TEST(skid, by_a_register_write) {
    skid_rig r;
    r.start(0, 0x1000, sets_int);
    r.enable();
    r.run(in_stream);
    r.arm(instructions & ~(std::uint64_t{1} << 20), 50);
    r.run(3000);
    EXPECT_EQ(r.unit.pmu().state(0).overflows[0], 1u);
    expect_one(r.skid(), 1, 0, 40, 0);
}

// With 10 instructions left before STI, at n + 2 to n + 20: STI at n + 22 takes 7 clocks, the NOP
// in its shadow issues at n + 29, the interrupt is taken at n + 31.
TEST(skid, interrupts_off_for_a_while) {
    skid_rig r;
    r.start(0, 0x1000, interrupts_off);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, r.distance(before_text - 11));
    r.run(3000);
    expect_one(r.skid(), 1, 30, 40, 12);
}

TEST(skid, nmi_needs_no_interrupt_flag) {
    skid_rig r;
    r.start(0, 0x1000, interrupts_off);
    r.enable(nmi_entry);
    r.run(in_stream);
    r.arm(instructions, r.distance(before_text - 11));
    r.run(3000);
    expect_one(r.skid(), 1, 1, 40, 0);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, isa::vector_nmi);
}

// A lost edge is not measured, although its status bit stands until software clears it; the next
// one is measured from its own overflow.
TEST(skid, an_entry_that_is_masked_and_unmasked) {
    skid_rig r;
    r.start(0, 0x1000, singles);
    r.enable(pmi_vector | masked);
    r.run(in_stream);
    r.arm(instructions, 10);
    r.run(in_stream + 100);
    EXPECT_EQ(r.unit.apic(0).pmi_lost_count(), 1u);
    r.enable();
    r.run(in_stream + 200);
    EXPECT_EQ(r.skid().count, 0u);
    EXPECT_EQ(r.unit.pmu().state(0).status, 1u);
    ASSERT_TRUE(r.unit.pmu().write(0, overflow_control, 1));
    r.arm(instructions, 10);
    r.run(3000);
    expect_one(r.skid(), 1, 1, 40, 0);
}

// The second counter overflows in the same clock or 3 instructions later, while the line stands and
// the first request waits: there is one edge.
void expect_one_of_two(std::uint64_t apart) {
    skid_rig r;
    r.start(0, 0x1000, interrupts_off);
    r.enable();
    r.run(in_stream);
    const std::uint64_t first = r.distance(before_text - 11);
    r.arm(instructions, first, 0);
    r.arm(instructions, first + apart, 1);
    r.run(3000);
    EXPECT_EQ(r.unit.pmu().state(0).status, 3u);
    EXPECT_EQ(r.unit.apic(0).pmi_count(), 1u);
    expect_one(r.skid(), 1, 30, 40, 12);
}
TEST(skid, two_overflows_in_one_clock) {
    expect_one_of_two(0);
}
TEST(skid, an_overflow_while_another_waits) {
    expect_one_of_two(3);
}

// Without the mask bit that delivery sets, a second edge can find the request standing: software
// has cleared the status bit and an overflow has set it again. The interrupt is measured from the
// first edge.
TEST(skid, an_edge_while_its_request_stands) {
    parameters p;
    p.apic.lvtpc_automask = false;
    skid_rig r(p);
    r.start(0, 0x1000, interrupts_off);
    r.enable();
    r.run(in_stream);
    const std::uint64_t first = r.distance(before_text - 11);
    r.arm(instructions, first);
    r.run(r.unit.cpu().now() + 2 * first + 4);
    ASSERT_EQ(r.unit.apic(0).pmi_count(), 1u);
    ASSERT_TRUE(r.unit.pmu().write(0, overflow_control, 1));
    r.arm(instructions, 1);
    r.run(3000);
    EXPECT_EQ(r.unit.apic(0).pmi_count(), 2u);
    expect_one(r.skid(), 1, 30, 40, 12);
}

// Thread 1 issues a DIV in each clock that follows one of thread 0's. n: thread 0's overflow.
// n + 1: DIV, 41 clocks. n + 42: thread 0 takes the interrupt, 40 clocks. n + 82: thread 1, which
// has waited longer, issues its next DIV, 41 clocks. n + 123: the handler.
KNC_PROGRAM(only_divides, "movl $7, %ecx\nxorl %edx, %edx\n.rept 400\ndivl %ecx\n.endr\n1: jmp 1b");
TEST(skid, microcode_of_another_thread) {
    skid_rig r;
    r.start(0, 0x1000, singles);
    r.enable();
    r.run(200);
    r.start(1, 0x6000, only_divides);
    r.run(1000);
    r.arm(instructions, 10);
    r.run(5000);
    expect_one(r.skid(), 1, 41, 81, 0);
    EXPECT_EQ(r.skid(1).count, 0u);
}

// The load issues in d and waits for the device from d + 1 on: the 10th clock of that is d + 10 =
// n. Answered at x, it is executed again there; the next slot is x + 2.
KNC_STREAM(reads_device, "sti\n", "movl 0xfef00000, %ebx");
TEST(skid, a_device_access) {
    skid_rig r;
    r.start(0, 0x1000, reads_device);
    r.enable();
    r.run(in_stream);
    r.arm(fe_stalled, 10);
    r.run(2000);
    ASSERT_EQ(r.posted.size(), 1u);
    EXPECT_EQ(r.skid().count, 0u);
    const base::cycle_t overflow = r.posted[0].issued + 10, answered = 2100;
    r.answer(r.posted[0], answered);
    r.run(3000);
    expect_one(r.skid(), 1, answered + 2 - (overflow + 1), 40, 1);
}

// Every clock without an instruction counts: the 50th from clock x on is x + 49 = n. The thread
// wakes and takes the interrupt in the clock the request is there.
KNC_PROGRAM(halts, KNC_LOGGED "sti\nhlt");
TEST(skid, of_a_halted_thread) {
    skid_rig r;
    r.start(0, 0x1000, halts);
    r.enable();
    r.run(in_stream);
    ASSERT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    r.arm(without_instruction, 50);
    r.run(2000);
    expect_one(r.skid(), 1, 0, 40, 0);
    EXPECT_EQ(r.events(), 1u);
}

// The DELAY issues in d and waits from d + 1 on: the 100th clock of that is d + 100 = n. The
// request ends the DELAY at once.
TEST(skid, an_interrupt_ends_a_delay) {
    long_rig r;
    r.begin(delays, r.near);
    expect_one(r.skid(), 1, 0, 40, 0);
}

// With interrupts off the DELAY lasts 1 + 500 clocks, to STI at d + 501; NOP d + 508, interrupt
// d + 510 = n + 410.
KNC_DELAYS(delays_off, "cli", "sti\nnop");
TEST(skid, interrupts_off_during_a_delay) {
    long_rig r;
    r.begin(delays_off, r.near);
    expect_one(r.skid(), 1, 409, 40, 2);
}

// How far the tile runs ahead makes no difference.
TEST(skid, is_the_same_clock_by_clock) {
    parameters p;
    p.core.pmi_cycles = 7;
    skid_rig at_once("at_once", p), by_clock("by_clock", p);
    for (skid_rig* r : {&at_once, &by_clock}) {
        r->start(0, 0x1000, divides);
        r->start(1, 0x6000, only_divides);
        r->enable();
        r->arm(instructions, 30);
    }
    at_once.run(20'000);
    while (by_clock.unit.cpu().now() < 20'000) by_clock.run(by_clock.unit.cpu().now() + 1);
    const core::skid_statistics &a = at_once.skid(), &b = by_clock.skid();
    expect_one(b, 8, a.boundary.sum, a.entry.sum, a.instructions.sum);
    expect_one(a, 8, b.boundary.sum, b.entry.sum, b.instructions.sum);
}

}  // namespace
}  // namespace knc::card::test

// Skid: event entry, from the boundary at which the interrupt is taken to the first instruction of
// the handler, and interrupts that never get there.

#include "skid_rig.h"

namespace knc::card::test {
namespace {

// The register that the interrupted program wrote last is long there when the handler uses it: no
// interlock delays its first instruction.
KNC_PROGRAM(loads, "movl (%eax), %edx\n1: jmp 1b");
TEST(skid, event_entry_outlasts_interlocks) {
    skid_rig r;
    r.start(0, 0x1000, singles);
    r.load(event_log::stub(pmi_vector), loads);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 50);
    r.run(2000);
    expect_one(r.skid(), 1, 1, 40, 0);
    EXPECT_EQ(r.count(0, base::pipeline_agi_stalls), 0u);
}

// A handler that begins with an instruction that acts late: its issue counts, not its end.
KNC_PROGRAM(reads_time, "rdtsc\n1: jmp 1b");
TEST(skid, the_handler_begins_when_its_first_instruction_issues) {
    skid_rig r;
    r.start(0, 0x1000, singles);
    r.load(event_log::stub(pmi_vector), reads_time);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 50);
    r.run(2000);
    expect_one(r.skid(), 1, 1, 40, 0);
}

// An NMI comes during event entry and is handled first. What is measured is compared with what is
// seen clock by clock.
TEST(skid, an_nmi_before_the_handler) {
    skid_rig r;
    r.start(0, 0x1000, singles);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 50);
    while (r.unit.apic(0).isr().highest() != pmi_vector) r.run(r.unit.cpu().now() + 1);
    const base::cycle_t taken = r.unit.cpu().now() - 1;
    apic::interrupt_message m;
    m.mode = apic::delivery_mode::nmi;
    r.unit.apic(0).receive(m, r.unit.cpu().now());
    r.unit.cpu().notify();
    const std::uint64_t entry = event_log::stub(pmi_vector);
    const auto at_entry = [&] { return r.unit.cpu().state(0).r[isa::rip] == entry; };
    while (at_entry()) r.run(r.unit.cpu().now() + 1);
    EXPECT_EQ(r.unit.cpu().now() - 1, taken + 40);  // the NMI is taken
    while (!at_entry()) r.run(r.unit.cpu().now() + 1);
    while (at_entry()) r.run(r.unit.cpu().now() + 1);
    expect_one(r.skid(), 1, 1, r.unit.cpu().now() - 1 - taken, 0);
    EXPECT_GT(r.skid().entry.sum, 80u);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, isa::vector_nmi);
    r.run(r.unit.cpu().now() + 200);
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(1).vector, pmi_vector);
}

TEST(skid, a_handler_that_is_not_there) {
    skid_rig r;
    r.remove_gate(pmi_vector);
    r.start(0, 0x1000, singles);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 50);
    r.run(2000);
    EXPECT_EQ(r.unit.apic(0).pmi_count(), 1u);
    EXPECT_EQ(r.skid().count, 0u);
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, isa::vector_np);
}

// The handler's first instruction waits for its translation: the code TLB holds 4 KB pages, the
// second level the 2 MB page, which takes 8 clocks.
TEST(skid, a_page_walk_for_the_handler) {
    long_rig r;
    r.begin(delays, r.far);
    expect_one(r.skid(), 1, 0, 40 + 8, 0);
    EXPECT_EQ(r.count(0, base::long_code_page_walk), 1u);  // the program's
}

TEST(skid, init_forgets_an_interrupt_that_waits) {
    skid_rig r;
    r.start(0, 0x1000, interrupts_off);
    r.enable();
    r.run(in_stream);
    r.arm(instructions, 10);
    r.run(in_stream + 30);
    ASSERT_EQ(r.unit.apic(0).pmi_count(), 1u);
    apic::interrupt_message m;
    m.mode = apic::delivery_mode::init;
    r.unit.apic(0).receive(m, r.unit.cpu().now());
    r.unit.cpu().notify();
    r.run(in_stream + 40);
    // Another interrupt of the same vector, after a new start.
    r.start(0, 0x6000, singles);
    r.interrupt(pmi_vector);
    r.run(3000);
    EXPECT_EQ(r.events(), 1u);
    EXPECT_EQ(r.skid().count, 0u);
}

}  // namespace
}  // namespace knc::card::test

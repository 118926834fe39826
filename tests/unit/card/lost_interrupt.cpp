// An interrupt whose delivery faults, and one that comes while a device access is under way.

#include "event_log.h"

namespace knc::card::test {
namespace {

constexpr std::uint32_t rf = 1u << 16;

KNC_PROGRAM(waits, KNC_LOGGED
            "movl $300, %ecx\n1: decl %ecx\njnz 1b\nsti\nnop\n2: incl %ebx\ncmpl $400, %ebx\njne "
            "2b\ncli\nhlt");

// It was acknowledged, so it is in service; its handler never ran, and nothing delivers it again.
TEST(lost_interrupt, the_fault_is_handled_and_the_interrupt_stays_in_service) {
    event_log r;
    r.remove_gate(0x42);
    r.start(0, 0x1000, waits);
    r.run(300);
    r.interrupt(0x42);
    r.run_to_halt();
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, 11u);
    EXPECT_EQ(r.at(0).error, 0x42u * 8 + 2 + 1);
    EXPECT_EQ(r.at(0).eflags & rf, rf);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rbx], 400u);  // the program has gone on
    EXPECT_FALSE(r.unit.apic(0).irr().test(0x42));
    EXPECT_TRUE(r.unit.apic(0).isr().test(0x42));
}

// Until software ends it, it keeps its like out; then the next one comes.
TEST(lost_interrupt, an_eoi_makes_room_for_the_next) {
    event_log r;
    r.remove_gate(0x42);
    r.start(0, 0x1000, waits);
    r.run(300);
    r.interrupt(0x42);
    r.run(1000);
    ASSERT_EQ(r.events(), 1u);
    r.put(0x8100 + 8 * 0x42, std::uint64_t{r.stub(0x42)} | 0x8e00'0008'0000);
    r.interrupt(0x42);
    r.run(1200);
    EXPECT_EQ(r.events(), 1u);
    ASSERT_TRUE(r.unit.apic(0).write(0xb0, 0, r.unit.cpu().now()));
    r.unit.cpu().notify();
    r.run_to_halt();
    ASSERT_EQ(r.events(), 2u);
    EXPECT_EQ(r.at(1).vector, 0x42u);
}

KNC_PROGRAM(stores_to_device, KNC_LOGGED "sti\nmovl $7, 0xfef00000\n1: cli\nhlt");

TEST(lost_interrupt, a_device_access_under_way_is_made_once) {
    event_log r;
    r.start(0, 0x1000, stores_to_device);
    r.run(500);
    ASSERT_EQ(r.posted.size(), 1u);
    r.interrupt(0x44);
    r.run(600);
    EXPECT_EQ(r.events(), 0u);
    r.answer(r.posted[0], 650);
    r.run_to_halt();
    ASSERT_EQ(r.events(), 1u);
    EXPECT_EQ(r.at(0).vector, 0x44u);
    EXPECT_EQ(r.posted.size(), 1u);
}

}  // namespace
}  // namespace knc::card::test

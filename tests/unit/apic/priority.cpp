// Acceptance, priorities, acknowledgement and end of interrupt.

#include "fixture.h"

namespace apic_test {

struct priority : apic_fixture {
    priority() { enable(); }
};

TEST_F(priority, request_service_end) {
    receive(0x61);
    EXPECT_TRUE(apic.pending());
    EXPECT_TRUE(apic.interrupt_pending());
    EXPECT_EQ(read(reg::irr + 0x30), 2u);  // vector 61h: bit 1 of the fourth register
    EXPECT_EQ(acknowledge(), 0x61);
    EXPECT_EQ(read(reg::irr + 0x30), 0u);
    EXPECT_EQ(read(reg::isr + 0x30), 2u);
    EXPECT_EQ(read(reg::ppr), 0x60u);
    EXPECT_FALSE(apic.pending());
    eoi();
    EXPECT_EQ(read(reg::isr + 0x30), 0u);
    EXPECT_EQ(read(reg::ppr), 0u);
    EXPECT_EQ(apic.eoi_count(), 1u);
    EXPECT_TRUE(wire.eois.empty());  // edge-triggered
}

TEST_F(priority, each_vector_has_its_bit) {
    for (unsigned v = 16; v < 256; ++v) {
        receive(static_cast<std::uint8_t>(v));
        EXPECT_EQ(read(reg::irr + v / 32 * 0x10), 1u << v % 32);
        EXPECT_EQ(acknowledge(), v);
        EXPECT_EQ(read(reg::isr + v / 32 * 0x10), 1u << v % 32);
        eoi();
    }
}

TEST_F(priority, highest_vector_first) {
    receive(0x35), receive(0xF0), receive(0x42), receive(0xEF);
    for (int v : {0xF0, 0xEF, 0x42, 0x35}) {
        EXPECT_EQ(acknowledge(), v);
        eoi();
    }
    EXPECT_FALSE(apic.pending());
}

TEST_F(priority, nesting_by_class) {
    receive(0x45);
    EXPECT_EQ(acknowledge(), 0x45);
    receive(0x4F);  // same class: has to wait
    EXPECT_FALSE(apic.interrupt_pending());
    receive(0x50);  // higher class: nests
    EXPECT_EQ(acknowledge(), 0x50);
    EXPECT_EQ(read(reg::ppr), 0x50u);
    eoi();  // ends 50h, the highest in service
    EXPECT_EQ(read(reg::ppr), 0x40u);
    EXPECT_FALSE(apic.interrupt_pending());
    eoi();  // ends 45h
    EXPECT_EQ(acknowledge(), 0x4F);
    eoi();
    EXPECT_EQ(read(reg::ppr), 0u);
}

TEST_F(priority, one_request_and_one_in_service_per_vector) {
    receive(0x80);
    EXPECT_EQ(acknowledge(), 0x80);
    receive(0x80);
    receive(0x80);
    eoi();
    EXPECT_EQ(acknowledge(), 0x80);
    eoi();
    EXPECT_FALSE(apic.pending());
}

TEST_F(priority, tpr_holds_back_its_class_and_below) {
    write(reg::tpr, 0x5A);
    receive(0x5F);
    EXPECT_FALSE(apic.interrupt_pending());
    receive(0x60);
    EXPECT_EQ(acknowledge(), 0x60);
    eoi();
    write(reg::tpr, 0x4F);
    EXPECT_EQ(acknowledge(), 0x5F);
}

TEST_F(priority, tpr_of_15_holds_back_all) {
    write(reg::tpr, 0xF0);
    receive(0xFF);
    EXPECT_FALSE(apic.pending());
    apic.set_cr8(0xE, now);
    EXPECT_TRUE(apic.interrupt_pending());
}

TEST_F(priority, processor_priority) {
    receive(0x75);
    acknowledge();
    const std::uint32_t rows[][2] = {{0x00, 0x70}, {0x6F, 0x70}, {0x72, 0x72}, {0x83, 0x83}};
    for (const auto& [tpr, ppr] : rows) {
        write(reg::tpr, tpr);
        EXPECT_EQ(read(reg::ppr), ppr) << std::hex << tpr;
    }
}

TEST_F(priority, arbitration_priority) {
    write(reg::tpr, 0x35);
    EXPECT_EQ(read(reg::apr), 0x35u);  // nothing requested or in service: the TPR
    receive(0x68);
    EXPECT_EQ(read(reg::apr), 0x60u);  // max(TPR class 3 and ISR class 0, IRR class 6)
    acknowledge();
    EXPECT_EQ(read(reg::apr), 0x20u);  // max(3 AND 6 = 2, 0)
    write(reg::tpr, 0x74);
    EXPECT_EQ(read(reg::apr), 0x74u);  // TPR class 7 above both
    receive(0x79);
    EXPECT_EQ(read(reg::apr), 0x74u);  // ... and with a request of its own class
}

TEST_F(priority, spurious_vector) {
    receive(0x41);
    write(reg::tpr, 0x40);  // masked again before INTA
    EXPECT_EQ(acknowledge(), 0xFF);
    EXPECT_EQ(read(reg::isr + 0x20), 0u);  // a spurious interrupt is not in service
    EXPECT_EQ(read(reg::irr + 0x20), 2u);  // the real one waits
    write(reg::svr, 0x13F);
    EXPECT_EQ(acknowledge(), 0x3F);
    write(reg::tpr, 0);
    EXPECT_EQ(acknowledge(), 0x41);
}

TEST_F(priority, eoi_without_service) {
    eoi();
    EXPECT_EQ(apic.eoi_count(), 1u);
    EXPECT_TRUE(wire.eois.empty());
    EXPECT_FALSE(apic.pending());
}

TEST_F(priority, level_triggered_eoi_is_broadcast) {
    interrupt_message m = fixed(0x91);
    m.level_triggered = true;
    apic.receive(m, now);
    EXPECT_EQ(read(reg::tmr + 0x40), 1u << 17);  // 91h = 4 * 32 + 17
    receive(0x52);
    acknowledge();
    now = 200;
    eoi();
    ASSERT_EQ(wire.eois.size(), 1u);
    EXPECT_EQ(wire.eois[0], std::make_pair(std::uint8_t{0x91}, cycle_t{200}));
    acknowledge();
    eoi();  // 52h is edge-triggered
    EXPECT_EQ(wire.eois.size(), 1u);
}

TEST_F(priority, trigger_mode_follows_the_latest_acceptance) {
    interrupt_message m = fixed(0x91);
    m.level_triggered = true;
    apic.receive(m, now);
    m.level_triggered = false;
    apic.receive(m, now);
    EXPECT_EQ(read(reg::tmr + 0x40), 0u);
}

TEST_F(priority, deasserted_level_is_no_interrupt) {
    interrupt_message m = fixed(0x91);
    m.level_triggered = true;
    m.assert_level = false;
    apic.receive(m, now);
    EXPECT_FALSE(apic.pending());
}

TEST_F(priority, software_disabled_takes_no_fixed_interrupts) {
    receive(0x41);
    write(reg::svr, 0xFF);
    receive(0x51);
    apic.receive(of_mode(delivery_mode::lowest_priority, 0x52), now);
    apic.receive(of_mode(delivery_mode::extint), now);
    EXPECT_EQ(acknowledge(), 0x41);  // requested before: kept
    EXPECT_EQ(read(reg::isr + 0x20), 2u);
    eoi();
    EXPECT_FALSE(apic.pending());
    apic.receive(of_mode(delivery_mode::nmi), now);
    EXPECT_TRUE(apic.take_nmi());
}

TEST_F(priority, extint_message_takes_the_vector_from_outside) {
    wire.external = 0x23;
    write(reg::tpr, 0xFF);  // priorities do not concern it
    apic.receive(of_mode(delivery_mode::extint), now);
    EXPECT_TRUE(apic.interrupt_pending());
    EXPECT_EQ(acknowledge(), 0x23);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(read(reg::isr + 0x10), 0u);
    wire.external = -1;
    apic.receive(of_mode(delivery_mode::extint), now);
    EXPECT_EQ(acknowledge(), 0xFF);  // no controller answers
}

// What waits to be taken is gone with the registers, an ExtINT too.
TEST_F(priority, init_drops_what_waits) {
    apic.receive(fixed(0x41), now);
    apic.receive(of_mode(delivery_mode::extint), now);
    EXPECT_TRUE(apic.interrupt_pending());
    apic.receive(of_mode(delivery_mode::init), now);
    ASSERT_TRUE(apic.take_init());
    apic.init_reset();
    EXPECT_FALSE(apic.interrupt_pending());
    EXPECT_FALSE(apic.pending());
    // Nor does it come back with the APIC.
    write(reg::svr, svr::enabled | 0xFF);
    EXPECT_FALSE(apic.interrupt_pending());
}

TEST_F(priority, smi_has_no_effect) {
    apic.receive(of_mode(delivery_mode::smi), now);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(apic.smi_count(), 1u);
}

TEST_F(priority, reserved_mode_has_no_effect) {
    apic.receive(decode(0x4341), now);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(errors(), 0u);
}

}  // namespace apic_test

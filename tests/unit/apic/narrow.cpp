// APIC IDs of 8 bits, as PCs have them: where identifiers are, broadcasts, logical IDs.

#include "fixture.h"

namespace apic_test {

struct narrow : testing::Test {
    static parameters eight_bits() {
        parameters p;
        p.id_bits = 8;
        return p;
    }
    recording_bus wire;
    local_apic apic{eight_bits(), 5, true, wire};
    cycle_t now = 100;

    narrow() { apic.write(reg::svr, 0x1FF, now); }
    std::uint32_t read(std::uint32_t offset) {
        std::uint32_t value = 0xDEADBEEF;
        apic.read(offset, value, now);
        return value;
    }
    interrupt_message sent_to(std::uint32_t icr_high, std::uint32_t icr_low = 0x41) {
        wire.sent.clear();
        apic.write(reg::icr_high, icr_high, now);
        apic.write(reg::icr_low, icr_low, now);
        return wire.sent.at(0).first;
    }
};

TEST_F(narrow, identifiers_have_eight_bits_at_31_24) {
    EXPECT_EQ(read(reg::id), 0x05000000u);
    EXPECT_EQ(apic.id(), 5);
    for (const std::uint32_t offset : {reg::id, reg::ldr, reg::icr_high}) {
        apic.write(offset, 0xABFFFFFF, now);
        EXPECT_EQ(read(offset), 0xAB000000u) << offset;
    }
    EXPECT_EQ(apic.id(), 0xAB);
    apic.reset();
    EXPECT_EQ(read(reg::id), 0x05000000u);
}

TEST_F(narrow, a_message_has_the_destination_of_31_24) {
    interrupt_message expected = fixed(0x41, 0xE0);
    expected.source_id = 5;
    EXPECT_EQ(sent_to(0xE0000000), expected);
    // All ones is the broadcast, which the sender takes too.
    EXPECT_EQ(sent_to(0xFF000000).destination, interrupt_message::broadcast);
    EXPECT_EQ(apic.acknowledge(now), 0x41);
    EXPECT_TRUE(apic.accepts(fixed(0x50, 5), false));
    EXPECT_FALSE(apic.accepts(fixed(0x50, 0x500), false));
}

TEST_F(narrow, logical_ids_have_eight_bits) {
    apic.write(reg::ldr, 0x12000000, now);
    interrupt_message m = fixed(0x50, 0x02);
    m.logical = true;
    EXPECT_TRUE(apic.accepts(m, false));
    m.destination = 0x04;
    EXPECT_FALSE(apic.accepts(m, false));
    // Cluster 1, member 2; cluster F is all clusters.
    apic.write(reg::dfr, 0, now);
    m.destination = 0x13;
    EXPECT_TRUE(apic.accepts(m, false));
    m.destination = 0x23;
    EXPECT_FALSE(apic.accepts(m, false));
    m.destination = 0xF2;
    EXPECT_TRUE(apic.accepts(m, false));
    m.destination = 0xF4;
    EXPECT_FALSE(apic.accepts(m, false));
}

}  // namespace apic_test

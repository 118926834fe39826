// The I/O APIC alone.
#include <knc/sbox/io_apic.h>

#include <vector>

#include <gtest/gtest.h>

namespace knc::sbox::test {
namespace {

struct bench {
    std::vector<interrupt> sent;
    io_apic apic{[this](const interrupt& i) { sent.push_back(i); }};
};

interrupt fixed(std::uint8_t vector, std::uint16_t destination, bool level = false) {
    interrupt i;
    i.vector = vector;
    i.destination = destination;
    i.level = level;
    return i;
}

TEST(io_apic, starts_masked) {
    bench b;
    for (unsigned pin = 0; pin < io_apic::pins; ++pin) {
        EXPECT_EQ(b.apic.low(pin), 0x10000u);
        EXPECT_EQ(b.apic.high(pin), 0u);
        b.apic.pulse(pin);
    }
    EXPECT_TRUE(b.sent.empty());
}

TEST(io_apic, keeps_the_bits_that_can_be_written) {
    bench b;
    // Without mode 3, which is reserved but kept: all of 16:0 but 12 (delivery status) and 14.
    b.apic.write_low(5, 0xffff'ffff);
    EXPECT_EQ(b.apic.low(5), 0x1'afffu);
    b.apic.write_high(5, 0xffff'ffff);
    EXPECT_EQ(b.apic.high(5), 0xffffu);
}

TEST(io_apic, sends_at_each_rising_edge) {
    bench b;
    b.apic.write_high(17, 0xe0);
    b.apic.write_low(17, 0x51);
    b.apic.pulse(17);
    b.apic.set_line(17, true);
    b.apic.set_line(17, true);  // no edge
    b.apic.pulse(18);           // another pin, masked
    EXPECT_EQ(b.sent, (std::vector{fixed(0x51, 0xe0), fixed(0x51, 0xe0)}));
    EXPECT_EQ(b.apic.low(17), 0x51u);  // no remote IRR
}

TEST(io_apic, loses_edges_while_masked) {
    bench b;
    b.apic.write_low(3, entry::masked | 0x51);
    b.apic.set_line(3, true);
    b.apic.write_low(3, 0x51);  // the line is up, but there is no edge
    EXPECT_TRUE(b.sent.empty());
    b.apic.set_line(3, false);
    b.apic.set_line(3, true);
    EXPECT_EQ(b.sent.size(), 1u);
}

TEST(io_apic, polarity_turns_the_edge_round) {
    bench b;
    b.apic.set_line(3, true);
    b.apic.write_low(3, entry::active_low | 0x51);
    b.apic.set_line(3, false);
    EXPECT_EQ(b.sent.size(), 1u);
    b.apic.set_line(3, true);
    EXPECT_EQ(b.sent.size(), 1u);
}

TEST(io_apic, level_sends_once_per_end_of_interrupt) {
    bench b;
    b.apic.write_high(15, 4);
    b.apic.write_low(15, entry::level | 0x61);
    b.apic.set_line(15, true);
    EXPECT_EQ(b.sent, (std::vector{fixed(0x61, 4, true)}));
    EXPECT_EQ(b.apic.low(15), entry::level | entry::remote_irr | 0x61);
    b.apic.set_line(15, false);
    b.apic.set_line(15, true);
    EXPECT_EQ(b.sent.size(), 1u);  // still in service
    b.apic.end_of_interrupt(0x62);
    EXPECT_EQ(b.sent.size(), 1u);  // another vector's
    b.apic.end_of_interrupt(0x61);
    EXPECT_EQ(b.sent.size(), 2u);  // the line is still up
    b.apic.set_line(15, false);
    b.apic.end_of_interrupt(0x61);
    EXPECT_EQ(b.sent.size(), 2u);
    EXPECT_EQ(b.apic.low(15), entry::level | 0x61);
}

TEST(io_apic, unmasking_a_level_entry_sends) {
    bench b;
    b.apic.write_low(15, entry::level | entry::masked | 0x61);
    b.apic.set_line(15, true);
    EXPECT_TRUE(b.sent.empty());
    b.apic.write_low(15, entry::level | 0x61);
    EXPECT_EQ(b.sent.size(), 1u);
    // Software cannot write the remote IRR; an entry made edge-triggered loses it.
    b.apic.write_low(15, entry::level | 0x61);
    EXPECT_EQ(b.apic.low(15), entry::level | entry::remote_irr | 0x61);
    b.apic.write_low(15, entry::masked | 0x61);
    EXPECT_EQ(b.apic.low(15), entry::masked | 0x61);
}

TEST(io_apic, interrupt_set_requests_without_the_pin) {
    bench b;
    b.apic.write_low(16, entry::set | entry::masked | 0x70);
    EXPECT_TRUE(b.sent.empty());
    b.apic.write_low(16, entry::set | 0x70);
    EXPECT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.apic.low(16), 0x70u);
}

TEST(io_apic, delivery_modes) {
    bench b;
    // What the card's machine-check driver writes: an NMI to one thread; bit 15 does not count.
    b.apic.write_high(16, 0);
    b.apic.write_low(16, 4u << 8 | entry::level);
    b.apic.pulse(16);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.sent[0].mode, mode::nmi);
    EXPECT_FALSE(b.sent[0].level);
    EXPECT_EQ(b.apic.low(16) & entry::remote_irr, 0u);
    // Of the eight modes 3 and 6 are reserved.
    b.sent.clear();
    for (std::uint32_t m = 0; m < 8; ++m) {
        b.apic.write_low(16, m << 8 | 1u << command::logical | 0x40);
        b.apic.pulse(16);
    }
    ASSERT_EQ(b.sent.size(), 6u);
    for (std::size_t n = 0; n < 6; ++n) EXPECT_TRUE(b.sent[n].logical);
    EXPECT_EQ(b.sent[5].mode, mode::extint);
}

}  // namespace
}  // namespace knc::sbox::test

// The encoding of messages and the destination match.

#include <random>

#include "fixture.h"

namespace apic_test {

TEST(message, encoding_is_the_icr_layout) {
    interrupt_message m;
    m.mode = delivery_mode::nmi;
    m.vector = 0xA5;
    m.level_triggered = true;
    m.assert_level = true;
    m.logical = true;
    m.destination = 0x1234;
    m.shorthand = destination_shorthand::all_but_self;
    m.source_id = 0x0E0;
    // vector A5 | NMI 4<<8 | logical 1<<11 | assert 1<<14 | level 1<<15 | all but self 3<<18;
    // source at 47:32, destination at 63:48.
    EXPECT_EQ(encode(m), 0x1234'00E0'000C'CCA5u);
}

TEST(message, each_field_has_its_bits) {
    const interrupt_message blank = decode(0);
    EXPECT_EQ(blank.mode, delivery_mode::fixed);
    EXPECT_FALSE(blank.assert_level);
    EXPECT_EQ(decode(0xFF).vector, 0xFF);
    EXPECT_EQ(decode(0x600).mode, delivery_mode::startup);
    EXPECT_TRUE(decode(0x800).logical);
    EXPECT_TRUE(decode(0x4000).assert_level);
    EXPECT_TRUE(decode(0x8000).level_triggered);
    EXPECT_EQ(decode(0x80000).shorthand, destination_shorthand::all);
    EXPECT_EQ(decode(0xFFFF'0000'0000).source_id, 0xFFFF);
    EXPECT_EQ(decode(0xFFFF'0000'0000'0000).destination, 0xFFFF);
    // Delivery status and reserved bits say nothing.
    EXPECT_EQ(decode(0xFFF3'3000), decode(0));
}

TEST(message, decode_inverts_encode) {
    std::mt19937_64 random(7);
    const std::uint64_t meaningful = 0xFFFF'FFFF'000C'CFFF;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t v = random() & meaningful;
        EXPECT_EQ(encode(decode(v)), v);
    }
}

struct match {
    const char* what;
    bool logical;
    std::uint16_t destination;
    address target;
    bool expected;
};

TEST(message, destinations) {
    const address flat{0xE0, 0x0104, 0xF, 4};     // logical bits 2 and 8
    const address cluster{0xE0, 0x0382, 0x0, 4};  // cluster 038, member bit 1
    const address wide{0xE0, 0x0382, 0x0, 8};     // cluster 03, member bits 1 and 7
    const address undefined{0xE0, 0xFFFF, 0x7, 4};
    const match rows[] = {
        {"own id", false, 0x00E0, flat, true},
        {"other id", false, 0x00E1, flat, false},
        {"id is compared with all 16 bits", false, 0x02E0, flat, false},
        {"physical broadcast", false, 0xFFFF, flat, true},
        {"9-bit ones are no broadcast", false, 0x01FF, flat, false},
        {"physical ignores the logical id", false, 0x0104, flat, false},
        {"flat: one bit in common", true, 0x0004, flat, true},
        {"flat: high byte", true, 0x0100, flat, true},
        {"flat: none in common", true, 0xFEFB, flat, false},
        {"flat: broadcast", true, 0xFFFF, flat, true},
        {"flat: nobody", true, 0x0000, flat, false},
        {"cluster: member", true, 0x0382, cluster, true},
        {"cluster: among members", true, 0x038F, cluster, true},
        {"cluster: other member", true, 0x038D, cluster, false},
        {"cluster: other cluster", true, 0x0392, cluster, false},
        {"cluster: all clusters", true, 0xFFF2, cluster, true},
        {"cluster: all clusters, other member", true, 0xFFFD, cluster, false},
        {"cluster: broadcast", true, 0xFFFF, cluster, true},
        {"8 member bits: the other nibble counts", true, 0x0380, wide, true},
        {"8 member bits: cluster is the high byte", true, 0x0482, wide, false},
        {"undefined model: nothing", true, 0x00FF, undefined, false},
        {"undefined model: broadcast", true, 0xFFFF, undefined, true},
    };
    for (const match& r : rows) {
        interrupt_message m = fixed(0x40, r.destination);
        m.logical = r.logical;
        EXPECT_EQ(addresses(m, r.target), r.expected) << r.what;
    }
}

TEST(message, acceptance_by_shorthand_and_sender) {
    recording_bus wire;
    const local_apic a(parameters{}, 5, true, wire);
    constexpr bool own = true, of_another = false;
    // The sender's ID, which may be this one's, says nothing.
    for (const unsigned source : {5u, 9u}) {
        interrupt_message m = fixed(0x40, 5);
        m.source_id = static_cast<std::uint16_t>(source);
        EXPECT_TRUE(a.accepts(m, of_another));
        m.shorthand = destination_shorthand::self;
        EXPECT_FALSE(a.accepts(m, of_another));  // self never leaves its sender
        m.shorthand = destination_shorthand::all;
        EXPECT_TRUE(a.accepts(m, of_another));
        m.shorthand = destination_shorthand::all_but_self;
        EXPECT_TRUE(a.accepts(m, of_another));
        // As the sender of the message: it has served itself before sending.
        EXPECT_FALSE(a.accepts(m, own));
        m.shorthand = destination_shorthand::all;
        EXPECT_FALSE(a.accepts(m, own));
        m.shorthand = destination_shorthand::none;
        EXPECT_FALSE(a.accepts(m, own));
        // A lowest-priority message to a group is arbitrated with the sender in it, unless left
        // out.
        m.mode = delivery_mode::lowest_priority;
        m.destination = interrupt_message::broadcast;
        EXPECT_TRUE(a.accepts(m, own));
        m.shorthand = destination_shorthand::all_but_self;
        EXPECT_FALSE(a.accepts(m, own));
        EXPECT_TRUE(a.accepts(m, of_another));
    }
}

}  // namespace apic_test

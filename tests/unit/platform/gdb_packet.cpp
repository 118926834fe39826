// Packets of gdb's protocol: their frame, hexadecimal text, and what arrives in any form.
#include <platform/gdb_packet.h>

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace platform {
namespace {

using kind = gdb_packet_reader::kind;

// Everything that `bytes` contain, in pieces of `part` bytes.
std::vector<gdb_packet_reader::item> items_of(gdb_packet_reader& reader, std::string_view bytes,
                                              std::size_t part) {
    std::vector<gdb_packet_reader::item> items;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
        reader.add(bytes.substr(at, part));
        for (auto i = reader.next(); i.what != kind::none; i = reader.next()) items.push_back(i);
    }
    return items;
}

TEST(gdb_packet, has_the_frame_of_the_manual) {
    // The sum of the characters, modulo 256: 'O' + 'K' = 0x4f + 0x4b = 0x9a.
    EXPECT_EQ(frame_packet("OK"), "$OK#9a");
    EXPECT_EQ(frame_packet(""), "$#00");
    // $, #, } and * are } and the character with bit 5 changed; the sum is that of what is sent:
    // 0x7d + 0x04 = 0x81.
    EXPECT_EQ(escape_packet("$#}*"), "}\x04}\x03}\x5d}\x0a");
    EXPECT_EQ(frame_packet(escape_packet("$")), "$}\x04#81");
}

TEST(gdb_packet, hexadecimal_text) {
    EXPECT_EQ(to_hex(std::string_view("\x00\xff\x5a", 3)), "00ff5a");
    EXPECT_EQ(from_hex("00fF5a"), std::string("\x00\xff\x5a", 3));
    EXPECT_EQ(from_hex("123"), std::nullopt);
    EXPECT_EQ(from_hex("1g"), std::nullopt);
    std::string_view text = "ffffffffffffffff,1";
    EXPECT_EQ(take_hex(text), ~std::uint64_t{0});
    EXPECT_EQ(text, ",1");
    text = "10000000000000000";  // 2^64
    EXPECT_EQ(take_hex(text), std::nullopt);
    text = "";
    EXPECT_EQ(take_hex(text), std::nullopt);
    text = "a:b:c";
    EXPECT_EQ(take_until(text, ':'), "a");
    EXPECT_EQ(take_until(text, ';'), "b:c");
    EXPECT_EQ(text, "");
}

TEST(gdb_packet, comes_in_pieces_of_any_size) {
    const std::string bytes = "+$qC#b4\x03-$m10,4#2e$X}\x03#d8";
    for (std::size_t part = 1; part <= bytes.size(); ++part) {
        gdb_packet_reader reader;
        const auto items = items_of(reader, bytes, part);
        ASSERT_EQ(items.size(), 6u) << part;
        EXPECT_EQ(items[0].what, kind::accepted);
        EXPECT_EQ(items[1].what, kind::packet);
        EXPECT_EQ(items[1].content, "qC");
        EXPECT_EQ(items[2].what, kind::interrupt);
        EXPECT_EQ(items[3].what, kind::rejected);
        EXPECT_EQ(items[4].content, "m10,4");
        EXPECT_EQ(items[5].content, "X#");
    }
}

TEST(gdb_packet, a_bad_one_is_named_and_the_next_one_is_read) {
    gdb_packet_reader reader;
    // A wrong sum, one that is no number, and a packet without an end.
    const auto items = items_of(reader, "$qC#b5$qC#zz$qC$OK#9a", 1);
    ASSERT_EQ(items.size(), 3u);
    EXPECT_EQ(items[0].what, kind::bad);
    EXPECT_EQ(items[1].what, kind::bad);
    EXPECT_EQ(items[2].content, "OK");
}

TEST(gdb_packet, a_longer_one_than_announced_is_refused) {
    gdb_packet_reader reader;
    const auto longest = items_of(reader, frame_packet(std::string(gdb_packet_bytes, 'a')), 4096);
    ASSERT_EQ(longest.size(), 1u);
    EXPECT_EQ(longest[0].content.size(), gdb_packet_bytes);
    const auto longer =
        items_of(reader, frame_packet(std::string(gdb_packet_bytes + 1, 'a')), 4096);
    ASSERT_EQ(longer.size(), 1u);
    EXPECT_EQ(longer[0].what, kind::bad);
    EXPECT_EQ(items_of(reader, "$OK#9a", 64)[0].content, "OK");
}

// What was sent comes back, whatever its bytes and with whatever between.
TEST(gdb_packet, random_contents_arrive) {
    std::mt19937 random{20261123};
    for (int round = 0; round < 2000; ++round) {
        SCOPED_TRACE(testing::Message() << "seed 20261123, round " << round);
        std::string content;
        for (auto n = random() % 200; n != 0; --n) content += static_cast<char>(random() % 256);
        std::string bytes;
        // Noise that begins no packet.
        for (auto n = random() % 5; n != 0; --n) bytes += static_cast<char>('0' + random() % 10);
        bytes += frame_packet(escape_packet(content));
        gdb_packet_reader reader;
        const auto items = items_of(reader, bytes, 1 + random() % 50);
        ASSERT_EQ(items.size(), 1u);
        ASSERT_EQ(items[0].what, kind::packet);
        ASSERT_EQ(items[0].content, content);
    }
}

}  // namespace
}  // namespace platform

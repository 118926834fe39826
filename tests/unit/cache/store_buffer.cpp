#include <knc/cache/store_buffer.h>

#include <gtest/gtest.h>

namespace knc::cache {
namespace {

TEST(store_buffer, keeps_stores_in_order) {
    store_buffer b;
    EXPECT_TRUE(b.empty());
    const std::uint32_t first = 0x11111111, second = 0x22222222;
    b.push(0x1000, 4, &first);
    b.push(0x2040, 2, &second);
    EXPECT_EQ(b.size(), 2u);
    EXPECT_EQ(b.first().paddr, 0x1000u);
    EXPECT_EQ(b.last().line(), 0x81u);
    EXPECT_TRUE(b.has(0x40));
    EXPECT_FALSE(b.has(0x41));
    b.pop();
    EXPECT_FALSE(b.has(0x40));
    EXPECT_EQ(b.first().size, 2u);
}

TEST(store_buffer, shows_a_load_what_was_stored_last) {
    store_buffer b;
    const std::uint64_t a = 0xaaaaaaaaaaaaaaaa, c = 0xcccccccccccccccc;
    b.push(0x1000, 8, &a);
    b.push(0x1006, 4, &c);
    // Bytes 4 to 11 of what was there before: two of the first store, four of the second, the rest.
    std::uint64_t data = 0x1111111111111111;
    b.forward(0x1004, 8, reinterpret_cast<std::uint8_t*>(&data));
    EXPECT_EQ(data, 0x1111ccccccccaaaau);
    std::uint64_t elsewhere = 5;
    b.forward(0x100a, 8, reinterpret_cast<std::uint8_t*>(&elsewhere));
    EXPECT_EQ(elsewhere, 5u);
}

TEST(store_buffer, knows_stores_of_whole_lines) {
    store_buffer b;
    coherence::line_data line;
    line.fill(7);
    b.push_whole(3, line);
    EXPECT_TRUE(b.first().whole);
    EXPECT_EQ(b.first().paddr, 3u * 64);
    EXPECT_EQ(b.first().size, 64u);
    b.push(0, 1, line.data());
    EXPECT_FALSE(b.last().whole);
}

}  // namespace
}  // namespace knc::cache

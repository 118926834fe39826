#include <knc/cache/write_combining_buffers.h>

#include <gtest/gtest.h>

namespace knc::cache {
namespace {

void store(write_combining_buffers& b, std::uint64_t paddr, unsigned size, std::uint8_t byte) {
    coherence::line_data data;
    data.fill(byte);
    b.add(paddr, size, data.data());
}

TEST(write_combining_buffers, merge_stores_to_a_line) {
    write_combining_buffers b;
    store(b, 0x1004, 4, 1);
    store(b, 0x1006, 4, 2);
    ASSERT_EQ(b.size(), 1u);
    const auto& e = b.entries()[0];
    EXPECT_EQ(e.line, 0x40u);
    EXPECT_EQ(e.mask, 0x3f0u);
    EXPECT_EQ(e.data[5], 1);
    EXPECT_EQ(e.data[6], 2);
    EXPECT_FALSE(e.closed);
}

TEST(write_combining_buffers, close_a_complete_line) {
    write_combining_buffers b;
    for (unsigned n = 0; n < 64; n += 8) {
        EXPECT_TRUE(b.empty() || !b.entries()[0].closed);
        store(b, 0x1000 + n, 8, 1);
    }
    EXPECT_TRUE(b.entries()[0].closed);
    store(b, 0x2000, 64, 1);
    EXPECT_TRUE(b.entries()[1].closed);
    // Stores behind that are another write, which comes later.
    store(b, 0x1000, 1, 2);
    ASSERT_EQ(b.size(), 3u);
    EXPECT_EQ(b.entries()[2].mask, 1u);
}

TEST(write_combining_buffers, take_as_many_lines_as_there_is_room_for) {
    write_combining_buffers b;
    EXPECT_TRUE(b.room(1, 0, 2));
    store(b, 0x40, 1, 1);
    EXPECT_TRUE(b.room(2, 0, 2));
    EXPECT_FALSE(b.room(2, 1, 2));  // and another of the same instruction
    store(b, 0x80, 1, 1);
    EXPECT_FALSE(b.room(3, 0, 2));
    EXPECT_TRUE(b.room(1, 0, 2));
    b.close_oldest();
    EXPECT_FALSE(b.room(1, 0, 2));
    EXPECT_TRUE(b.room(2, 0, 2));
    // An instruction that needs more than there are gets them when all are free.
    EXPECT_TRUE(write_combining_buffers().room(1, 8, 2));
}

TEST(write_combining_buffers, forget_a_line_whose_write_is_complete) {
    write_combining_buffers b;
    store(b, 0x40, 1, 1);
    store(b, 0x80, 1, 1);
    b.close_all();
    EXPECT_FALSE(b.complete(1));  // nothing is under way
    b.entries()[1].started = true;
    EXPECT_FALSE(b.complete(1));
    EXPECT_TRUE(b.complete(2));
    ASSERT_EQ(b.size(), 1u);
    EXPECT_EQ(b.entries()[0].line, 1u);
}

}  // namespace
}  // namespace knc::cache

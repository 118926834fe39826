// Accesses that no cache keeps, through the caches of one tile.
#include "one_tile.h"

namespace knc::cache {
namespace {

using test::tile;
using kind = coherence::message_kind;

// Bytes 1, 2, 3, ...
uncached_data numbered() {
    uncached_data d;
    for (std::size_t n = 0; n < d.size(); ++n) d[n] = static_cast<std::uint8_t>(n + 1);
    return d;
}

TEST(uncached, reads_any_part_of_a_line) {
    for (const unsigned size : {1u, 8u, 64u}) {
        tile t;
        const unsigned offset = size == 64 ? 0 : 5;
        const uncached_data none{};
        t.caches.l1d().uncached(0, 9, false, 7 * 64 + offset, size, none.data(), ++t.clock);
        EXPECT_EQ(t.log(), "read_once 7; ");
        t.receive(kind::data_once, 7, 0x77);
        EXPECT_EQ(t.log(), "ticket 9; ");
        for (unsigned n = 0; n < 64; ++n) EXPECT_EQ(t.answer[n], n < size ? 0x77 : 0) << n;
    }
}

TEST(uncached, writes_the_bytes_of_the_access_and_no_other) {
    struct {
        unsigned offset, size;
        coherence::byte_mask mask;
    } const cases[] = {{63, 1, 0x8000'0000'0000'0000},
                       {5, 8, 0x1fe0},
                       {0, 64, 0xffff'ffff'ffff'ffff},
                       {0, 0, 0}};  // no bytes: every cache invalidates the line
    for (const auto& c : cases) {
        tile t;
        t.caches.l1d().uncached(0, 9, true, 7 * 64 + c.offset, c.size, numbered().data(),
                                ++t.clock);
        EXPECT_EQ(t.log(), "write_once 7; ");
        EXPECT_EQ(t.sent.mask, c.mask);
        for (unsigned n = 0; n < c.size; ++n) EXPECT_EQ(t.sent.data[c.offset + n], n + 1);
        t.receive(kind::write_done, 7);
        EXPECT_EQ(t.log(), "ticket 9; ");
    }
}

// The L2 tells the thread of each request, whose monitoring ID the request gets, whoever has made
// it possible that the request leaves.
TEST(uncached, accesses_leave_for_their_thread) {
    tile t;
    const uncached_data none{};
    t.caches.l1d().uncached(2, 9, false, 7 * 64, 8, none.data(), ++t.clock);
    EXPECT_EQ(t.sent_for, 2u);
    // Another thread's access to the line waits until the first has ended.
    t.caches.l1d().uncached(1, 10, true, 7 * 64, 8, none.data(), ++t.clock);
    EXPECT_EQ(t.log(), "read_once 7; ");
    t.caches.l1d().uncached(3, 11, true, 8 * 64, 8, none.data(), ++t.clock);
    EXPECT_EQ(t.log(), "write_once 8; ");
    EXPECT_EQ(t.sent_for, 3u);
    t.receive(kind::data_once, 7);
    EXPECT_EQ(t.log(), "ticket 9; write_once 7; ");
    EXPECT_EQ(t.sent_for, 1u);
}

TEST(uncached, combined_stores_leave_for_their_thread) {
    tile t;
    const std::uint8_t byte = 5;
    for (const unsigned thread : {3u, 1u}) {
        ASSERT_TRUE(t.caches.l1d().room_to_combine(thread, 7, 0, ++t.clock));
        t.caches.l1d().combine_store(thread, 7 * 64, 1, &byte, t.clock);
    }
    EXPECT_EQ(t.log(), "");
    EXPECT_FALSE(t.caches.l1d().fenced(3, ++t.clock));
    EXPECT_EQ(t.log(), "write_once 7; ");
    EXPECT_EQ(t.sent_for, 3u);
    // The buffer of thread 1 has the same line and is closed meanwhile.
    EXPECT_FALSE(t.caches.l1d().fenced(1, ++t.clock));
    t.caches.l1d().uncached(0, 9, false, 9 * 64, 1, &byte, ++t.clock);
    EXPECT_EQ(t.log(), "read_once 9; ");
    EXPECT_EQ(t.sent_for, 0u);
    t.receive(kind::write_done, 7);
    EXPECT_EQ(t.log(), "wake 3; write_once 7; ");
    EXPECT_EQ(t.sent_for, 1u);
}

}  // namespace
}  // namespace knc::cache

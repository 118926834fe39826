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

}  // namespace
}  // namespace knc::cache

// Streaming stores through the caches of one tile.
#include "one_tile.h"

namespace knc::cache {
namespace {

using test::tile;
using kind = coherence::message_kind;
using coherence::line_data;
using coherence::message;

TEST(streaming, needs_no_data) {
    tile t;
    EXPECT_TRUE(t.stream(5, 0x55, false));
    EXPECT_EQ(t.log(), "i_to_m 5; ");
    EXPECT_FALSE(t.caches.l1d().fenced(0, t.clock));
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.log(), "done 5; 64 bytes stored to line 5; wake 0; ");
    EXPECT_TRUE(t.caches.l1d().fenced(0, t.clock));
    EXPECT_EQ(t.value(5), 0x55);
    EXPECT_EQ(t.caches.state(5), coherence::l2_state::m);
    // It missed the L1, and nothing was filled.
    EXPECT_EQ(t.ledger.total(0, base::data_write_miss), 1u);
    EXPECT_EQ(t.ledger.total(0, base::l2_data_write_miss_mem_fill), 0u);
    EXPECT_EQ(t.ledger.total(0, base::l2_data_write_miss_cache_fill), 0u);
}

TEST(streaming, without_order_requests_lines_at_once) {
    tile t;
    EXPECT_TRUE(t.stream(5, 1, false));
    EXPECT_TRUE(t.stream(6, 2, false));
    EXPECT_TRUE(t.stream(7, 3, false));
    EXPECT_EQ(t.log(), "i_to_m 5; i_to_m 6; i_to_m 7; ");
    t.receive(kind::grant, 7);  // and performs them as they come
    EXPECT_EQ(t.log(), "done 7; 64 bytes stored to line 7; ");
    t.receive(kind::grant, 5);
    t.log();
    EXPECT_FALSE(t.caches.l1d().fenced(0, t.clock));
    t.receive(kind::grant, 6);
    EXPECT_TRUE(t.caches.l1d().fenced(0, t.clock));
}

TEST(streaming, in_order_requests_a_line_when_its_turn_has_come) {
    tile t;
    EXPECT_TRUE(t.stream(5, 1, true));
    EXPECT_TRUE(t.stream(6, 2, true));
    EXPECT_EQ(t.log(), "i_to_m 5; ");
    EXPECT_FALSE(t.caches.l1d().drained(0));
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.log(), "done 5; 64 bytes stored to line 5; i_to_m 6; wake 0; ");
    t.receive(kind::grant, 6);
    EXPECT_EQ(t.log(), "done 6; 64 bytes stored to line 6; buffer empty; ");
    EXPECT_TRUE(t.caches.l1d().drained(0));
    EXPECT_EQ(t.value(5), 1);
    EXPECT_EQ(t.value(6), 2);
}

// Behind a plain store, whose line has to be read.
TEST(streaming, in_order_waits_for_stores_before_it) {
    tile t;
    t.store(0, 9);
    EXPECT_TRUE(t.stream(5, 1, true));
    EXPECT_EQ(t.log(), "get_m 9; ");
    t.receive(kind::data_m, 9);
    EXPECT_EQ(t.log(), "done 9; 4 bytes stored to line 9; i_to_m 5; ");
}

// The second of one thread to a line comes after the first, also if neither is ordered.
TEST(streaming, keeps_the_order_of_stores_to_one_line) {
    tile t;
    EXPECT_TRUE(t.stream(5, 1, false));
    EXPECT_TRUE(t.stream(5, 2, false));
    EXPECT_EQ(t.log(), "i_to_m 5; ");
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.log(),
              "done 5; 64 bytes stored to line 5; 64 bytes stored to line 5; buffer empty; ");
    EXPECT_EQ(t.value(5), 2);
}

// A copy that may be read is upgraded, as by any store.
TEST(streaming, upgrades_a_copy) {
    tile t;
    t.load(1, 5);
    t.receive(kind::data_s, 5, 0x11);
    t.log();
    t.clock += 100;
    EXPECT_TRUE(t.stream(5, 2, false));
    EXPECT_EQ(t.log(), "get_m 5; ");
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.log(), "done 5; 64 bytes stored to line 5; buffer empty; ");
    EXPECT_EQ(t.value(5), 2);
}

// A load of another thread waits for the line and finds what was stored.
TEST(streaming, is_seen_by_loads_that_wait_for_the_line) {
    tile t;
    EXPECT_TRUE(t.stream(5, 0x55, false));
    EXPECT_EQ(t.value(5), 0xee);
    EXPECT_EQ(t.log(), "i_to_m 5; ");
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.value(5), 0x55);
}

// A line that is owned without data and not yet written may exist nowhere else: a debugger reads
// the bytes that will be written.
TEST(streaming, shows_a_debugger_what_will_be_there) {
    tile t;
    EXPECT_TRUE(t.stream(5, 0x55, false));
    line_data old;
    old.fill(0x11);
    coherence::debug_view before(5);
    t.caches.view(before);
    before.memory(old);
    EXPECT_EQ(before.value()[0], 0x55);
    // What is on its way to another tile is newer than memory, and still the line's value.
    coherence::debug_view moving(5);
    message m;
    m.kind = kind::data_m;
    m.line = 5;
    m.data.fill(0x22);
    moving.in_flight(m);
    t.caches.view(moving);
    moving.memory(old);
    EXPECT_EQ(moving.value()[0], 0x22);
}

// No more requests at a time than there may be misses.
TEST(streaming, waits_for_room) {
    parameters p = tile::without_prefetcher();
    p.mshrs = 1;
    tile t(p);
    EXPECT_TRUE(t.stream(5, 1, false));
    EXPECT_FALSE(t.stream(6, 2, false));
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.log(), "i_to_m 5; done 5; 64 bytes stored to line 5; wake 0; ");
    EXPECT_TRUE(t.stream(6, 2, false));
}

}  // namespace
}  // namespace knc::cache

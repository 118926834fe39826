// The acknowledgement of an eviction: when it may take effect at once, although the core rests.
#include "one_tile.h"

namespace knc::cache {
namespace {

using test::tile;
using kind = coherence::message_kind;

coherence::message message_of(kind k, line_t line) {
    coherence::message m;
    m.kind = k;
    m.line = line;
    return m;
}

// Line 5 is leaving the tile.
class eviction : public testing::Test {
  protected:
    eviction() {
        t.load(0, 5);
        t.receive(kind::data_e, 5);
        t.caches.l1d().completed(0, t.clock += 100);
        t.caches.l1d().evict(5, ++t.clock);
        EXPECT_EQ(t.log(), "get_s 5; done 5; wake 0; put_clean 5; ");
        EXPECT_EQ(l2.agent().victims_used(), 1u);
    }

    tile t;
    l2_cache& l2 = t.caches.l2();
    const coherence::message ack = message_of(kind::put_ack, 5);
};

TEST_F(eviction, its_acknowledgement_frees_the_buffer_at_once_and_does_nothing_else) {
    ASSERT_TRUE(l2.only_frees(ack));
    l2.process_at_once(ack, t.clock + 10);
    EXPECT_EQ(l2.agent().victims_used(), 0u);
    EXPECT_FALSE(l2.replies_pending());
    EXPECT_EQ(l2.next_event(), base::never);
    EXPECT_EQ(t.log(), "");
    // A request for the line goes out again.
    EXPECT_FALSE(t.load(0, 5));
    EXPECT_EQ(t.log(), "get_s 5; ");
}

TEST_F(eviction, wakes_a_thread_that_waits_for_the_buffer_and_so_needs_the_core) {
    EXPECT_FALSE(t.load(0, 5));
    EXPECT_EQ(t.log(), "");  // refused: the line is still in the victim buffer
    EXPECT_FALSE(l2.only_frees(ack));
    t.receive(kind::put_ack, 5);
    EXPECT_EQ(t.log(), "wake 0; ");
}

TEST_F(eviction, does_not_overtake_a_message_that_has_arrived_before) {
    l2.receive(message_of(kind::invalidate, 9), t.clock + 5);
    EXPECT_FALSE(l2.only_frees(ack));
}

TEST_F(eviction, no_other_message_is_without_effect_on_the_core) {
    for (const kind k : {kind::data_e, kind::grant, kind::invalidate, kind::fwd_get_s, kind::recall,
                         kind::write_done})
        EXPECT_FALSE(l2.only_frees(message_of(k, 5))) << coherence::properties(k).name;
}

}  // namespace
}  // namespace knc::cache

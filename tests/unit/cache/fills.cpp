// Whose a fill is if a store meets the line on its way only when its turn comes: it had the line
// when it went into the store buffer, behind another one, and the line was lost since. (Kernels of
// whole cards have the other cases: tests/caches/fills.cpp.)
#include "one_tile.h"

namespace knc::cache {
namespace {

using test::tile;
using kind = coherence::message_kind;

prefetch_request vprefetch0() {
    prefetch_request r;
    r.to_l1 = r.counted = true;
    return r;
}
prefetch_request vprefetch1() {
    prefetch_request r;
    r.counted = true;
    return r;
}
prefetch_request exclusive(prefetch_request r) {
    r.exclusive = true;
    return r;
}

// Thread 0 has stores to lines 9 and 5 in its buffer. Line 9 is on its way; 5 was there, and has
// gone to another tile.
class late_store : public testing::Test {
  protected:
    late_store() {
        t.load(0, 5);
        t.receive(kind::data_e, 5);
        t.caches.l1d().completed(0, t.clock += 100);
        t.store(0, 9);
        t.store(0, 5);
        t.receive(kind::fwd_get_m, 5);
        EXPECT_EQ(t.caches.state(5), coherence::l2_state::i);
        EXPECT_EQ(t.log(), "get_s 5; done 5; wake 0; get_m 9; data_m 5; ack_clean 5; ");
    }
    // Line 9 comes, and it is the turn of the store to line 5; then that comes.
    void lines_come(kind how) {
        t.receive(kind::data_m, 9);
        EXPECT_EQ(t.log(), "done 9; 4 bytes stored to line 9; ");
        t.receive(how, 5);
    }
    std::uint64_t count(unsigned thread, base::event e) { return t.ledger.total(thread, e); }
    // Fills of line 5: line 9's is the first to be written, that of the load the first to be read.
    void expect_fill(unsigned thread, base::event e) {
        for (unsigned n = 0; n < base::threads_per_core; ++n) {
            EXPECT_EQ(count(n, base::l2_data_read_miss_mem_fill),
                      (n == 0) + (n == thread && e == base::l2_data_read_miss_mem_fill))
                << n;
            EXPECT_EQ(count(n, base::l2_data_write_miss_mem_fill),
                      (n == 0) + (n == thread && e == base::l2_data_write_miss_mem_fill))
                << n;
        }
    }

    tile t;
};

TEST_F(late_store, takes_the_fill_of_vprefetch1) {
    t.prefetch(1, 5, vprefetch1());
    EXPECT_EQ(t.log(), "get_s 5; ");
    lines_come(kind::data_e);
    // It is performed as soon as the line is there.
    EXPECT_EQ(t.log(), "done 5; 4 bytes stored to line 5; buffer empty; ");
    expect_fill(0, base::l2_data_write_miss_mem_fill);
    EXPECT_EQ(count(0, base::l2_data_hit_inflight_pf2), 1u);
    EXPECT_EQ(count(1, base::l2_data_hit_inflight_pf2), 0u);
    EXPECT_EQ(count(0, base::l2_write_hit), 0u);
    // It had been looked for in the L1 when it was there.
    EXPECT_EQ(count(0, base::data_write_miss), 1u);
    EXPECT_EQ(count(0, base::l1_data_hit_inflight_pf1), 0u);
}

TEST_F(late_store, takes_the_fill_of_vprefetch0) {
    t.prefetch(1, 5, vprefetch0());
    EXPECT_EQ(t.log(), "get_s 5; ");
    lines_come(kind::data_e);
    EXPECT_EQ(t.log(), "done 5; 4 bytes stored to line 5; buffer empty; ");
    expect_fill(0, base::l2_data_write_miss_mem_fill);
}

// The line comes shared: there is one fill, and an upgrade, which is none.
TEST_F(late_store, takes_the_fill_of_a_shared_line) {
    t.prefetch(1, 5, vprefetch1());
    EXPECT_EQ(t.log(), "get_s 5; ");
    lines_come(kind::data_s);
    EXPECT_EQ(t.log(), "done 5; get_m 5; ");
    t.receive(kind::grant, 5);
    EXPECT_EQ(t.log(), "done 5; 4 bytes stored to line 5; buffer empty; ");
    expect_fill(0, base::l2_data_write_miss_mem_fill);
}

TEST_F(late_store, leaves_the_fill_to_an_exclusive_prefetch) {
    t.prefetch(1, 5, exclusive(vprefetch1()));
    EXPECT_EQ(t.log(), "get_m 5; ");
    lines_come(kind::data_m);
    expect_fill(1, base::l2_data_write_miss_mem_fill);
    EXPECT_EQ(count(0, base::l2_data_hit_inflight_pf2), 1u);
}

TEST_F(late_store, leaves_the_fill_to_a_load) {
    EXPECT_FALSE(t.load(1, 5));
    EXPECT_EQ(t.log(), "get_s 5; ");
    lines_come(kind::data_e);
    expect_fill(1, base::l2_data_read_miss_mem_fill);
}

// A streaming store reads nothing: what is on its way is not for it.
TEST(streaming_store, leaves_the_fill_to_a_prefetch) {
    tile t;
    t.prefetch(1, 5, vprefetch1());
    EXPECT_TRUE(t.stream(5, 0x55, true));
    t.receive(kind::data_e, 5);
    t.clock += 100;
    t.caches.l1d().process_due_events(t.clock);
    EXPECT_EQ(t.value(5), 0x55);
    EXPECT_EQ(t.ledger.total(1, base::l2_data_read_miss_mem_fill), 1u);
    EXPECT_EQ(t.ledger.total(0, base::l2_data_write_miss_mem_fill), 0u);
    EXPECT_EQ(t.ledger.total(0, base::l2_data_hit_inflight_pf2), 0u);
}

}  // namespace
}  // namespace knc::cache

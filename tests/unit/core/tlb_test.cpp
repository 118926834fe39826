#include <knc/core/tlb.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

constexpr std::uint64_t kb4 = 0x1000, kb64 = 0x10000, mb2 = 0x200000, mb4 = 0x400000;

TEST(tlb, walks_once) {
    tlb t;
    const tlb_result first = t.access_data(0, 0x1234'5678, kb4, false);
    EXPECT_FALSE(first.l1_hit);
    EXPECT_FALSE(first.l2_hit);
    EXPECT_EQ(first.clocks, 100u);
    EXPECT_EQ(first.evicted_bytes, 0u);
    const tlb_result second = t.access_data(0, 0x1234'5fff, kb4, false);
    EXPECT_TRUE(second.l1_hit);
    EXPECT_EQ(second.clocks, 0u);
}

TEST(tlb, second_level_knows_regions_of_2_mb) {
    tlb t;
    t.access_data(0, 0x40'0000, kb4, false);
    // The next page is found through the same directory entry: 25 clocks; so is code.
    const tlb_result next = t.access_data(0, 0x40'1000, kb4, false);
    EXPECT_FALSE(next.l1_hit);
    EXPECT_TRUE(next.l2_hit);
    EXPECT_EQ(next.clocks, 25u);
    EXPECT_EQ(t.access_code(0, 0x5f'f000, kb4, false).clocks, 25u);
    EXPECT_EQ(t.access_data(0, 0x41'0000, kb64, false).clocks, 25u);
    EXPECT_EQ(t.access_data(0, 0x60'0000, kb4, false).clocks, 100u);  // the next region
}

TEST(tlb, a_large_page_comes_from_the_second_level_in_fewer_clocks) {
    tlb t;
    EXPECT_EQ(t.access_data(0, 0x40'0000, mb2, false).clocks, 100u);
    EXPECT_EQ(t.access_code(0, 0x40'0000, mb2, false).clocks, 8u);
    // The code array holds 4 KB parts of it.
    EXPECT_EQ(t.access_code(0, 0x40'1000, mb2, false).clocks, 8u);
    EXPECT_TRUE(t.access_code(0, 0x40'1fff, mb2, false).l1_hit);
    EXPECT_TRUE(t.access_data(0, 0x5f'ffff, mb2, false).l1_hit);
}

// 16 sets of four ways: pages 64 KB apart share a set.
TEST(tlb, names_what_it_drops) {
    tlb t;
    for (unsigned n = 0; n < 4; ++n)
        EXPECT_EQ(t.access_data(1, n * 0x1'0000, kb4, false).evicted_bytes, 0u);
    t.access_data(1, 0, kb4, false);  // a hit does not keep it
    const tlb_result fifth = t.access_data(2, 0x4'0abc, kb4, false);
    EXPECT_EQ(fifth.evicted_page, 0u);
    EXPECT_EQ(fifth.evicted_bytes, kb4);
    EXPECT_EQ(fifth.evicted_thread, 1);
    const tlb_result sixth = t.access_data(1, 0x5'0000, kb4, false);
    EXPECT_EQ(sixth.evicted_page, 0x1'0000u);
    EXPECT_EQ(sixth.evicted_thread, 1);
    EXPECT_FALSE(t.access_data(1, 0, kb4, false).l1_hit);
}

TEST(tlb, large_pages_have_arrays_of_their_own) {
    tlb t;
    // Two sets of four ways for 2 MB pages: those 4 MB apart share a set.
    for (unsigned n = 0; n < 4; ++n) t.access_data(0, n * mb4, mb2, false);
    t.access_data(0, 0, kb64, false);
    t.access_data(0, 0, kb4, false);
    const tlb_result r = t.access_data(0, 4 * mb4 + 0x1234, mb2, false);
    EXPECT_EQ(r.evicted_bytes, mb2);
    EXPECT_EQ(r.evicted_page, 0u);
    EXPECT_TRUE(t.access_data(0, 0xffff, kb64, false).l1_hit);
    EXPECT_TRUE(t.access_data(0, 0xfff, kb4, false).l1_hit);
}

TEST(tlb, entries_belong_to_a_thread) {
    tlb t;
    t.access_data(0, 0x1000, kb4, false);
    const tlb_result other = t.access_data(1, 0x1000, kb4, false);
    EXPECT_FALSE(other.l1_hit);
    EXPECT_FALSE(other.l2_hit);
    t.flush(0, false);
    EXPECT_FALSE(t.access_data(0, 0x1000, kb4, false).l1_hit);
    EXPECT_TRUE(t.access_data(1, 0x1000, kb4, false).l1_hit);
}

TEST(tlb, flush_may_keep_global_pages) {
    tlb t;
    t.access_data(0, 0x1000, kb4, true);
    t.access_data(0, 0x2000, kb4, false);
    t.access_data(0, mb2, mb2, true);
    t.flush(0, true);
    EXPECT_TRUE(t.access_data(0, 0x1000, kb4, true).l1_hit);
    EXPECT_TRUE(t.access_data(0, mb2, mb2, true).l1_hit);
    EXPECT_EQ(t.access_code(0, mb2, mb2, true).clocks, 8u);  // also at the second level
    // Its directory entry went, though one of the pages below it was global.
    EXPECT_EQ(t.access_data(0, 0x2000, kb4, false).clocks, 100u);
    t.flush(0, false);
    EXPECT_EQ(t.access_data(0, 0x1000, kb4, true).clocks, 100u);
}

TEST(tlb, flush_page_drops_one_page_at_every_level) {
    tlb t;
    t.access_data(0, 0x1000, kb4, true);
    t.access_code(0, 0x1000, kb4, true);
    t.access_data(0, 0x2000, kb4, false);
    t.access_data(1, 0x1000, kb4, false);
    t.flush_page(0, 0x1abc);
    EXPECT_TRUE(t.access_data(0, 0x2000, kb4, false).l1_hit);
    EXPECT_TRUE(t.access_data(1, 0x1000, kb4, false).l1_hit);
    EXPECT_EQ(t.access_data(0, 0x1000, kb4, true).clocks, 100u);  // the directory entry as well
    EXPECT_EQ(t.access_code(0, 0x1000, kb4, true).clocks, 25u);
}

TEST(tlb, flush_page_drops_all_parts_of_a_large_page) {
    tlb t;
    t.access_code(0, mb2, mb2, false);
    t.access_code(0, mb2 + 0x5000, mb2, false);
    t.access_data(0, mb4, mb4, false);  // a page of 4 MB is held as two of 2 MB
    t.access_data(0, mb4 + mb2, mb4, false);
    t.access_code(0, 0x1000, kb4, false);
    t.flush_page(0, mb2 + 0x9000);
    t.flush_page(0, mb4 + 1);
    EXPECT_EQ(t.access_code(0, mb2 + 0x5000, mb2, false).clocks, 100u);
    EXPECT_EQ(t.access_data(0, mb4 + mb2, mb4, false).clocks, 100u);
    EXPECT_TRUE(t.access_code(0, 0x1000, kb4, false).l1_hit);
}

TEST(tlb, a_free_way_is_filled_first) {
    tlb t;
    for (unsigned n = 0; n < 4; ++n) t.access_data(0, n * 0x1'0000, kb4, false);
    t.flush_page(0, 0x2'0000);
    EXPECT_EQ(t.access_data(0, 0x5'0000, kb4, false).evicted_bytes, 0u);
    EXPECT_EQ(t.access_data(0, 0x6'0000, kb4, false).evicted_page, 0u);
    EXPECT_EQ(t.access_data(0, 0x7'0000, kb4, false).evicted_page, 0x1'0000u);
    EXPECT_EQ(t.access_data(0, 0x8'0000, kb4, false).evicted_page, 0x5'0000u);
}

TEST(tlb, reset_forgets_everything) {
    tlb t;
    for (std::uint8_t thread = 0; thread < 4; ++thread) t.access_data(thread, 0, kb4, true);
    t.reset();
    for (std::uint8_t thread = 0; thread < 4; ++thread)
        EXPECT_EQ(t.access_data(thread, 0, kb4, true).clocks, 100u);
}

}  // namespace
}  // namespace knc::core::test

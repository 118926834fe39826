#include "tlb_walk.h"

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

constexpr std::uint64_t kb4 = 0x1000, kb64 = 0x10000, mb2 = 0x200000, mb4 = 0x400000;

TEST(tlb, walks_once) {
    tlb t;
    const tlb_result first = access_data(t, 0, 0x1234'5678, kb4, false);
    EXPECT_FALSE(first.l1_hit);
    EXPECT_FALSE(first.l2_hit);
    EXPECT_EQ(first.clocks, 100u);
    EXPECT_EQ(first.evicted_bytes, 0u);
    const tlb_result second = access_data(t, 0, 0x1234'5fff, kb4, false);
    EXPECT_TRUE(second.l1_hit);
    EXPECT_EQ(second.clocks, 0u);
}

TEST(tlb, second_level_knows_regions_of_2_mb) {
    tlb t;
    access_data(t, 0, 0x40'0000, kb4, false);
    // The next page is found through the same directory entry: 25 clocks; so is code.
    const tlb_result next = access_data(t, 0, 0x40'1000, kb4, false);
    EXPECT_FALSE(next.l1_hit);
    EXPECT_TRUE(next.l2_hit);
    EXPECT_EQ(next.clocks, 25u);
    EXPECT_EQ(access_code(t, 0, 0x5f'f000, kb4, false).clocks, 25u);
    EXPECT_EQ(access_data(t, 0, 0x41'0000, kb64, false).clocks, 25u);
    EXPECT_EQ(access_data(t, 0, 0x60'0000, kb4, false).clocks, 100u);  // the next region
}

TEST(tlb, a_large_page_comes_from_the_second_level_in_fewer_cycles) {
    tlb t;
    EXPECT_EQ(access_data(t, 0, 0x40'0000, mb2, false).clocks, 100u);
    EXPECT_EQ(access_code(t, 0, 0x40'0000, mb2, false).clocks, 8u);
    // The code array holds 4 KB parts of it.
    EXPECT_EQ(access_code(t, 0, 0x40'1000, mb2, false).clocks, 8u);
    EXPECT_TRUE(access_code(t, 0, 0x40'1fff, mb2, false).l1_hit);
    EXPECT_TRUE(access_data(t, 0, 0x5f'ffff, mb2, false).l1_hit);
}

// 16 sets of four ways: pages 64 KB apart share a set.
TEST(tlb, names_what_it_drops) {
    tlb t;
    for (unsigned n = 0; n < 4; ++n)
        EXPECT_EQ(access_data(t, 1, n * 0x1'0000, kb4, false).evicted_bytes, 0u);
    access_data(t, 1, 0, kb4, false);  // a hit does not keep it
    const tlb_result fifth = access_data(t, 2, 0x4'0abc, kb4, false);
    EXPECT_EQ(fifth.evicted_page, 0u);
    EXPECT_EQ(fifth.evicted_bytes, kb4);
    EXPECT_EQ(fifth.evicted_thread, 1);
    const tlb_result sixth = access_data(t, 1, 0x5'0000, kb4, false);
    EXPECT_EQ(sixth.evicted_page, 0x1'0000u);
    EXPECT_EQ(sixth.evicted_thread, 1);
    EXPECT_FALSE(access_data(t, 1, 0, kb4, false).l1_hit);
}

TEST(tlb, large_pages_have_arrays_of_their_own) {
    tlb t;
    // Two sets of four ways for 2 MB pages: those 4 MB apart share a set.
    for (unsigned n = 0; n < 4; ++n) access_data(t, 0, n * mb4, mb2, false);
    access_data(t, 0, 0, kb64, false);
    access_data(t, 0, 0, kb4, false);
    const tlb_result r = access_data(t, 0, 4 * mb4 + 0x1234, mb2, false);
    EXPECT_EQ(r.evicted_bytes, mb2);
    EXPECT_EQ(r.evicted_page, 0u);
    EXPECT_TRUE(access_data(t, 0, 0xffff, kb64, false).l1_hit);
    EXPECT_TRUE(access_data(t, 0, 0xfff, kb4, false).l1_hit);
}

TEST(tlb, entries_belong_to_a_thread) {
    tlb t;
    access_data(t, 0, 0x1000, kb4, false);
    const tlb_result other = access_data(t, 1, 0x1000, kb4, false);
    EXPECT_FALSE(other.l1_hit);
    EXPECT_FALSE(other.l2_hit);
    t.flush(0, false);
    EXPECT_FALSE(access_data(t, 0, 0x1000, kb4, false).l1_hit);
    EXPECT_TRUE(access_data(t, 1, 0x1000, kb4, false).l1_hit);
}

TEST(tlb, flush_may_keep_global_pages) {
    tlb t;
    access_data(t, 0, 0x1000, kb4, true);
    access_data(t, 0, 0x2000, kb4, false);
    access_data(t, 0, mb2, mb2, true);
    t.flush(0, true);
    EXPECT_TRUE(access_data(t, 0, 0x1000, kb4, true).l1_hit);
    EXPECT_TRUE(access_data(t, 0, mb2, mb2, true).l1_hit);
    EXPECT_EQ(access_code(t, 0, mb2, mb2, true).clocks, 8u);  // also at the second level
    // Its directory entry went, though one of the pages below it was global.
    EXPECT_EQ(access_data(t, 0, 0x2000, kb4, false).clocks, 100u);
    t.flush(0, false);
    EXPECT_EQ(access_data(t, 0, 0x1000, kb4, true).clocks, 100u);
}

TEST(tlb, flush_page_drops_one_page_at_every_level) {
    tlb t;
    access_data(t, 0, 0x1000, kb4, true);
    access_code(t, 0, 0x1000, kb4, true);
    access_data(t, 0, 0x2000, kb4, false);
    access_data(t, 1, 0x1000, kb4, false);
    t.flush_page(0, 0x1abc);
    EXPECT_TRUE(access_data(t, 0, 0x2000, kb4, false).l1_hit);
    EXPECT_TRUE(access_data(t, 1, 0x1000, kb4, false).l1_hit);
    EXPECT_EQ(access_data(t, 0, 0x1000, kb4, true).clocks, 100u);  // the directory entry as well
    EXPECT_EQ(access_code(t, 0, 0x1000, kb4, true).clocks, 25u);
}

TEST(tlb, flush_page_drops_all_parts_of_a_large_page) {
    tlb t;
    access_code(t, 0, mb2, mb2, false);
    access_code(t, 0, mb2 + 0x5000, mb2, false);
    access_data(t, 0, mb4, mb4, false);  // a page of 4 MB is held as two of 2 MB
    access_data(t, 0, mb4 + mb2, mb4, false);
    access_code(t, 0, 0x1000, kb4, false);
    t.flush_page(0, mb2 + 0x9000);
    t.flush_page(0, mb4 + 1);
    EXPECT_EQ(access_code(t, 0, mb2 + 0x5000, mb2, false).clocks, 100u);
    EXPECT_EQ(access_data(t, 0, mb4 + mb2, mb4, false).clocks, 100u);
    EXPECT_TRUE(access_code(t, 0, 0x1000, kb4, false).l1_hit);
}

// What a directory entry led to is void whatever page INVLPG names; a large page is not.
TEST(tlb, flush_page_drops_the_page_tables_of_all_regions) {
    tlb t;
    access_data(t, 0, 0x1000, kb4, false);
    access_data(t, 0, mb4, kb4, false);
    access_data(t, 0, 2 * mb4, mb2, false);
    access_data(t, 1, mb4, kb4, false);
    t.flush_page(0, 0x1000);
    EXPECT_EQ(t.held_region(0, 0), nullptr);
    EXPECT_EQ(t.held_region(0, mb4), nullptr);
    EXPECT_NE(t.held_region(0, 2 * mb4), nullptr);
    EXPECT_NE(t.held_region(1, mb4), nullptr);
    EXPECT_NE(t.held_data(0, mb4), nullptr);  // the page itself is another one
    EXPECT_EQ(t.held_data(0, 0x1000), nullptr);
}

// walk_to() maps `la` at la + 4 GB; the page table of a region is at its number times 4 KB.
TEST(tlb, holds_what_the_walk_found) {
    tlb t;
    access_data(t, 0, 0x40'1234, kb4, true);
    const isa::held_translation* page = t.held_data(0, 0x40'1fff);
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(page->at(0x40'1fff), 0x1'0040'1fffu);
    EXPECT_TRUE(page->global);
    EXPECT_EQ(t.held_data(0, 0x40'2000), nullptr);
    EXPECT_EQ(t.held_code(0, 0x40'1234), nullptr);
    const isa::held_translation* table = t.held_region(0, 0x40'2000);
    ASSERT_NE(table, nullptr);
    EXPECT_FALSE(table->is_page());
    EXPECT_EQ(table->paddr, 0x2000u);
    EXPECT_FALSE(table->global);

    // The second half of a 4 MB page: held as 2 MB, or 4 KB of code, but from its own start.
    access_code(t, 0, 0x7f'f123, mb4, false);
    EXPECT_EQ(t.held_code(0, 0x7f'f000)->at(0x7f'f000), 0x1'007f'f000u);
    EXPECT_EQ(t.held_code(0, 0x7f'e000), nullptr);
    EXPECT_EQ(t.held_region(0, 0x60'0000)->at(0x60'0000), 0x1'0060'0000u);
    EXPECT_TRUE(t.held_region(0, 0x60'0000)->is_page());
}

TEST(tlb, a_new_walk_replaces_what_is_held) {
    tlb t;
    isa::page_walk w = walk_to(0x40'1000, kb4, false);
    t.access_data(0, 0x40'1000, w);
    // The first write: the same page, now dirty. Nobody has to forget anything.
    w.page.dirty = true;
    tlb_result r = t.access_data(0, 0x40'1000, w);
    EXPECT_TRUE(r.l1_hit);
    EXPECT_EQ(r.evicted_bytes, 0u);
    EXPECT_TRUE(t.held_data(0, 0x40'1000)->dirty);
    // Another frame, found through another table.
    w.page.paddr += kb4;
    w.table.paddr += kb4;
    r = t.access_data(0, 0x40'1abc, w);
    EXPECT_TRUE(r.l1_hit);
    EXPECT_EQ(r.clocks, 0u);
    EXPECT_EQ(r.evicted_page, 0x40'1000u);
    EXPECT_EQ(r.evicted_bytes, kb4);
    EXPECT_EQ(r.evicted_thread, 0);
    EXPECT_EQ(t.held_data(0, 0x40'1000)->at(0x40'1000), 0x1'0040'2000u);
    EXPECT_EQ(t.held_region(0, 0x40'1000)->paddr, 0x3000u);
}

TEST(tlb, a_free_way_is_filled_first) {
    tlb t;
    for (unsigned n = 0; n < 4; ++n) access_data(t, 0, n * 0x1'0000, kb4, false);
    t.flush_page(0, 0x2'0000);
    EXPECT_EQ(access_data(t, 0, 0x5'0000, kb4, false).evicted_bytes, 0u);
    EXPECT_EQ(access_data(t, 0, 0x6'0000, kb4, false).evicted_page, 0u);
    EXPECT_EQ(access_data(t, 0, 0x7'0000, kb4, false).evicted_page, 0x1'0000u);
    EXPECT_EQ(access_data(t, 0, 0x8'0000, kb4, false).evicted_page, 0x5'0000u);
}

TEST(tlb, reset_forgets_everything) {
    tlb t;
    for (std::uint8_t thread = 0; thread < 4; ++thread) access_data(t, thread, 0, kb4, true);
    t.reset();
    for (std::uint8_t thread = 0; thread < 4; ++thread)
        EXPECT_EQ(access_data(t, thread, 0, kb4, true).clocks, 100u);
}

}  // namespace
}  // namespace knc::core::test

// What a thread remembers of its code.
#include <knc/core/code_window.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

constexpr std::uint64_t tag_a = 0x1000 | 2, tag_b = 0x2000 | 2;

class code_window_test : public testing::Test {
  protected:
    code_window window;
    isa::decode_cache::page a, b;
};

TEST_F(code_window_test, goes_back_to_a_page_it_was_in) {
    bool cacheable = true;
    window.remember(tag_a, &a, 0x77, false);
    EXPECT_TRUE(window.in_page(tag_a));
    EXPECT_EQ(window.physical(0x1abc), 0x77abcu);
    window.remember(tag_b, &b, 0x88, true);
    EXPECT_FALSE(window.in_page(tag_a));
    window.enter(tag_a, cacheable);
    EXPECT_TRUE(window.in_page(tag_a));
    EXPECT_FALSE(cacheable);
    EXPECT_EQ(window.physical(0x1abc), 0x77abcu);
    window.enter(tag_a | 4, cacheable);  // the same page at another privilege
    EXPECT_FALSE(window.in_page(tag_a | 4));
}

TEST_F(code_window_test, addresses_and_modes_of_its_page) {
    window.remember(tag_a, &a, 0x77, true);
    EXPECT_TRUE(window.in_same_page(0x1000));
    EXPECT_TRUE(window.in_same_page(0x1fff));
    EXPECT_FALSE(window.in_same_page(0xfff));
    EXPECT_FALSE(window.in_same_page(0x2000));
    EXPECT_FALSE(window.in_same_page(0x1'0000'1000));
    EXPECT_TRUE(window.in_mode(2));
    EXPECT_FALSE(window.in_mode(1));
    EXPECT_FALSE(window.in_mode(2 | 4));
}

// The last page of the address space may be taken for the current one, but it has no instructions.
TEST_F(code_window_test, without_a_page_there_is_no_instruction) {
    EXPECT_EQ(window.find(~0ull), nullptr);
    window.remember(tag_a, &a, 0x77, true);
    window.add(0x1fff, {});
    EXPECT_NE(window.find(0x1fff), nullptr);
    window.forget_decoded();
    EXPECT_EQ(window.find(~0ull), nullptr);
    window.remember(tag_a, &a, 0x77, true);
    window.forget_page(0x1000);
    EXPECT_EQ(window.find(~0ull), nullptr);
}

TEST_F(code_window_test, what_may_be_void_is_not_entered_again) {
    bool cacheable = true;
    isa::insn i;
    window.remember(tag_a, &a, 0x77, true);
    window.rest = 0x99000;
    window.add_crossing(0x1fff, tag_a, i);
    EXPECT_NE(window.find_crossing(0x1fff, tag_a), nullptr);
    window.buffer(0x1020);
    window.forget_decoded();
    EXPECT_FALSE(window.has_page());
    window.enter(tag_a, cacheable);
    EXPECT_FALSE(window.has_page());
    EXPECT_EQ(window.find_crossing(0x1fff, tag_a), nullptr);
    EXPECT_TRUE(window.buffered(0x1020));  // the prefetch buffer keeps its bytes
    window.reset();
    EXPECT_FALSE(window.buffered(0x1020));
}

// An instruction in pages 1 and 2 needs both translations.
TEST_F(code_window_test, a_crossing_goes_with_either_of_its_pages) {
    const isa::insn i;
    for (const std::uint64_t dropped : {0x1000u, 0x2000u}) {
        window.add_crossing(0x1fff, tag_a, i);
        window.rest = 0;
        window.forget_page(0x3000);
        EXPECT_NE(window.find_crossing(0x1fff, tag_a), nullptr);
        window.forget_page(dropped);
        EXPECT_EQ(window.find_crossing(0x1fff, tag_a), nullptr) << dropped;
    }
}

TEST_F(code_window_test, a_line_written_elsewhere_empties_the_buffer) {
    window.buffer(0x1040);
    window.buffer_line(0x1dc1);
    window.line_lost(0x1dc2);
    EXPECT_TRUE(window.buffered(0x1040));
    window.line_lost(0x1dc1);
    EXPECT_FALSE(window.buffered(0x1040));
}

// A fetch waits once for the walk of each page, until it has its instruction.
TEST_F(code_window_test, a_fetch_walks_once_for_each_of_its_pages) {
    EXPECT_TRUE(window.walk(0x1ff8, 25));
    EXPECT_TRUE(window.must_walk());
    EXPECT_EQ(window.take_walk(), 25u);
    EXPECT_FALSE(window.must_walk());
    EXPECT_FALSE(window.walk(0x1ff8, 25));
    EXPECT_TRUE(window.walk(0x2000, 100));
    EXPECT_EQ(window.take_walk(), 100u);
    EXPECT_FALSE(window.walk(0x1ff8, 25));
    EXPECT_FALSE(window.walk(0x2000, 25));
    window.translated();
    EXPECT_TRUE(window.walk(0x1ff8, 8));
    EXPECT_EQ(window.take_walk(), 8u);
}

}  // namespace
}  // namespace knc::core::test

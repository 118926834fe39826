#include <knc/cache/holds.h>

#include <gtest/gtest.h>

namespace knc::cache {
namespace {

TEST(holds, end_with_their_thread_or_their_time) {
    holds h;
    EXPECT_FALSE(h.held(7, 0));
    h.add(0, 7, 100);
    h.add(1, 7, 200);
    EXPECT_TRUE(h.held(7, 99));
    EXPECT_EQ(h.until(7), 200u);
    EXPECT_EQ(h.next_end(50), 100u);
    h.remove(1);
    EXPECT_FALSE(h.held(7, 100));
    EXPECT_EQ(h.next_end(100), base::never);
}

TEST(holds, are_not_prolonged) {
    holds h;
    h.add(0, 7, 100);
    h.add(0, 7, 900);
    EXPECT_EQ(h.until(7), 100u);
    h.remove(0, 7);
    h.add(0, 7, 900);
    EXPECT_EQ(h.until(7), 900u);
}

// Who waits for a line keeps the ones below it.
TEST(holds, on_higher_lines_are_given_up) {
    holds h;
    h.add(0, 5, 100);
    h.add(0, 7, 100);
    h.add(0, 9, 100);
    h.add(1, 9, 100);
    h.remove_above(0, 7);
    EXPECT_TRUE(h.held(5, 0));
    EXPECT_TRUE(h.held(7, 0));
    EXPECT_TRUE(h.held(9, 0));  // thread 1's
    h.remove(1);
    EXPECT_FALSE(h.held(9, 0));
}

}  // namespace
}  // namespace knc::cache

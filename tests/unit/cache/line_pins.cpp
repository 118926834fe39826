#include <knc/cache/line_pins.h>

#include <gtest/gtest.h>

namespace knc::cache {
namespace {

TEST(line_pins, end_with_their_thread_or_their_time) {
    line_pins h;
    EXPECT_FALSE(h.pinned(7, 0));
    h.pin(0, 7, 100);
    h.pin(1, 7, 200);
    EXPECT_TRUE(h.pinned(7, 99));
    EXPECT_EQ(h.pinned_until(7), 200u);
    EXPECT_EQ(h.next_end(50), 100u);
    h.unpin_all(1);
    EXPECT_FALSE(h.pinned(7, 100));
    EXPECT_EQ(h.next_end(100), base::never);
}

TEST(line_pins, are_not_prolonged) {
    line_pins h;
    h.pin(0, 7, 100);
    h.pin(0, 7, 900);
    EXPECT_EQ(h.pinned_until(7), 100u);
    h.unpin(0, 7);
    h.pin(0, 7, 900);
    EXPECT_EQ(h.pinned_until(7), 900u);
}

// The thread with the oldest pin keeps all its lines; when its pins end, the next one does.
TEST(line_pins, of_the_oldest_thread_come_first) {
    line_pins h;
    EXPECT_FALSE(h.pinned_first(5, 0));
    h.pin(1, 5, 100);
    h.pin(0, 7, 90);
    h.pin(0, 9, 120);
    EXPECT_TRUE(h.pinned_first(7, 0));
    EXPECT_TRUE(h.pinned_first(9, 0));
    EXPECT_FALSE(h.pinned_first(5, 0));
    EXPECT_FALSE(h.pinned_first(11, 0));
    // Its oldest pin has expired; thread 1 has the oldest now.
    EXPECT_TRUE(h.pinned_first(5, 90));
    EXPECT_FALSE(h.pinned_first(9, 90));
    h.unpin_all(1);
    EXPECT_TRUE(h.pinned_first(9, 90));
    EXPECT_FALSE(h.pinned_first(9, 120));
}

// Who waits for a line keeps the ones below it.
TEST(line_pins, on_higher_lines_are_given_up) {
    line_pins h;
    h.pin(0, 5, 100);
    h.pin(0, 7, 100);
    h.pin(0, 9, 100);
    h.pin(1, 9, 100);
    h.unpin_above(0, 7);
    EXPECT_TRUE(h.pinned(5, 0));
    EXPECT_TRUE(h.pinned(7, 0));
    EXPECT_TRUE(h.pinned(9, 0));  // thread 1's
    h.unpin_all(1);
    EXPECT_FALSE(h.pinned(9, 0));
}

}  // namespace
}  // namespace knc::cache

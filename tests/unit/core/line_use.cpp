// What a thread has under way in the caches.
#include <knc/core/line_use.h>

#include <gtest/gtest.h>

#include <vector>

namespace knc::core::test {
namespace {

TEST(line_use, a_thread_that_knows_when_to_retry_is_not_woken) {
    line_use l;
    l.ready_at(40);
    EXPECT_EQ(l.begin_wait(false), 40u);
    EXPECT_FALSE(l.wake(20));
    EXPECT_EQ(l.begin_wait(false), base::never);  // the cycle was good for one wait
    EXPECT_TRUE(l.wake(20));
    EXPECT_FALSE(l.wake(20));
}

// Until the cycle that it knows, or that the caches say when they wake it.
TEST(line_use, knows_until_when_it_waits) {
    line_use l;
    EXPECT_FALSE(l.waits(0));
    l.ready_at(40);
    l.begin_wait(false);
    EXPECT_TRUE(l.waits(39));
    EXPECT_FALSE(l.waits(40));
    l.begin_wait(false);
    EXPECT_TRUE(l.waits(1000));
    l.wake(1010);
    EXPECT_TRUE(l.waits(1009));
    EXPECT_FALSE(l.waits(1010));
    l.begin_wait(true);  // for a device
    EXPECT_FALSE(l.waits(1011));
}

TEST(line_use, a_thread_that_waits_for_a_device_is_not_woken_by_the_caches) {
    line_use l;
    EXPECT_EQ(l.begin_wait(true), base::never);
    EXPECT_FALSE(l.wake(20));
}

TEST(line_use, init_ends_a_wait) {
    line_use l;
    l.begin_wait(false);
    l.ready_at(7);
    l.stop_waiting();
    EXPECT_FALSE(l.wake(20));
    EXPECT_EQ(l.begin_wait(false), base::never);
}

// An access touches two lines at most.
TEST(line_use, borrowed_lines_are_given_back_last_first) {
    line_use l;
    EXPECT_TRUE(l.borrow(5));
    EXPECT_FALSE(l.borrow(5));
    EXPECT_TRUE(l.borrow(6));
    EXPECT_FALSE(l.borrow(7));
    EXPECT_TRUE(l.has_borrowed(6));
    EXPECT_FALSE(l.has_borrowed(7));
    std::vector<coherence::line_t> given;
    l.give_back([&](coherence::line_t line) { given.push_back(line); });
    EXPECT_EQ(given, (std::vector<coherence::line_t>{6, 5}));
    EXPECT_FALSE(l.has_borrowed(5));
}

}  // namespace
}  // namespace knc::core::test

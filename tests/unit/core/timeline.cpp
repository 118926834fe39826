// What is due, and when.
#include <knc/core/timeline.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

TEST(timeline, the_next_event_is_the_earliest_thing) {
    timeline t;
    t.plan(50, 30);  // something is due in 50, a counter may overflow by 30
    EXPECT_EQ(t.next_event(), 30u);
    EXPECT_EQ(t.due(), 50u);
    t.due_at(40);
    EXPECT_EQ(t.due(), 40u);
    EXPECT_EQ(t.next_event(), 30u);
    t.due_at(20);
    EXPECT_EQ(t.next_event(), 20u);
    t.look_at(10);
    EXPECT_EQ(t.next_event(), 10u);
    EXPECT_EQ(t.due(), 20u);
    t.plan(base::never, base::never);
    EXPECT_EQ(t.next_event(), base::never);
}

TEST(timeline, an_activity_is_known_until_something_happens) {
    timeline t;
    EXPECT_FALSE(t.activity_known());
    t.remember_activity(12);
    EXPECT_TRUE(t.activity_known());
    EXPECT_EQ(t.activity(), 12u);
    t.disturb();
    EXPECT_FALSE(t.activity_known());
}

TEST(timeline, what_leaves_ends_the_run_under_way) {
    timeline t;
    t.leave();
    EXPECT_TRUE(t.left());
    t.begin_run();
    EXPECT_FALSE(t.left());
}

}  // namespace
}  // namespace knc::core::test

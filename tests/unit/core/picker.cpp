// Which thread issues next.
#include <knc/core/picker.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

TEST(picker, no_thread_is_ready_at_first) {
    const picker p;
    EXPECT_TRUE(p.none_ready());
    for (unsigned t = 0; t < picker::threads; ++t) EXPECT_EQ(p.ready(t), base::never) << t;
}

// Each choice begins behind the thread that issued last.
TEST(picker, goes_round_among_ready_threads) {
    picker p;
    for (const unsigned t : {0u, 1u, 3u}) p.set_ready(t, 10);
    EXPECT_EQ(p.next_issue(), 10u);
    EXPECT_EQ(p.pick(10), 0u);
    EXPECT_EQ(p.pick(10), 1u);
    EXPECT_EQ(p.pick(10), 3u);  // thread 2 is not ready
    EXPECT_EQ(p.pick(10), 0u);
    p.set_ready(1, 12);
    EXPECT_EQ(p.pick(11), 3u);  // thread 1 is not ready yet
}

TEST(picker, nobody_issues_while_the_execution_stage_is_held) {
    picker p;
    p.set_ready(2, 5);
    p.hold_stage(9);
    EXPECT_EQ(p.next_issue(), 9u);
    p.set_ready(2, 11);
    EXPECT_EQ(p.next_issue(), 11u);
    p.stop(2);
    EXPECT_TRUE(p.none_ready());
}

TEST(picker, not_before_only_delays) {
    picker p;
    p.set_ready(0, 7);
    p.not_before(0, 5);
    EXPECT_EQ(p.ready(0), 7u);
    p.not_before(0, 8);
    EXPECT_EQ(p.ready(0), 8u);
}

// Once, and only if the thread is ready: otherwise the others are not held up.
TEST(picker, an_element_of_a_string_comes_before_other_threads) {
    picker p;
    p.set_ready(0, 1);
    p.set_ready(1, 1);
    EXPECT_EQ(p.pick(1), 0u);
    p.repeat();
    EXPECT_EQ(p.pick(1), 0u);
    EXPECT_EQ(p.pick(1), 1u);
    p.repeat();
    p.set_ready(1, 4);
    EXPECT_EQ(p.pick(2), 0u);
}

TEST(picker, the_next_issue_behind_that_of_a_thread) {
    picker p;
    p.set_ready(1, 7);
    p.set_ready(2, 9);
    EXPECT_EQ(p.first_ready_beside(1), 9u);
    EXPECT_EQ(p.first_ready_beside(2), 7u);
    EXPECT_EQ(p.first_ready_beside(0), 7u);
    EXPECT_EQ(p.next_issue(1, p.first_ready_beside(1), 3), 7u);
    EXPECT_EQ(p.next_issue(2, p.first_ready_beside(2), 3), 7u);
    EXPECT_EQ(p.next_issue(1, p.first_ready_beside(1), 8), 8u);
    p.hold_stage(12);
    EXPECT_EQ(p.next_issue(1, p.first_ready_beside(1), 8), 12u);
}

// Its REP string instruction has ended: it has no priority any more.
TEST(picker, picking_again_ends_the_priority) {
    picker p;
    p.set_ready(0, 1);
    EXPECT_EQ(p.pick(1), 0u);
    p.repeat();
    p.pick_again();
    EXPECT_EQ(p.selected(), 0u);
    p.set_ready(1, 1);
    EXPECT_EQ(p.pick(1), 1u);
}

TEST(picker, reset_begins_with_thread_0) {
    picker p;
    p.set_ready(2, 1);
    EXPECT_EQ(p.pick(1), 2u);
    p.repeat();
    p.hold_stage(100);
    p.reset();
    EXPECT_TRUE(p.none_ready());
    for (unsigned t = 0; t < picker::threads; ++t) p.set_ready(t, 3);
    EXPECT_EQ(p.next_issue(), 3u);
    EXPECT_EQ(p.pick(3), 0u);
}

}  // namespace
}  // namespace knc::core::test

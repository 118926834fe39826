// The counters over time: bounded, and at clocks that depend on clocks only.
#include <platform/counter_history.h>

#include <gtest/gtest.h>

namespace platform {
namespace {

// A run of `clocks` in which one core executes an instruction in each clock.
counter_history history_of(knc::base::cycle_t clocks) {
    counter_history h;
    h.begin();
    const auto at = [&](knc::base::cycle_t clock) {
        history_point p;
        p.at = clock;
        p.cores.resize(1);
        p.cores[0][core_history::instructions] = clock;
        h.add(p);
    };
    while (h.next() <= clocks) at(h.next());
    at(clocks);
    return h;
}

TEST(counter_history, wants_nothing_before_it_begins) {
    EXPECT_EQ(counter_history{}.next(), knc::base::never);
}

TEST(counter_history, a_short_run_has_its_end_only) {
    const auto h = history_of(1000);
    ASSERT_EQ(h.points().size(), 1u);
    EXPECT_EQ(h.points()[0].at, 1000u);
}

TEST(counter_history, an_end_that_is_a_point_is_there_once) {
    const auto h = history_of(2048);
    ASSERT_EQ(h.points().size(), 2u);
    EXPECT_EQ(h.points()[0].at, 1024u);
    EXPECT_EQ(h.points()[1].at, 2048u);
}

// 511 points are kept, at the 512th every second one goes.
TEST(counter_history, the_interval_doubles) {
    EXPECT_EQ(history_of(511 * 1024).points().size(), 511u);
    const auto h = history_of(512 * 1024);
    EXPECT_EQ(h.points().size(), 256u);
    EXPECT_EQ(h.points()[0].at, 2048u);
    EXPECT_EQ(h.next(), 514u * 1024);
}

TEST(counter_history, points_are_at_multiples_of_the_interval) {
    // 10^6 clocks hold 976 intervals of 1024 and 488 of 2048 clocks, which are fewer than 512.
    const auto h = history_of(1'000'000);
    EXPECT_EQ(h.interval(), 2048u);
    ASSERT_EQ(h.points().size(), 489u);
    for (std::size_t n = 0; n < 488; ++n) {
        EXPECT_EQ(h.points()[n].at, (n + 1) * 2048);
        EXPECT_EQ(h.points()[n].cores[0][core_history::instructions], (n + 1) * 2048);
    }
    EXPECT_EQ(h.points()[488].at, 1'000'000u);
}

TEST(counter_history, any_run_is_bounded) {
    const auto h = history_of(123'456'789'012);
    EXPECT_LE(h.points().size(), counter_history::most);
    EXPECT_GE(h.points().size(), counter_history::most / 2);
    EXPECT_EQ(h.points().back().at, 123'456'789'012u);
}

}  // namespace
}  // namespace platform

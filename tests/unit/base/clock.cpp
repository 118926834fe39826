// Conversion between clocks and sc_time.
#include <knc/base/clock.h>

#include <gtest/gtest.h>

namespace knc::base {
namespace {

// 1.1 GHz: a clock is 909.09 ps; clock 1 begins at the first whole picosecond not before it.
TEST(clock, rounds_a_clock_up_to_the_next_picosecond) {
    const clock c{1'100'000'000};
    EXPECT_EQ(c.at(0), sc_core::SC_ZERO_TIME);
    EXPECT_EQ(c.at(1), sc_core::sc_time(910, sc_core::SC_PS));
    EXPECT_EQ(c.at(11), sc_core::sc_time(10'000, sc_core::SC_PS));
}

TEST(clock, every_clock_is_found_again_from_the_time_it_begins_at) {
    for (const std::uint64_t hz : {1'053'000'000ull, 1'100'000'000ull, 1'238'000'000ull, 3ull}) {
        const clock c{hz};
        for (std::uint64_t n = 0; n < 5'000; ++n) ASSERT_EQ(c.cycle(c.at(n)), n) << hz << " Hz";
    }
}

// One picosecond before clock n begins, clock n-1 is running.
TEST(clock, the_picosecond_before_a_clock_belongs_to_the_one_before) {
    const clock c{1'238'000'000};
    for (std::uint64_t n = 1; n < 1'000; ++n) {
        ASSERT_EQ(c.cycle(c.at(n) - sc_core::sc_time(1, sc_core::SC_PS)), n - 1);
    }
}

// 2^40 clocks of 1 GHz are 2^40 ns: what a counter needs to wrap.
TEST(clock, long_times_do_not_overflow) {
    const clock c{1'000'000'000};
    EXPECT_EQ(c.at(1ull << 40).value(), (1ull << 40) * 1'000);
    EXPECT_EQ(c.cycle(c.at(1ull << 40)), 1ull << 40);
}

}  // namespace
}  // namespace knc::base

// The instruction FIFO of a Pentium with MMX, and a second model of it, clock by clock.
#include <knc/core/instruction_fifo.h>

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace knc::core {
namespace {

using base::cycle_t;

TEST(instruction_fifo, has_two_instructions_at_once) {
    instruction_fifo f;
    f.restart(10);
    EXPECT_EQ(f.ready(0), 10u);
    EXPECT_EQ(f.second_ready(0, 0), 10u);
    f.take(0, 10);
    f.take(0, 10);
    EXPECT_EQ(f.ready(0), 11u);
    EXPECT_EQ(f.second_ready(0, 0), 11u);
}

TEST(instruction_fifo, works_ahead_by_four) {
    instruction_fifo f;
    f.restart(10);
    // D1 takes nothing until clock 100.
    for (int n = 0; n < 4; ++n) {
        EXPECT_LE(f.ready(0), 11u);
        f.take(0, 100);
    }
    // The fifth has a place when the first has left.
    EXPECT_EQ(f.ready(0), 101u);
}

TEST(instruction_fifo, prefixes_take_clocks) {
    instruction_fifo f;
    f.restart(10);
    EXPECT_EQ(f.ready(2), 12u);
    // The second of a clock is found alone in a later one.
    EXPECT_EQ(f.second_ready(0, 1), 12u);
    f.take(2, 12);
    EXPECT_EQ(f.ready(0), 13u);
}

TEST(instruction_fifo, the_target_of_a_branch_comes_a_clock_later) {
    instruction_fifo f;
    f.restart(10);
    f.take(0, 10);
    f.redirect();
    EXPECT_EQ(f.ready(0), 11u);
}

TEST(instruction_fifo, waits_for_bytes) {
    instruction_fifo f;
    f.restart(10);
    f.arrive(50);
    EXPECT_EQ(f.ready(1), 51u);
    f.arrive(20);
    EXPECT_EQ(f.ready(0), 50u);
}

// F clock by clock: it has found `found` instructions; D1 takes one or two as soon as they are
// there, but waits at random.
TEST(instruction_fifo, equals_a_model_of_each_clock) {
    constexpr unsigned seed = 20261124;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    constexpr std::size_t count = 20'000;
    std::vector<unsigned> prefixes(count + 8);
    for (unsigned& p : prefixes) p = random() % 4 == 0 ? static_cast<unsigned>(random() % 3) : 0;
    instruction_fifo f;
    f.restart(1);
    std::size_t found = 0, taken = 0;
    unsigned spent = 0;  // clocks of F with the prefixes of the next one
    for (cycle_t now = 1; taken < count; ++now) {
        // F finds what D1 can take in this clock.
        for (unsigned in_clock = 0; in_clock < 2 && found - taken < 4; ++in_clock) {
            if (prefixes[found] != 0) {
                if (in_clock != 0) break;
                if (spent++ < prefixes[found]) break;
            }
            const bool whole_clock = prefixes[found] != 0;
            ++found;
            spent = 0;
            if (whole_clock) break;
        }
        const std::size_t wanted = random() % 3;
        const std::size_t there = std::min<std::size_t>(found - taken, 2);
        EXPECT_EQ(f.ready(prefixes[taken]) <= now, there >= 1) << "instruction " << taken;
        EXPECT_EQ(f.second_ready(prefixes[taken], prefixes[taken + 1]) <= now, there >= 2)
            << "instruction " << taken;
        for (std::size_t n = 0; n < std::min(wanted, there); ++n) f.take(prefixes[taken++], now);
        if (HasFailure()) break;
    }
}

}  // namespace
}  // namespace knc::core

// What the tiles together can read through ring, slices and controllers, and how the size of the
// blocks that go to one controller decides it.
#include <knc/card/memory_fabric.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <knc/memory/controller_presets.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

constexpr unsigned tiles = 60;

uncore_parameters card_5110p(std::uint32_t block) {
    uncore_parameters p;
    for (const memory::card_memory& m : memory::card_memories)
        if (m.card == "5110p") {
            p.controllers = m.controllers;
            p.memory = m.parameters();
        }
    p.hash.block_lines = block;
    return p;
}

constexpr base::cycle_t duration = 20'000;

// Lines that all tiles read in `duration`. Every tile keeps 32 reads under way; tile t's n-th is of
// line next(t, n).
template <class Next>
std::size_t lines_read(std::uint32_t block, Next next) {
    constexpr unsigned window = 32;
    constexpr base::cycle_t warm_up = 4'000;
    fabric_rig rig(card_5110p(block), tiles);
    std::vector<std::uint64_t> issued(tiles);
    std::size_t before = 0;
    for (base::cycle_t t = 0; t < warm_up + duration; ++t) {
        if (t == warm_up) before = rig.log.size();
        for (unsigned i = 0; i < tiles; ++i) {
            if (issued[i] - rig.received(i) == window) continue;
            const std::uint64_t n = issued[i]++;
            EXPECT_TRUE(rig.tiles[i]->access(next(i, n), false, 0, t));
        }
        rig.fabric.run(t);
    }
    return rig.log.size() - before;
}

double rate_of(std::size_t lines) {
    return static_cast<double>(lines) * 64 * fabric_rig::core_hz / duration;
}

constexpr line_t far = 1'234'577;  // between two arrays

line_t one_array(unsigned tile, std::uint64_t n) {
    return n * tiles + tile;
}
line_t array_each(unsigned tile, std::uint64_t n) {
    return tile * far + n;
}
line_t three_each(unsigned tile, std::uint64_t n) {
    return (tile * 3 + n % 3) * far + n / 3;
}

// Nothing is random, so the numbers of lines are exact: a change of any part's timing shows.

// 320 GB/s but for refresh (115 CK of 4875): rings and slices keep up with the controllers.
TEST(fabric_bandwidth, one_array_read_by_all_reaches_what_the_memory_can) {
    const double most = 320e9 * (1 - 115.0 / 4875);
    const std::size_t by_blocks = lines_read(8, one_array), by_lines = lines_read(1, one_array);
    EXPECT_NEAR(rate_of(by_blocks), most, most * 0.01);
    EXPECT_NEAR(rate_of(by_lines), most, most * 0.01);
    EXPECT_EQ(by_blocks, 92'614u);
    EXPECT_EQ(by_lines, 92'620u);
}

// Of consecutive lines on different controllers hardly two meet in an open row, and activations are
// the limit: 8 controllers of 4 * 64 bytes in 23.2 ns, 88 GB/s, and little more.
TEST(fabric_bandwidth, arrays_of_their_own_want_blocks) {
    const std::size_t one = lines_read(1, array_each), one_by_blocks = lines_read(8, array_each);
    const std::size_t three = lines_read(1, three_each),
                      three_by_blocks = lines_read(8, three_each);
    EXPECT_LT(rate_of(one), 120e9);
    EXPECT_GT(rate_of(one_by_blocks), 260e9);
    EXPECT_LT(rate_of(three), 100e9);
    EXPECT_GT(rate_of(three_by_blocks), 190e9);
    EXPECT_EQ(one, 32'375u);
    EXPECT_EQ(one_by_blocks, 83'579u);
    EXPECT_EQ(three, 26'064u);
    EXPECT_EQ(three_by_blocks, 61'310u);
}

}  // namespace
}  // namespace knc::card::test

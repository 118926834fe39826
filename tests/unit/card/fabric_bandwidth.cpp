// What the tiles together can read through ring, slices and controllers, and how the size of the
// blocks that go to one controller decides it.
#include <knc/card/memory_fabric.h>

#include <cstdint>
#include <cstdio>
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

// Every tile keeps 32 reads under way; tile t's n-th is of line next(t, n). Bytes per second.
template <class Next>
double read_rate(std::uint32_t block, Next next) {
    constexpr unsigned window = 32;
    constexpr base::cycle_t warm_up = 4'000, duration = 20'000;
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
    const double rate =
        static_cast<double>(rig.log.size() - before) * 64 * fabric_rig::core_hz / duration;
    std::printf("block of %u: %.1f GB/s\n", block, rate / 1e9);
    return rate;
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

// 320 GB/s but for refresh (115 CK of 4875): rings and slices keep up with the controllers.
TEST(fabric_bandwidth, one_array_read_by_all_reaches_what_the_memory_can) {
    const double most = 320e9 * (1 - 115.0 / 4875);
    EXPECT_NEAR(read_rate(8, one_array), most, most * 0.01);
    EXPECT_NEAR(read_rate(1, one_array), most, most * 0.01);
}

// Of consecutive lines on different controllers hardly two meet in an open row, and activations are
// the limit: 8 controllers of 4 * 64 bytes in 23.2 ns, 88 GB/s, and little more.
TEST(fabric_bandwidth, arrays_of_their_own_want_blocks) {
    EXPECT_LT(read_rate(1, array_each), 120e9);
    EXPECT_GT(read_rate(8, array_each), 260e9);
    EXPECT_LT(read_rate(1, three_each), 100e9);
    EXPECT_GT(read_rate(8, three_each), 190e9);
}

}  // namespace
}  // namespace knc::card::test

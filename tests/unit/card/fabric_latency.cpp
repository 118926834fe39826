// Average latencies of an idle 5110P against what was published of it.
#include <knc/card/memory_fabric.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include <knc/memory/controller_presets.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

constexpr unsigned tiles = 60;
// The tile's part: L1 miss and L2 lookup until the request leaves, fill until the load's thread
// issues again. An owner's answer takes fabric_rig::answer_cycles.
constexpr base::cycle_t miss_cycles = 12, fill_cycles = 10;

struct statistics {
    base::cycle_t sum = 0;
    unsigned count = 0;
    base::cycle_t least = base::never, most = 0;
    void add(base::cycle_t n) {
        sum += n;
        ++count;
        least = std::min(least, n);
        most = std::max(most, n);
    }
    double mean() const { return static_cast<double>(sum) / count; }
};

// Load to use of a lone read of `line` by `tile`, begun when nothing is under way.
base::cycle_t load_to_use(fabric_rig& rig, unsigned tile, line_t line, message_kind answer) {
    rig.finish();
    rig.log.clear();
    const base::cycle_t begun = rig.fabric.now();
    EXPECT_TRUE(rig.tiles[tile]->access(line, false, 0, begun + miss_cycles));
    rig.finish();
    return rig.first(answer, tile).clock + fill_cycles - begun;
}

// Every requester with every home slice, another tile as owner each time.
TEST(fabric_latency, averages_of_a_5110p) {
    const memory::card_memory& card = memory::card_memories[2];
    ASSERT_EQ(card.card, "5110p");
    uncore_parameters p;
    p.controllers = card.controllers;
    p.memory = card.parameters();
    fabric_rig rig(p, tiles);
    std::mt19937_64 g{1};
    statistics memory, remote;
    for (unsigned requester = 0; requester < tiles; ++requester) {
        for (unsigned home = 0; home < tiles; ++home) {
            line_t line = g() % (1u << 26);
            while (rig.fabric.hash().home(line) != home) ++line;
            memory.add(load_to_use(rig, requester, line, message_kind::data_e));
            // Handed on to some other tile.
            const unsigned next = (requester + 1 + (home * 7 + requester) % (tiles - 1)) % tiles;
            remote.add(load_to_use(rig, next, line, message_kind::data_s));
        }
    }
    std::printf("memory: mean %.1f, %lu to %lu clocks\nremote L2: mean %.1f, %lu to %lu clocks\n",
                memory.mean(), memory.least, memory.most, remote.mean(), remote.least, remote.most);
    // Published, from memory: 300 and 250, to about two digits.
    EXPECT_NEAR(memory.mean(), 300, 5);
    EXPECT_NEAR(remote.mean(), 250, 5);
    // The same every time.
    EXPECT_EQ(memory.sum, 1'082'793u);
    EXPECT_EQ(remote.sum, 889'238u);
}

}  // namespace
}  // namespace knc::card::test

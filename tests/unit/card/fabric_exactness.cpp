// What happens between the tiles depends on the messages and their clocks alone: not on the order
// of calls, nor on how far one call runs. And the coherent value of a line is found wherever it is.
#include <knc/card/memory_fabric.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

constexpr unsigned tiles = 24;

// Much of it at once, so that messages wait everywhere: few controllers with small queues, one ring
// of each kind.
uncore_parameters narrow() {
    uncore_parameters p;
    p.controllers = 2;
    p.memory.organisation.read_queue = 4;
    p.ring.address_rings = p.ring.acknowledge_rings = 1;
    p.directory_cycles = 9;
    p.directory_interval = 3;
    return p;
}

struct planned {
    base::cycle_t clock;
    unsigned tile;
    line_t line;
    std::uint8_t value;
    enum : std::uint8_t { read, write, evict } what;
};

// Sorted by clock, a tile's accesses of one clock in order.
std::vector<planned> plan(std::uint64_t seed, unsigned count, line_t lines, base::cycle_t last) {
    std::mt19937_64 g{seed};
    std::vector<planned> all(count);
    for (planned& a : all) {
        const auto what = g() % 8;
        a = {g() % last, static_cast<unsigned>(g() % tiles), g() % lines,
             static_cast<std::uint8_t>(g()),
             what < 4   ? planned::read
             : what < 7 ? planned::write
                        : planned::evict};
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const planned& a, const planned& b) { return a.clock < b.clock; });
    return all;
}

void perform(fabric_rig& rig, const planned& a) {
    if (a.what == planned::evict)
        rig.tiles[a.tile]->evict(a.line, a.clock);
    else
        rig.tiles[a.tile]->access(a.line, a.what == planned::write, a.value, a.clock);
}

// All calls first, in order of `tile_order`, a tile's own clocks backwards; then run in steps.
std::vector<arrival> hand_over_first(const std::vector<planned>& all,
                                     const std::vector<unsigned>& tile_order, base::cycle_t step) {
    fabric_rig rig(narrow(), tiles);
    for (const unsigned t : tile_order) {
        std::vector<planned> own;
        std::copy_if(all.begin(), all.end(), std::back_inserter(own),
                     [t](const planned& a) { return a.tile == t; });
        // Later clocks first: stable, so that those of one clock keep their order.
        std::stable_sort(own.begin(), own.end(),
                         [](const planned& a, const planned& b) { return a.clock > b.clock; });
        for (const planned& a : own) perform(rig, a);
    }
    while (rig.fabric.next_event() != base::never) rig.fabric.run(rig.fabric.now() + step - 1);
    return rig.log;
}

// Each call in its clock, when slices and controllers have long handed over what leaves in it.
std::vector<arrival> hand_over_in_time(const std::vector<planned>& all) {
    fabric_rig rig(narrow(), tiles);
    for (const planned& a : all) {
        if (a.clock > rig.fabric.now()) rig.fabric.run(a.clock - 1);
        perform(rig, a);
    }
    rig.finish();
    return rig.log;
}

std::uint64_t seed() {
    const char* text = std::getenv("KNC_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
}

TEST(fabric_exactness, order_of_calls_and_length_of_steps_mean_nothing) {
    SCOPED_TRACE(seed());
    // Reads of as many lines as there are accesses: what a tile sends first depends on nothing.
    std::vector<planned> all = plan(seed(), 1500, 1, 400);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].line = i * 3;
        all[i].what = planned::read;
    }
    std::vector<unsigned> order(tiles);
    std::iota(order.begin(), order.end(), 0u);
    const std::vector<arrival> reference = hand_over_first(all, order, 1);
    ASSERT_EQ(reference.size(), all.size());
    EXPECT_TRUE(hand_over_in_time(all) == reference);
    std::mt19937_64 g{seed()};
    for (const base::cycle_t step : {1, 7, 1000, 1'000'000}) {
        std::shuffle(order.begin(), order.end(), g);
        EXPECT_TRUE(hand_over_first(all, order, step) == reference) << "step " << step;
    }
}

// Tiles that run ahead as far as next_delivery() and lookahead() allow, one after the other.
std::vector<arrival> in_windows(const std::vector<planned>& all, base::cycle_t window,
                                std::mt19937_64& g) {
    fabric_rig rig(narrow(), tiles);
    std::vector<unsigned> order(tiles);
    std::iota(order.begin(), order.end(), 0u);
    std::size_t next = 0;
    while (next < all.size() || rig.fabric.next_event() != base::never) {
        const base::cycle_t now = rig.fabric.now();
        // An access is made before what arrives in its clock: the clock of a delivery is the last
        // that may be handed over.
        const base::cycle_t last =
            std::min({rig.fabric.next_delivery(), now + rig.fabric.lookahead(), now + window - 1});
        std::size_t end = next;
        while (end < all.size() && all[end].clock <= last) ++end;
        std::shuffle(order.begin(), order.end(), g);
        for (const unsigned t : order)
            for (std::size_t i = next; i < end; ++i)
                if (all[i].tile == t) perform(rig, all[i]);
        next = end;
        const std::size_t before = rig.log.size();
        rig.fabric.run(last);
        for (std::size_t i = before; i < rig.log.size(); ++i) EXPECT_EQ(rig.log[i].clock, last);
    }
    EXPECT_TRUE(rig.errors.empty());
    return rig.log;
}

TEST(fabric_exactness, tiles_may_run_ahead_as_far_as_promised) {
    std::mt19937_64 g{seed()};
    for (unsigned n = 0; n < 5; ++n) {
        const std::uint64_t s = seed() + n;
        SCOPED_TRACE(s);
        // So many that a tile's requests and its slice's messages often leave in one clock.
        const std::vector<planned> all = plan(s, 12'000, 2000, 12'000);
        const std::vector<arrival> reference = in_windows(all, 1, g);
        ASSERT_GT(reference.size(), 10'000u);
        EXPECT_TRUE(in_windows(all, 5, g) == reference);
        EXPECT_TRUE(in_windows(all, 100'000, g) == reference);
    }
}

// At any clock the coherent value of each line is what was written last, and what is written from
// outside is what tiles find; also while an uncached write recalls the line.
class debugging {
  public:
    static constexpr line_t lines = 12;

    void run() {
        const std::vector<planned> all = plan(seed(), 6000, lines, 40'000);
        std::size_t next = 0;
        while (next < all.size() || rig.fabric.next_event() != base::never) {
            const base::cycle_t now = rig.fabric.now();
            for (; next < all.size() && all[next].clock <= now; ++next) perform(rig, all[next]);
            if (now % 100 == 0 && next < all.size()) write_uncached();
            rig.fabric.run(now);
            if (now % 3 == 0) compare();
            if (now % 30 == 0) write();
            if (testing::Test::HasFailure()) return;
        }
        for (line_t l = 0; l < lines; ++l)
            EXPECT_EQ(rig.value(l)[fabric_rig::agent_byte], agent[l]) << l;
        EXPECT_TRUE(rig.errors.empty());
    }

    unsigned alone = 0, elsewhere = 0, recalled = 0;  // lines met in memory only, not only; there

  private:
    // One at a time: two to a line may overtake each other.
    void write_uncached() {
        while (seen < rig.log.size()) writing -= rig.log[seen++].kind == message_kind::write_done;
        if (writing != 0) return;
        ++writing;
        const line_t l = g() % lines;
        agent[l] = static_cast<std::uint8_t>(g());
        rig.write_uncached(l, agent[l], rig.fabric.now());
    }
    void compare() {
        for (line_t l = 0; l < lines; ++l) {
            line_data found = rig.value(l);
            found[fabric_rig::agent_byte] = rig.image[l][fabric_rig::agent_byte];
            EXPECT_EQ(found, rig.image[l]) << "line " << l << " clock " << rig.fabric.now();
            recalled +=
                rig.fabric.slice(rig.fabric.hash().home(l)).logic().debug_read(l) != nullptr;
            if (!rig.fabric.lines().only_in_memory(l)) {
                ++elsewhere;
                continue;
            }
            ++alone;
            for (const auto& t : rig.tiles) EXPECT_EQ(t->state(l), coherence::l2_state::i);
        }
    }
    // Bytes of tiles, where a write under way may be, and others.
    void write() {
        line_data d;
        d.fill(static_cast<std::uint8_t>(g()));
        const line_t l = g() % lines;
        const coherence::byte_mask mask =
            g() & ((coherence::byte_mask{1} << fabric_rig::agent_byte) - 1);
        for (const auto& t : rig.tiles) t->debug_write(l, d, mask);
        rig.fabric.lines().debug_write(l, d, mask);
        coherence::copy_bytes(rig.image[l].data(), d.data(), mask);
    }

    std::mt19937_64 g{seed()};
    fabric_rig rig{narrow(), tiles};
    std::array<std::uint8_t, lines> agent{};
    std::size_t seen = 0;  // of the rig's log
    int writing = 0;       // the agent's writes under way
};

TEST(fabric_exactness, debug_accesses_find_the_present_value) {
    SCOPED_TRACE(seed());
    debugging d;
    d.run();
    EXPECT_GT(d.alone, 100u);
    EXPECT_GT(d.elsewhere, 1000u);
    EXPECT_GT(d.recalled, 10u);
}

}  // namespace
}  // namespace knc::card::test

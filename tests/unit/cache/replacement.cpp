#include <knc/cache/replacement.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace knc::cache {
namespace {

constexpr std::uint32_t all(unsigned ways) {
    return ways == 32 ? ~0u : (1u << ways) - 1;
}

TEST(replacement, lru_takes_the_oldest_that_may_go) {
    std::uint64_t random = 0;
    const std::array<base::cycle_t, 4> used{30, 10, 20, 40};
    EXPECT_EQ(choose_victim(replacement::lru, used.data(), 4, 0b1111, random), 1u);
    EXPECT_EQ(choose_victim(replacement::lru, used.data(), 4, 0b1101, random), 2u);
    EXPECT_EQ(choose_victim(replacement::lru, used.data(), 4, 0b1000, random), 3u);
    // Of equal clocks the lower way.
    const std::array<base::cycle_t, 4> equal{5, 5, 5, 5};
    EXPECT_EQ(choose_victim(replacement::lru, equal.data(), 4, 0b1110, random), 1u);
    EXPECT_EQ(random, 0u);
}

// The textbook's tree: a bit for each node, set by every use to point away from it.
struct tree {
    explicit tree(unsigned w) : ways(w), bits(w, 0) {}
    void use(unsigned way) {
        for (unsigned node = way + ways; node > 1; node /= 2) bits[node / 2] = (node & 1) ^ 1;
    }
    unsigned victim() const {
        unsigned node = 1;
        while (node < ways) node = node * 2 + bits[node];
        return node - ways;
    }
    unsigned ways;
    std::vector<unsigned> bits;  // of node n: which child is next to go
};

// After every way was used once, stamps and bits choose alike, whatever the order of further uses.
TEST(replacement, tree_plru_follows_from_the_clocks_of_use) {
    std::mt19937 random(1);
    for (const unsigned ways : {2u, 4u, 8u, 16u, 32u}) {
        tree t(ways);
        std::vector<base::cycle_t> used(ways);
        std::vector<unsigned> order(ways);
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), random);
        base::cycle_t clock = 0;
        const auto use = [&](unsigned way) {
            used[way] = ++clock;
            t.use(way);
        };
        for (const unsigned way : order) use(way);
        std::uint64_t state = 0;
        for (unsigned n = 0; n < 1000; ++n) {
            ASSERT_EQ(choose_victim(replacement::tree_plru, used.data(), ways, all(ways), state),
                      t.victim())
                << ways << " ways, use " << n;
            use(static_cast<unsigned>(random()) % ways);
        }
    }
}

TEST(replacement, tree_plru_falls_back_to_the_oldest) {
    std::uint64_t random = 0;
    // The last use was of way 3, of the other half's that of way 1: the tree leads to 0.
    const std::array<base::cycle_t, 4> used{1, 7, 2, 9};
    EXPECT_EQ(choose_victim(replacement::tree_plru, used.data(), 4, 0b1111, random), 0u);
    EXPECT_EQ(choose_victim(replacement::tree_plru, used.data(), 4, 0b1110, random), 2u);
}

TEST(replacement, random_choices_are_spread_and_repeatable) {
    const std::array<base::cycle_t, 8> used{};
    std::uint64_t state = 0, again = 0;
    std::array<unsigned, 8> chosen{};
    for (unsigned n = 0; n < 3000; ++n) {
        const unsigned way = choose_victim(replacement::random, used.data(), 8, 0b10110000, state);
        EXPECT_EQ(way, choose_victim(replacement::random, used.data(), 8, 0b10110000, again));
        ++chosen[way];
    }
    // Three ways may go, each in about a third of the choices: 1000, with a deviation of 26.
    for (const unsigned way : {4u, 5u, 7u}) {
        EXPECT_GT(chosen[way], 870u);
        EXPECT_LT(chosen[way], 1130u);
    }
    EXPECT_EQ(chosen[4] + chosen[5] + chosen[7], 3000u);
}

}  // namespace
}  // namespace knc::cache

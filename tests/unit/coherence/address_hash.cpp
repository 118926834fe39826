#include <knc/coherence/address_hash.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace knc::coherence::test {
namespace {

// Tiles and controllers of the cards, and small machines; lines of a block.
constexpr unsigned shapes[][3] = {{1, 1, 8},  {2, 1, 8},  {57, 6, 8}, {60, 8, 8},
                                  {61, 8, 1}, {61, 8, 8}, {62, 8, 4}, {64, 64, 64}};

TEST(address_hash, gives_equal_shares_of_every_group) {
    for (const auto& [tiles, controllers, block] : shapes) {
        hash_parameters p;
        p.block_lines = block;
        const address_hash h(tiles, controllers, p);
        // A whole number of groups of both kinds, far from zero.
        const line_t first = line_t{tiles} * controllers * block * 100'003;
        std::map<node_t, unsigned> homes, stores;
        const unsigned lines = tiles * controllers * block * 4;
        for (line_t l = first; l < first + lines; ++l) {
            ++homes[h.home(l)];
            ++stores[h.controller(l)];
        }
        ASSERT_EQ(homes.size(), tiles);
        ASSERT_EQ(stores.size(), controllers);
        for (const auto& [node, count] : homes) {
            EXPECT_LT(node, tiles);
            EXPECT_EQ(count, lines / tiles);
        }
        for (const auto& [node, count] : stores) {
            EXPECT_GE(node, first_controller);
            EXPECT_LT(node, first_controller + controllers);
            EXPECT_EQ(count, lines / controllers);
        }
    }
}

// A stride that meets each group in the same place would have one home but for the rotation. Of
// 61 x 1000 lines that a fair die throws onto 61 slices each gets 1000, standard deviation 31: 200
// are more than six of them.
TEST(address_hash, spreads_strides) {
    const address_hash h(61, 8);
    for (const line_t stride : {1, 8, 61, 64, 488, 512, 4096, 1 << 20}) {
        std::vector<unsigned> homes(61), stores(8);
        for (line_t n = 0; n < 61'000; ++n) {
            ++homes[h.home(n * stride)];
            ++stores[h.controller(n * stride) - first_controller];
        }
        for (const unsigned count : homes) EXPECT_NEAR(count, 1000, 200) << stride;
        // 7625 each, standard deviation 82.
        for (const unsigned count : stores) EXPECT_NEAR(count, 7625, 500) << stride;
    }
}

// Lines of one controller are not a few slices' business.
TEST(address_hash, slices_and_controllers_are_independent) {
    const address_hash h(61, 8);
    std::vector<unsigned> both(61 * 8);
    for (line_t l = 0; l < 61 * 8 * 1000; ++l)
        ++both[h.home(l) * 8u + (h.controller(l) - first_controller)];
    for (const unsigned count : both) EXPECT_NEAR(count, 1000, 250);  // standard deviation 32
}

TEST(address_hash, numbers_the_lines_of_a_controller_densely) {
    const address_hash h(57, 6);
    std::map<node_t, std::set<line_t>> places;
    for (line_t l = 0; l < 6000; ++l) places[h.controller(l)].insert(h.line_of_controller(l));
    for (const auto& [node, numbers] : places) {
        EXPECT_EQ(numbers.size(), 1000u) << unsigned{node};  // 6000 lines, 6 controllers
        EXPECT_EQ(*numbers.rbegin(), 999u);
    }
}

// The lines of a block are neighbours at their controller, too, and the next block is elsewhere.
TEST(address_hash, deals_out_blocks) {
    const address_hash h(61, 8);
    for (line_t first = 0; first < 800; first += 8) {
        for (line_t l = first; l < first + 8; ++l) {
            EXPECT_EQ(h.controller(l), h.controller(first));
            // Eight controllers: every eighth block of each.
            EXPECT_EQ(h.line_of_controller(l), first / 64 * 8 + (l - first));
        }
        // Of one group of eight blocks each controller has one.
        if (first % 64 != 56) {
            EXPECT_NE(h.controller(first), h.controller(first + 8));
        }
    }
}

TEST(address_hash, refuses_blocks_that_are_no_power_of_two) {
    for (const std::uint32_t lines : {0u, 3u, 12u, 1u << 17, ~0u}) {
        hash_parameters p;
        p.block_lines = lines;
        EXPECT_THROW(address_hash(61, 8, p), std::invalid_argument) << lines;
    }
}

TEST(address_hash, follows_its_seeds) {
    const address_hash a(61, 8), same(61, 8), other(61, 8, {1, 2, 8});
    unsigned differing = 0;
    for (line_t l = 0; l < 6100; ++l) {
        EXPECT_EQ(a.home(l), same.home(l));
        differing += a.home(l) != other.home(l);
    }
    // 100 groups, each rotated anew: about one in 61 keeps its rotation by chance.
    EXPECT_GT(differing, 5000u);
}

}  // namespace
}  // namespace knc::coherence::test

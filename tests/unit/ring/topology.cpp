// Where the stops are, and which way messages go.
#include <string>

#include <gtest/gtest.h>
#include <knc/ring/topology.h>

namespace {

using namespace knc;
using ring::agent;
using ring::direction;
using ring::topology;

// S the SBOX, M a memory controller, a number so many tiles in sequence.
std::string drawn(const topology& t) {
    std::string text;
    unsigned tiles = 0;
    const auto write_tiles = [&] {
        if (tiles != 0) text += " " + std::to_string(tiles);
        tiles = 0;
    };
    for (unsigned s = 0; s < t.stops(); ++s) {
        if (t.at(s).what == agent::tile) {
            ++tiles;
            continue;
        }
        write_tiles();
        text += t.at(s).what == agent::sbox ? " S" : " M";
    }
    write_tiles();
    return text.substr(1);
}

// Controller c of 8 stands before tile floor((2c + 1) * 61 / 16) = 3, 11, 19, 26, 34, 41, 49, 57.
// The tiles between 7 and 0 are 4 + 3, on both sides of the SBOX.
TEST(topology, card_of_61_tiles_and_8_controllers) {
    const topology t(61, 8);
    EXPECT_EQ(t.stops(), 61u + 8 + 1);
    EXPECT_EQ(drawn(t), "S 3 M 8 M 8 M 7 M 8 M 7 M 8 M 8 M 4");
    EXPECT_EQ(t.sbox(), 0u);
    EXPECT_EQ(t.tile(0), 1u);
    EXPECT_EQ(t.controller(0), 4u);   // after the SBOX and tiles 0-2
    EXPECT_EQ(t.tile(3), 5u);         // after the controller
    EXPECT_EQ(t.controller(7), 65u);  // after the SBOX, 7 controllers, 57 tiles
    EXPECT_EQ(t.tile(60), 69u);
}

// (2c + 1) * 57 / 12 = 4.75, 14.25, 23.75, 33.25, 42.75, 52.25
TEST(topology, card_of_57_tiles_and_6_controllers) {
    EXPECT_EQ(drawn(topology(57, 6)), "S 4 M 10 M 9 M 10 M 9 M 10 M 5");
}

TEST(topology, small_cards) {
    EXPECT_EQ(drawn(topology(1, 1)), "S M 1");
    EXPECT_EQ(drawn(topology(2, 1)), "S 1 M 1");
    EXPECT_EQ(drawn(topology(2, 2)), "S M 1 M 1");
    // More controllers than tiles: 1 * 2 / 8, 3 * 2 / 8, 5 * 2 / 8, 7 * 2 / 8 = 0, 0, 1, 1.
    EXPECT_EQ(drawn(topology(2, 4)), "S M M 1 M M 1");
    EXPECT_EQ(drawn(topology(4, 0)), "S 4");
}

TEST(topology, controllers_are_evenly_spaced_on_every_card) {
    for (unsigned tiles = 1; tiles <= 62; ++tiles) {
        for (unsigned controllers = 1; controllers <= 16; ++controllers) {
            SCOPED_TRACE(testing::Message() << tiles << " tiles, " << controllers);
            const topology t(tiles, controllers);
            ASSERT_EQ(t.stops(), tiles + controllers + 1);
            ASSERT_EQ(t.at(t.sbox()).what, agent::sbox);
            for (unsigned n = 0; n < tiles; ++n) {
                ASSERT_EQ(t.at(t.tile(n)).what, agent::tile);
                ASSERT_EQ(t.at(t.tile(n)).number, n);
                ASSERT_TRUE(n == 0 || t.tile(n) > t.tile(n - 1));
            }
            for (unsigned n = 0; n < controllers; ++n) {
                const unsigned here = t.controller(n), next = t.controller((n + 1) % controllers);
                ASSERT_EQ(t.at(here).what, agent::controller);
                ASSERT_EQ(t.at(here).number, n);
                unsigned between = 0;
                for (unsigned s = (here + 1) % t.stops(); s != next; s = (s + 1) % t.stops())
                    between += t.at(s).what == agent::tile ? 1 : 0;
                ASSERT_GE(between, tiles / controllers);
                ASSERT_LE(between, (tiles + controllers - 1) / controllers);
            }
        }
    }
}

TEST(shortest, takes_the_way_with_fewer_hops) {
    const auto check = [](unsigned from, unsigned to, unsigned stops, direction way,
                          unsigned hops) {
        const ring::route r = ring::shortest(from, to, stops);
        EXPECT_EQ(r.way, way) << from << " to " << to;
        EXPECT_EQ(r.hops, hops) << from << " to " << to;
    };
    check(0, 1, 7, direction::up, 1);
    check(0, 3, 7, direction::up, 3);
    check(0, 4, 7, direction::down, 3);
    check(6, 0, 7, direction::up, 1);
    check(0, 6, 7, direction::down, 1);
    check(5, 1, 7, direction::up, 3);
    check(1, 5, 7, direction::down, 3);
    // Opposite stops: by the parity of the source.
    check(0, 4, 8, direction::up, 4);
    check(1, 5, 8, direction::down, 4);
    check(6, 2, 8, direction::up, 4);
    check(7, 3, 8, direction::down, 4);
    check(0, 1, 2, direction::up, 1);
    check(1, 0, 2, direction::down, 1);
}

}  // namespace

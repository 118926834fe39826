// The protocol in small machines, every order of messages: each state that can be reached is
// visited.
//
// Per state (world.cpp): whatever a load could read is the last value stored; an exclusive copy is
// the only one; the last value stored can be found by a debugger; nothing unfinished is without a
// message under way; a line about which nothing is under way is known exactly to its home slice. At
// the end: from every state, whatever the order of the messages, they run out and leave nothing
// unfinished.
//
// The number of states is a fact about tables and explored machine. If it changes without one of
// them having been changed, the explorer no longer looks at what it did.
#include "explorer.h"

#include <iostream>

#include <gtest/gtest.h>

namespace knc::coherence::test {
namespace {

#ifdef KNC_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

exploration explored(const world_parameters& p) {
    const exploration e = explore(p);
    std::cout << p.tiles << " tiles, " << p.lines.size() << " lines: " << e.states << " states, "
              << e.steps << " steps, " << e.at_rest << " states at rest\n";
    EXPECT_EQ(e.error, "") << e.way;
    EXPECT_TRUE(e.complete);
    return e;
}

// Lines of a machine with so many tiles: the first, and the next one with the same home slice or
// with another.
std::vector<line_t> two_lines(unsigned tiles, bool same_home) {
    const address_hash hash(tiles, 1);
    line_t second = 1;
    while ((hash.home(second) == hash.home(0)) != same_home) ++second;
    return {0, second};
}

// At rest a line is, up to renumbering of the tiles, in one of these: GI; GS with 1 to n sharers;
// GE with E; GE with M, stored to or not yet; GOLS with 0 to n-1 sharers beside the owner, stored
// to or not yet. That is 1 + n + 1 + 2 + 2n.
std::size_t line_at_rest(std::size_t tiles) {
    return 4 + 3 * tiles;
}

TEST(explore, one_line_in_four_tiles) {
    world_parameters p;
    p.tiles = 4;
    p.lines = {0};
    p.reduced = sanitized;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, line_at_rest(4));
    EXPECT_EQ(e.states, sanitized ? 43'254u : 559'294u);
}

// With an L1 that writes to lines in E and M without asking, and a host that reads and writes. At
// rest E and M may have newer data in the L1: two states more.
TEST(explore, one_line_in_three_tiles_and_uncached_accesses) {
    world_parameters p;
    p.lines = {0};
    p.l1 = p.uncached = true;
    p.reduced = sanitized;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, line_at_rest(3) + 2);
    EXPECT_EQ(e.states, sanitized ? 56'041u : 1'085'868u);
}

// With stores of whole lines, after which memory is old in both words, not in that of the cores
// only: M, M with newer data in the L1, and GOLS with 0 to 2 sharers are there once more.
TEST(explore, one_line_in_three_tiles_and_streaming_stores) {
    world_parameters p;
    p.lines = {0};
    p.l1 = p.i_to_m = true;
    p.reduced = sanitized;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, line_at_rest(3) + 2 + 5);
    EXPECT_EQ(e.states, sanitized ? 9'710u : 103'697u);
}

// Each cache has room for one of the lines and its victim buffer for another. At rest nobody has
// a line (1); one line is held (by symmetry it does not matter which): as above, without GI; both
// are held, each by one tile: a sole holder is in S, E, M or O, in M and O stored to or not, which
// makes 6 states and 21 unordered pairs of them. But both lines cannot be owned in O by tiles
// without sharers: each must have had one at some time, the other tile, whose only slot has held
// its own line in O all that time. Of O stored to or not there are 3 unordered pairs.
TEST(explore, two_lines_in_two_tiles) {
    world_parameters p;
    p.tiles = 2;
    p.lines = two_lines(2, true);
    p.reduced = sanitized;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, 1 + (line_at_rest(2) - 1) + 21 - 3);
    EXPECT_EQ(e.states, sanitized ? 20'107u : 1'470'545u);
}

// With a third tile to share with, all 21 pairs are possible, and one line may be held by two tiles
// while the third holds the other: GS, or GOLS with one sharer, stored to or not, beside the 6
// states of a sole holder. Messages whose order cannot matter arrive at once (world.cpp).
TEST(explore, two_lines_in_three_tiles) {
    world_parameters p;
    p.lines = two_lines(3, true);
    p.reduced = true;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, 1 + (line_at_rest(3) - 1) + 21 + 3 * 6);
    EXPECT_EQ(e.states, 2'043'601u);
}

// It does not matter whether two lines share a home slice.
TEST(explore, lines_of_one_slice_do_not_disturb_each_other) {
    world_parameters p;
    p.tiles = 2;
    p.reduced = true;
    p.lines = two_lines(2, true);
    const exploration one = explored(p);
    p.lines = two_lines(2, false);
    const exploration two = explored(p);
    EXPECT_EQ(one.states, two.states);
    EXPECT_EQ(one.steps, two.steps);
}

// The states at rest are those of the exploration in which every message takes its time.
TEST(explore, reduction_loses_no_state_at_rest) {
    world_parameters p;
    p.tiles = 2;
    p.lines = {0};
    p.l1 = p.uncached = true;
    const exploration whole = explored(p);
    p.reduced = true;
    const exploration reduced = explored(p);
    EXPECT_LT(reduced.states * 5, whole.states);
    EXPECT_EQ(reduced.at_rest, whole.at_rest);
    EXPECT_EQ(reduced.at_rest, line_at_rest(2) + 2);
}

// ---- with an L3, which may replace the line at any time
// At rest a line is, up to renumbering of the tiles, in one of these. The L3's data, while they are
// right, may be clean, dirty, or written back by an owner that has not stored (3 cases); once they
// are old, clean or dirty (2). NP; LI (3); LS with 1 to n sharers (3 each); LE with E (3), with M
// not stored to (3) or stored to (2); LO with 0 to n-1 sharers beside the owner, not stored to (3
// each) or stored to (2 each). That is 1 + 3 + 3n + 8 + 5n.
std::size_t l3_line_at_rest(std::size_t tiles) {
    return 12 + 8 * tiles;
}

TEST(explore_l3, one_line_in_three_tiles) {
    world_parameters p;
    p.lines = {0};
    p.l3 = &standard_l3_table();
    p.reduced = sanitized;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, l3_line_at_rest(3));
    if (!sanitized) {
        EXPECT_EQ(e.states, 192'638u);
    }
}

TEST(explore_l3, one_line_in_four_tiles) {
    world_parameters p;
    p.tiles = 4;
    p.lines = {0};
    p.l3 = &standard_l3_table();
    p.reduced = true;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, l3_line_at_rest(4));
    EXPECT_EQ(e.states, 464'854u);
}

TEST(explore_l3, one_line_in_two_tiles_and_all_accesses) {
    world_parameters p;
    p.tiles = 2;
    p.lines = {0};
    p.l1 = p.uncached = p.i_to_m = true;
    p.l3 = &standard_l3_table();
    p.reduced = sanitized;
    const exploration e = explored(p);
    if (!sanitized) {
        EXPECT_EQ(e.states, 293'450u);
    }
}

// E and M may have newer data in the L1, the L3's being clean or dirty: four states more.
TEST(explore_l3, one_line_in_three_tiles_and_uncached_accesses) {
    world_parameters p;
    p.lines = {0};
    p.l1 = p.uncached = true;
    p.l3 = &standard_l3_table();
    p.reduced = true;
    const exploration e = explored(p);
    EXPECT_EQ(e.at_rest, l3_line_at_rest(3) + 4);
    EXPECT_EQ(e.states, 420'882u);
}

TEST(explore_l3, two_lines_in_two_tiles) {
    world_parameters p;
    p.tiles = 2;
    p.lines = two_lines(2, true);
    p.l3 = &standard_l3_table();
    p.reduced = true;
    EXPECT_EQ(explored(p).states, 647'286u);
}

}  // namespace
}  // namespace knc::coherence::test

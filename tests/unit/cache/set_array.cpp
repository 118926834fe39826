#include <knc/cache/set_array.h>

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace knc::cache {
namespace {

struct item {
    base::cycle_t used = 0;
    bool pinned = false;
};
bool any(line_t, const item&) {
    return true;
}

// Four sets of two ways.
struct set_array_test : testing::Test {
    set_array<item> cache{{4 * 2 * 64, 2, replacement::lru}};
    item& put(line_t line, base::cycle_t clock) {
        item* i = cache.choose(line, any);
        cache.enter(*i, line);
        i->used = clock;
        i->pinned = false;
        return *i;
    }
};

TEST_F(set_array_test, finds_what_was_entered) {
    EXPECT_EQ(cache.size(), 8u);
    EXPECT_EQ(cache.find(5), nullptr);
    item& i = put(5, 1);
    EXPECT_EQ(cache.find(5), &i);
    EXPECT_EQ(cache.line_of(i), 5u);
    EXPECT_TRUE(cache.holds(i));
    EXPECT_EQ(cache.find(9), nullptr);  // of the same set
    cache.remove(i);
    EXPECT_EQ(cache.find(5), nullptr);
    EXPECT_FALSE(cache.holds(i));
}

TEST_F(set_array_test, fills_free_ways_before_any_line_gives_way) {
    put(1, 1);
    item* free = cache.choose(5, any);
    EXPECT_FALSE(cache.holds(*free));
    put(5, 2);
    item* oldest = cache.choose(9, any);
    EXPECT_EQ(cache.line_of(*oldest), 1u);
    // Another set has room.
    EXPECT_FALSE(cache.holds(*cache.choose(2, any)));
}

TEST_F(set_array_test, takes_only_lines_that_may_go) {
    put(1, 1).pinned = true;
    put(5, 2);
    const auto may = [](line_t, const item& i) { return !i.pinned; };
    EXPECT_EQ(cache.line_of(*cache.choose(9, may)), 5u);
    cache.find(5)->pinned = true;
    EXPECT_EQ(cache.choose(9, may), nullptr);
    EXPECT_EQ(cache.line_of(*cache.choose(9, [](line_t l, const item&) { return l == 5; })), 5u);
}

// Some lines of a set differ only in the upper bits of their tags.
class set_array_random : public testing::TestWithParam<unsigned> {};

TEST_P(set_array_random, finds_what_a_map_finds) {
    const unsigned ways = GetParam(), sets = 4;
    set_array<item> cache{{sets * ways * 64, ways, replacement::lru}};
    std::map<line_t, item*> expected;
    std::mt19937_64 random(ways);  // the seed
    const auto draw = [&random] {
        const line_t tag = random() % 3 << 40 | random() % 5 << 8 | random() % 12;
        return tag * sets + random() % sets;
    };
    for (base::cycle_t clock = 1; clock < 20'000; ++clock) {
        const line_t line = draw();
        const auto known = expected.find(line);
        ASSERT_EQ(cache.find(line), known != expected.end() ? known->second : nullptr) << clock;
        if (known != expected.end()) {
            if (random() % 4 == 0) {
                cache.remove(*known->second);
                expected.erase(known);
            }
            continue;
        }
        item* const place = cache.choose(line, any);
        if (cache.holds(*place)) {
            ASSERT_EQ(expected.erase(cache.line_of(*place)), 1u);
            cache.remove(*place);
        }
        cache.enter(*place, line);
        place->used = clock;
        expected[line] = place;
    }
    EXPECT_GT(expected.size(), ways);
}

INSTANTIATE_TEST_SUITE_P(ways, set_array_random, testing::Values(1u, 2u, 8u, 12u, 32u));

}  // namespace
}  // namespace knc::cache

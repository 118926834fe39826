#include <knc/cache/set_array.h>

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

}  // namespace
}  // namespace knc::cache

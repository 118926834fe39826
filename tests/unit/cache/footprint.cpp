// The lines that a tile has used most recently: of a small L2, and among tiles.
#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <knc/cache/footprint.h>

namespace knc::cache {
namespace {

using use = line_access;

// Two sets of two ways: even lines are in one, odd ones in the other.
const geometry small{4 * 64, 2, replacement::lru};

// "line: loaded stored fetched", the one used longest ago first.
std::string text(const footprint& f) {
    std::string s;
    for (const used_line& l : f.lines())
        s += fmt::format("{}{}{}{} ", l.line, l.loaded ? "l" : "", l.stored ? "s" : "",
                         l.fetched ? "f" : "");
    return s;
}

TEST(footprint, orders_lines_by_their_latest_use) {
    footprint f{small};
    EXPECT_EQ(text(f), "");
    f.use(0, use::load, 1);
    f.use(1, use::store, 2);
    f.use(2, use::fetch, 3);
    EXPECT_EQ(text(f), "0l 1s 2f ");
    f.use(0, use::store, 4);  // keeps that it was loaded
    EXPECT_EQ(text(f), "1s 2f 0ls ");
}

TEST(footprint, replaces_the_line_of_the_set_used_longest_ago) {
    footprint f{small};
    f.use(0, use::load, 1);
    f.use(2, use::load, 2);
    f.use(1, use::load, 3);
    f.use(0, use::load, 4);
    f.use(4, use::load, 5);  // instead of 2; set 1 has room
    EXPECT_EQ(text(f), "1l 0l 4l ");
    f.use(2, use::fetch, 6);  // instead of 0, and what was known of it before is gone
    EXPECT_EQ(text(f), "1l 4l 2f ");
}

TEST(footprint, forgets_lines) {
    footprint f{small};
    f.use(0, use::load, 1);
    f.use(2, use::store, 2);
    f.forget(2);
    f.forget(3);  // never used
    EXPECT_EQ(text(f), "0l ");
    f.use(4, use::load, 3);  // takes the free way
    EXPECT_EQ(text(f), "0l 4l ");
    f.clear();
    EXPECT_EQ(text(f), "");
}

// Against a list per set.
TEST(footprint, agrees_with_lists) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random{seed};
    const geometry g{32 * 64, 4, replacement::lru};
    footprint f{g};
    std::map<std::uint64_t, std::list<std::uint64_t>> sets;
    std::map<std::uint64_t, base::cycle_t> last;
    for (base::cycle_t now = 1; now <= 20'000; ++now) {
        const std::uint64_t line = random() % 64;
        auto& set = sets[line % 8];
        set.remove(line);
        if (random() % 16 == 0) {
            f.forget(line);
            continue;
        }
        f.use(line, random() % 2 == 0 ? use::load : use::store, now);
        set.push_front(line);
        if (set.size() > 4) set.pop_back();
        last[line] = now;
    }
    std::vector<std::uint64_t> wanted, found;
    for (const auto& [n, set] : sets) wanted.insert(wanted.end(), set.begin(), set.end());
    std::sort(wanted.begin(), wanted.end(),
              [&](std::uint64_t a, std::uint64_t b) { return last[a] < last[b]; });
    for (const used_line& l : f.lines()) {
        found.push_back(l.line);
        EXPECT_EQ(l.last, last[l.line]);
    }
    EXPECT_EQ(found, wanted);
}

// ---- among tiles

struct tiles {
    footprint a{small}, b{small}, c{small};
    void settle() { settle_ownership({&a, &b, &c}); }
};

TEST(footprint, loads_share_a_line) {
    tiles t;
    t.a.use(0, use::load, 1);
    t.b.use(0, use::load, 2);
    t.settle();
    EXPECT_EQ(text(t.a), "0l ");
    EXPECT_EQ(text(t.b), "0l ");
}

TEST(footprint, a_later_store_takes_the_line) {
    tiles t;
    t.a.use(0, use::store, 1);
    t.b.use(0, use::load, 2);
    t.c.use(0, use::store, 3);
    t.settle();
    EXPECT_EQ(text(t.a), "");
    EXPECT_EQ(text(t.b), "");
    EXPECT_EQ(text(t.c), "0s ");
}

TEST(footprint, a_later_load_makes_it_shared) {
    tiles t;
    t.a.use(0, use::store, 1);
    t.c.use(0, use::store, 2);
    t.b.use(0, use::load, 3);
    t.settle();
    EXPECT_EQ(text(t.a), "");
    EXPECT_EQ(text(t.b), "0l ");
    EXPECT_EQ(text(t.c), "0l ");
}

// The tile that stored last has loaded since; another one has too.
TEST(footprint, its_own_later_loads_do_not_keep_it_modified) {
    tiles t;
    t.a.use(0, use::store, 1);
    t.b.use(0, use::fetch, 2);
    t.a.use(0, use::load, 3);
    t.settle();
    EXPECT_EQ(text(t.a), "0l ");
    EXPECT_EQ(text(t.b), "0f ");
}

TEST(footprint, stores_of_one_cycle_count_in_the_order_of_the_tiles) {
    tiles t;
    t.a.use(0, use::store, 5);
    t.b.use(0, use::store, 5);
    t.settle();
    EXPECT_EQ(text(t.a), "");
    EXPECT_EQ(text(t.b), "0s ");
}

}  // namespace
}  // namespace knc::cache

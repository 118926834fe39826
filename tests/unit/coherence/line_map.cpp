#include <knc/coherence/line_map.h>

#include <iostream>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace knc::coherence::test {
namespace {

TEST(line_map, finds_what_was_put_in) {
    line_map<int> m;
    EXPECT_EQ(m.find(5), nullptr);
    m[5] = 50;
    m[0] = 7;
    ASSERT_NE(m.find(5), nullptr);
    EXPECT_EQ(*m.find(5), 50);
    EXPECT_EQ(m[0], 7);
    EXPECT_EQ(m[6], 0);  // new: the default
    EXPECT_EQ(m.size(), 3u);
    m.erase(5);
    m.erase(99);
    EXPECT_EQ(m.find(5), nullptr);
    EXPECT_EQ(m.size(), 2u);
    m.clear();
    EXPECT_EQ(m.size(), 0u);
    EXPECT_EQ(m.find(0), nullptr);
}

// Removal moves later cells back into the hole; a mistake there loses or hides a line.
TEST(line_map, agrees_with_a_tree_on_random_operations) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        line_map<std::uint64_t> map;
        std::map<line_t, std::uint64_t> tree;
        for (unsigned n = 0; n < 20'000; ++n) {
            // Few lines in the first half of the seeds: much insertion and removal of the same.
            const line_t line = random() % (seed <= 10 ? 40 : 4000);
            switch (random() % 3) {
                case 0:
                    map[line] = tree[line] = n;
                    break;
                case 1:
                    map.erase(line);
                    tree.erase(line);
                    break;
                default: {
                    const auto t = tree.find(line);
                    const std::uint64_t* v = map.find(line);
                    ASSERT_EQ(v != nullptr, t != tree.end());
                    if (v != nullptr) {
                        ASSERT_EQ(*v, t->second);
                    }
                }
            }
            ASSERT_EQ(map.size(), tree.size());
        }
        std::size_t visited = 0;
        map.for_each([&](line_t line, std::uint64_t v) {
            ++visited;
            ASSERT_EQ(tree.count(line), 1u);
            EXPECT_EQ(tree[line], v);
        });
        EXPECT_EQ(visited, tree.size());
    }
}

}  // namespace
}  // namespace knc::coherence::test

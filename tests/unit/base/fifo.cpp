#include <knc/base/fifo.h>

#include <deque>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace knc::base {
namespace {

TEST(fifo, has_the_elements_in_their_order) {
    fifo<int> f;
    EXPECT_TRUE(f.empty());
    for (const int n : {1, 2, 3}) f.push_back(n);
    EXPECT_EQ(f.size(), 3u);
    EXPECT_EQ(f.front(), 1);
    f.pop_front();
    EXPECT_EQ(std::vector<int>(f.begin(), f.end()), (std::vector<int>{2, 3}));
    f.front() = 7;
    for (int& n : f) ++n;
    EXPECT_EQ(std::vector<int>(f.begin(), f.end()), (std::vector<int>{8, 4}));
    f.pop_front();
    f.pop_front();
    EXPECT_TRUE(f.empty());
}

// A queue that is never empty must not grow for ever: with at most 3 elements, the vector below
// never has more than 8, the next power of two of 2 * 3 that its growth by doubling reaches.
TEST(fifo, reuses_the_places_of_what_has_left) {
    struct counted {
        std::shared_ptr<int> n;
    };
    const auto shared = std::make_shared<int>(0);
    fifo<counted> f;
    f.push_back({shared});
    f.push_back({shared});
    for (int n = 0; n < 1000; ++n) {
        f.push_back({shared});
        f.pop_front();
        ASSERT_LE(shared.use_count(), 1 + 8) << n;
    }
}

TEST(fifo, behaves_as_a_deque) {
    std::mt19937 random(1);  // the seed
    fifo<unsigned> f;
    std::deque<unsigned> expected;
    for (unsigned n = 0; n < 10'000; ++n) {
        if (!expected.empty() && random() % 9 < 4) {
            ASSERT_EQ(f.front(), expected.front()) << n;
            f.pop_front();
            expected.pop_front();
        } else if (expected.size() < 20) {
            f.push_back(n);
            expected.push_back(n);
        }
        ASSERT_EQ(std::vector<unsigned>(f.begin(), f.end()),
                  std::vector<unsigned>(expected.begin(), expected.end()))
            << n;
    }
}

}  // namespace
}  // namespace knc::base

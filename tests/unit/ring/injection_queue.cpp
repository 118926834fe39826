// The injection queue against one that sorts.
#include <knc/ring/injection_queue.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace knc::ring::test {
namespace {

using taken = std::vector<std::pair<std::uint16_t, std::uint32_t>>;

// The queue, with messages that it may keep. Of their members only `clock`, `from` and `sender`
// give an order; the others come back as they were.
struct numbered_queue : injection_queue {
    void add(base::cycle_t now, base::cycle_t clock, std::uint16_t stop, sender_kind who,
             std::uint32_t id) {
        transit& m = messages.emplace_back();
        m.clock = clock;
        m.from = stop;
        m.to = static_cast<std::uint16_t>(stop + 7);
        m.what = channel::address;
        m.sender = who;
        m.travel = id;
        injection_queue::add(now, m);
    }
    taken take(base::cycle_t t) {
        taken all;
        injection_queue::take(t, [&](transit& m) {
            EXPECT_EQ(m.clock, t);
            EXPECT_EQ(m.to, m.from + 7);
            EXPECT_EQ(m.what, channel::address);
            m.next = nullptr;  // the caller may enter it into another list
            all.emplace_back(m.from, m.travel);
        });
        return all;
    }
    std::deque<transit> messages;
};

TEST(injection_queue, leave_by_stop_then_sender_then_call) {
    numbered_queue d;
    EXPECT_EQ(d.next(), base::never);
    d.add(0, 5, 2, sender_kind::directory, 1);
    d.add(0, 5, 2, sender_kind::l2, 2);
    d.add(0, 5, 1, sender_kind::l2, 3);
    d.add(0, 5, 2, sender_kind::l2, 4);
    d.add(0, 4, 9, sender_kind::l2, 5);
    EXPECT_EQ(d.next(), 4u);
    EXPECT_EQ(d.take(4), (taken{{9, 5}}));
    EXPECT_EQ(d.next(), 5u);
    EXPECT_EQ(d.take(5), (taken{{1, 3}, {2, 2}, {2, 4}, {2, 1}}));
    EXPECT_EQ(d.next(), base::never);
}

// Clocks near by, at the edges of the wheel (256 clocks) and far beyond it.
TEST(injection_queue, follow_one_that_sorts) {
    std::mt19937_64 g{1};
    numbered_queue d;
    std::vector<std::tuple<base::cycle_t, unsigned, unsigned, std::uint32_t>> all;
    base::cycle_t now = 0;
    std::uint32_t calls = 0;
    unsigned far = 0;
    for (unsigned step = 0; step < 20'000; ++step) {
        for (auto n = g() % 4; n > 0; --n) {
            constexpr base::cycle_t spans[] = {1, 20, 64, 255, 256, 257, 5000};
            const base::cycle_t span = spans[g() % 7];
            const base::cycle_t clock = now + (g() % 2 == 0 ? span : g() % span);
            const auto stop = static_cast<std::uint16_t>(g() % 3);
            const auto who = static_cast<unsigned>(g() % 2);
            d.add(now, clock, stop, static_cast<sender_kind>(who), calls);
            all.emplace_back(clock, stop, who, calls++);
            far += clock - now >= 256;
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(d.next(), all.empty() ? base::never : std::get<0>(all[0]));
        // Now and then clocks pass in which nothing is taken.
        if (all.empty() || g() % 4 == 0) {
            now = std::min(now + g() % 40, d.next());
            continue;
        }
        now = d.next();
        taken expected;
        while (!all.empty() && std::get<0>(all[0]) == now) {
            expected.emplace_back(std::get<1>(all[0]), std::get<3>(all[0]));
            all.erase(all.begin());
        }
        ASSERT_EQ(d.take(now), expected) << now;
    }
    EXPECT_GT(far, 1000u);
}

}  // namespace
}  // namespace knc::ring::test

// How much the controllers of the cards can move, against the peak of the pins and against what was
// published for real ones.
#include <knc/memory/controller_presets.h>

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace knc::memory::test {
namespace {

constexpr std::uint64_t core_hz = 1'100'000'000;
constexpr base::cycle_t warm_up = 2'000, duration = 44'000;  // 40 us

const card_memory& card(std::string_view name) {
    for (const card_memory& c : card_memories)
        if (c.card == name) return c;
    throw std::invalid_argument("no such card");
}

controller_parameters with_refresh(bool refresh) {
    controller_parameters p;
    p.gddr5.refresh = refresh;
    return p;
}

// What `controllers` move in `duration` while `feed(clock)` submits what they take; bytes per
// second.
template <class Feed>
double rate(std::vector<controller>& controllers, Feed feed) {
    std::vector<controller::completion> done;
    for (base::cycle_t now = 0; now < warm_up + duration; ++now) {
        feed(now);
        if (now == warm_up) done.clear();
        for (auto& c : controllers) c.run(now, done);
    }
    return static_cast<double>(done.size()) * 64 * core_hz / duration;
}

// One controller of `m` reading `streams` runs of consecutive lines; part of its peak.
double read_efficiency(const card_memory& m, bool refresh, std::size_t streams) {
    std::vector<controller> one(1, controller{m.parameters(with_refresh(refresh)), core_hz});
    std::vector<std::uint64_t> line(streams);
    for (std::size_t i = 0; i < streams; ++i) line[i] = i * 1'000'000;
    const double r = rate(one, [&](base::cycle_t now) {
        for (auto& l : line)
            if (one[0].submit(l, false, now, 0)) ++l;
    });
    return r * m.controllers / static_cast<double>(m.peak());
}

TEST(controller_bandwidth, peak_of_the_cards) {
    EXPECT_EQ(card("mini").peak(), 40'000'000'000u);
    EXPECT_EQ(card("3120a").peak(), 240'000'000'000u);
    EXPECT_EQ(card("5110p").peak(), 320'000'000'000u);
    EXPECT_EQ(card("5120d").peak(), 352'000'000'000u);
    EXPECT_EQ(card("7120p").peak(), 352'000'000'000u);
    EXPECT_EQ(card("se10p").peak(), 352'000'000'000u);
}

// A stream alone alternates between bank groups; four have rows open in all 16 banks. Nothing
// keeps the pins from being busy all the time but the change from one row to the next.
TEST(controller_bandwidth, reading_reaches_the_peak_without_refresh) {
    for (const card_memory& m : card_memories)
        for (const std::size_t streams : {1, 4}) {
            const double e = read_efficiency(m, false, streams);
            EXPECT_GT(e, 0.98) << m.card << ", streams " << streams;
            EXPECT_LT(e, 1.001) << m.card;  // one line more in the queues at the end than before
        }
}

// A refresh takes RP + RFC + RCDRD = 115 CK of every 4875 at 5 GT/s and 127 of 2612 on the 7120P;
// then it is a few CK until all banks have their rows again.
TEST(controller_bandwidth, refresh_takes_its_part) {
    EXPECT_NEAR(read_efficiency(card("3120a"), true, 4), 1 - 115.0 / 4875, 0.01);
    EXPECT_NEAR(read_efficiency(card("5110p"), true, 4), 1 - 115.0 / 4875, 0.01);
    EXPECT_NEAR(read_efficiency(card("7120p"), true, 4), 1 - 127.0 / 2612, 0.01);
}

// Any line: every read opens a row, and four rows may be opened in 29 CK, so 4 * 64 bytes in 23.2
// ns: 11.0 GB/s of 40.
TEST(controller_bandwidth, random_reads_are_limited_by_activations) {
    std::vector<controller> one(1, controller{with_refresh(false), core_hz});
    std::mt19937_64 g{1};
    const double r = rate(one, [&](base::cycle_t now) {
        for (int i = 0; i < 2; ++i) one[0].submit(g() % (1u << 24), false, now, 0);
    });
    const double limit = 4 * 64 / 23.2e-9;
    EXPECT_LT(r, limit * 1.01);
    EXPECT_GT(r, limit * 0.95);
}

// STREAM Triad of a SE10P as far as the controllers decide it: 60 threads, each reading two arrays
// and writing a third, as fast as the queues take it. Published: 175 GB/s of 352 (McCalpin 2013).
// Blocks of `block` lines are dealt out to the eight controllers, one each in a round, in an order
// that changes from round to round.
double triad(std::uint64_t block) {
    const card_memory& m = card("se10p");
    std::vector<controller> all(m.controllers, controller{m.parameters(), core_hz});
    struct thread {
        std::uint64_t array[3];
        unsigned turn;
    };
    std::vector<thread> threads(60);
    std::mt19937_64 g{1};
    for (thread& t : threads) t = {{g() % (1u << 26), g() % (1u << 26), g() % (1u << 26)}, 0};
    return rate(all, [&](base::cycle_t now) {
        for (thread& t : threads) {
            const std::uint64_t line = t.array[t.turn], round = line / block / all.size();
            const std::uint64_t turned = line / block + (round * 0x9E3779B97F4A7C15 >> 32);
            controller& c = all[turned % all.size()];
            if (!c.submit(round * block + line % block, t.turn == 2, now, 0)) continue;
            ++t.array[t.turn];
            t.turn = (t.turn + 1) % 3;
        }
    });
}

// With consecutive lines on different controllers, 180 streams hardly ever meet an open row, and
// activations hold the rate far below the published one. Blocks of eight leave room for it.
TEST(controller_bandwidth, triad_of_sixty_threads) {
    EXPECT_LT(triad(1), 120e9);
    EXPECT_GT(triad(8), 175e9);
}

}  // namespace
}  // namespace knc::memory::test

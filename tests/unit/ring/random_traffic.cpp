// Random traffic: the model, offered in windows and run in steps of any length, against the ring
// whose slots move in every clock.
#include <random>

#include "reference.h"

namespace {

using namespace ring_test;
using generator = std::mt19937_64;

std::uint32_t below(generator& g, std::uint32_t n) {
    return static_cast<std::uint32_t>(g() % n);
}

struct configuration {
    ring::parameters p;
    unsigned stops;
    unsigned percent;  // chance of a stop to offer a message in a clock, once more after each
    unsigned local;    // percent of the messages that stay at their stop
};

configuration random_configuration(generator& g) {
    configuration c;
    c.p.data_rings = 1 + below(g, 2);
    c.p.address_rings = 1 + below(g, 3);
    c.p.acknowledge_rings = 1 + below(g, 3);
    c.p.hop_cycles = below(g, 8) == 0 ? 7 + below(g, 5) : 1 + below(g, 3);
    c.p.eject_cycles = below(g, 4);
    c.p.local_cycles = 1 + below(g, 3);
    c.p.alternate_ejection = below(g, 4) == 0;
    c.stops = 1 + below(g, 20);
    constexpr unsigned loads[] = {1, 5, 20, 45, 60};
    c.percent = loads[below(g, 5)];
    c.local = below(g, 2) * 20;
    return c;
}

// In the order of their clocks.
std::vector<request> random_requests(generator& g, const configuration& c, base::cycle_t clocks) {
    std::vector<request> all;
    for (base::cycle_t t = 0; t < clocks; ++t) {
        for (unsigned from = 0; from < c.stops; ++from) {
            while (below(g, 100) < c.percent) {
                unsigned to = below(g, c.stops);
                if (below(g, 100) < c.local) to = from;
                const auto id = static_cast<std::uint32_t>(all.size());
                all.push_back({all_channels[below(g, 3)], from, to, id, t});
            }
        }
    }
    return all;
}

// As tiles that run ahead offer them: in any order, but those of one stop and clock in theirs.
void shuffle(generator& g, std::vector<request>& window) {
    std::map<std::pair<unsigned, base::cycle_t>, std::uint64_t> place;
    for (const request& r : window) place.try_emplace({r.from, r.clock}, g());
    const auto where = [&](const request& r) { return place[{r.from, r.clock}]; };
    std::stable_sort(window.begin(), window.end(),
                     [&](const request& a, const request& b) { return where(a) < where(b); });
}

void offer(numbered_ring& model, const request& r) {
    model.offer(r.what, r.from, r.to, r.id, r.clock);
}

auto fields(const delivery& d) {
    return std::tuple(d.clock, d.to, d.id, d.from, d.what);
}

void compare(const std::vector<delivery>& is, const std::vector<delivery>& should) {
    ASSERT_EQ(is.size(), should.size());
    for (std::size_t n = 0; n < is.size(); ++n)
        ASSERT_EQ(fields(is[n]), fields(should[n])) << "delivery " << n;
}

void run_case(std::uint64_t seed, std::size_t& messages) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    generator g(seed);
    const configuration c = random_configuration(g);
    constexpr base::cycle_t clocks = 200;
    const std::vector<request> requests = random_requests(g, c, clocks);
    messages += requests.size();

    reference should(c.p, c.stops);
    for (const request& r : requests) should.offer(r);
    numbered_ring model(c.p, c.stops);
    std::vector<delivery> is;
    const auto sink = [&](const delivery& d) { is.push_back(d); };

    std::size_t offered = 0;
    base::cycle_t run = 0;  // clocks the reference has run
    for (base::cycle_t start = 0; start < clocks;) {
        const base::cycle_t end = start + 1 + below(g, 6);
        std::vector<request> window;
        for (; offered < requests.size() && requests[offered].clock < end; ++offered)
            window.push_back(requests[offered]);
        shuffle(g, window);
        for (const request& r : window) offer(model, r);
        if (below(g, 3) != 0) model.run(start + below(g, static_cast<unsigned>(end - start)), sink);
        for (; run < model.now(); ++run) should.step();
        // `waiting` counts what has been offered; the reference has got all at once.
        if (offered == requests.size()) should.compare(model, false);
        if (testing::Test::HasFatalFailure()) return;
        start = end;
    }
    while (!should.done()) {
        ASSERT_LT(run, 2'000'000u) << "the reference does not come to an end";
        ++run;
        should.step();
    }
    model.run(run + 100, sink);
    EXPECT_EQ(model.next_event(), base::never);
    compare(is, should.deliveries());
    if (testing::Test::HasFatalFailure()) return;
    for (; run <= model.now(); ++run) should.step();
    should.compare(model, true);

    // All at once.
    numbered_ring other(c.p, c.stops);
    for (const request& r : requests) offer(other, r);
    is.clear();
    other.run(run + 100, sink);
    compare(is, should.deliveries());
}

#ifdef KNC_SANITIZED
constexpr std::uint64_t cases = 30;
#else
constexpr std::uint64_t cases = 150;
#endif

TEST(random_traffic, agrees_with_a_ring_whose_slots_move) {
    std::size_t messages = 0;
    std::cout << "seeds 1.." << cases << '\n';
    for (std::uint64_t seed = 1; seed <= cases && !HasFatalFailure(); ++seed)
        run_case(seed, messages);
    std::cout << messages << " messages\n";
}

// Messages of one channel from one stop to another arrive in the order they were offered in: they
// leave in order, an earlier one on a ring of a lower number or in an earlier clock, and all take
// the same way.
TEST(random_traffic, keeps_the_order_of_one_channel_between_two_stops) {
    constexpr std::uint64_t seed = 2012;
    std::cout << "seed " << seed << '\n';
    generator g(seed);
    configuration c;
    c.stops = 12;
    c.percent = 50;
    c.local = 10;
    numbered_ring model(c.p, c.stops);
    const std::vector<request> requests = random_requests(g, c, 1000);
    for (const request& r : requests) offer(model, r);
    std::map<std::tuple<channel, unsigned, unsigned>, std::uint32_t> latest;
    std::size_t arrived = 0;
    model.run(1'000'000, [&](const delivery& d) {
        std::uint32_t& id = latest.try_emplace({d.what, d.from, d.to}, 0).first->second;
        EXPECT_GE(d.id, id);
        id = d.id;
        ++arrived;
    });
    EXPECT_EQ(arrived, requests.size());
}

}  // namespace

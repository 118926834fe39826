// Random accesses of up to 244 threads to a few lines through tiny caches. KNC_CASES machines (a
// tenth by default in a sanitized build), the first with seed KNC_SEED; KNC_ACCESSES of each
// thread. A failure names the seed.
#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include <support/environment_number.h>

#include "machine.h"

namespace knc::test {
namespace {

// Runs a machine per seed; `shape` makes its parameters, check(machine, parameters, seed) looks at
// it when it has run.
template <class Shape, class Check>
void each_machine(std::uint64_t cases, Shape shape, Check check) {
#ifdef KNC_SANITIZED
    cases = (cases + 9) / 10;
#endif
    const std::uint64_t first = environment_number("KNC_SEED", 1);
    const std::uint64_t count = environment_number("KNC_CASES", cases);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << count << '\n';
    std::uint64_t accesses = 0, uncached = 0, combined = 0, streaming = 0, masked = 0, clocks = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE(testing::Message() << "KNC_SEED=" << seed << " KNC_CASES=1");
        machine_parameters p = shape(seed);
        p.accesses = environment_number("KNC_ACCESSES", p.accesses);
        ASSERT_EQ(impossible(p.cache), "");
        machine m(p, seed);
        ASSERT_EQ(m.run(), "");
        // Every thread has made its accesses, and one of each tile a flush more.
        std::uint64_t done = 0;
        for (unsigned k = 0; k < access::kinds; ++k) done += m.done(static_cast<access::kind_t>(k));
        ASSERT_EQ(done, p.tiles * (4 * p.accesses + 1));
        check(m, p, seed);
        accesses += done;
        uncached += m.done(access::uncached_load) + m.done(access::uncached_store);
        combined += m.done(access::combine);
        streaming += m.done(access::stream);
        masked += m.done(access::masked);
        clocks += m.clocks();
    }
    std::cout << accesses << " accesses, " << uncached << " of them uncached, " << combined
              << " combined, " << streaming << " streaming and " << masked << " masked stores, in "
              << clocks << " clocks\n";
}

void nothing(const machine&, const machine_parameters&, std::uint64_t) {}

machine_parameters tiny() {
    machine_parameters p;
    p.cache.l1d = p.cache.l1i = {8 * 64, 4, cache::replacement::lru};
    p.cache.l2 = {16 * 64, 4, cache::replacement::lru};
    return p;
}

machine_parameters any(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
        return values.begin()[random() % values.size()];
    };
    // An access may need two neighbouring lines at a time: four threads, where they meet in few
    // sets, four ways.
    const auto geometry = [&] {
        cache::geometry g{};
        g.ways = one_of({2, 4, 8});
        g.bytes = 64 * g.ways * (g.ways == 2 ? one_of({4, 8}) : one_of({2, 4}));
        g.policy = static_cast<cache::replacement>(one_of({0, 1, 2}));
        return g;
    };
    machine_parameters p;
    p.tiles = one_of({1, 2, 3, 4, 8, 24});
    p.lines = one_of({1, 2, 5, 24, 100});
    p.accesses = 24 * 60 / p.tiles;
    p.cache.l1d = geometry();
    p.cache.l1d.ways = std::max(p.cache.l1d.ways, 4u);
    p.cache.l1i = geometry();
    p.cache.l2 = geometry();
    if (p.cache.l2.ways < 4) p.cache.l2 = {64 * 4 * 2, 4, p.cache.l2.policy};
    p.cache.l2_cycles = one_of({1, 3, 21});
    p.cache.l2_interval = one_of({0, 1, 2, 7});
    p.cache.request_cycles = one_of({1, 4, 12});
    p.cache.reply_cycles = one_of({1, 5, 20});
    p.cache.fill_cycles = one_of({1, 10});
    // A thread that holds a line may need a request for another while all requests of its tile
    // wait for lines held elsewhere: one for each thread at least.
    p.cache.mshrs = p.tiles == 1 ? one_of({1, 2}) : one_of({4, 6, 16});
    p.cache.victims = one_of({1, 2, 8});
    p.cache.store_buffer = one_of({0, 1, 2, 4, 8});
    p.cache.pin_cycles = one_of({2000, 10'000});
    p.cache.prefetch.streams = one_of({0, 1, 16});
    p.uncore.controllers = one_of({1, 2, 8});
    p.uncore.directory_cycles = one_of({1, 20, 150});
    p.uncore.directory_interval = one_of({1, 4});
    return p;
}

// The largest card: lines that half of the threads fight for.
TEST(random_accesses, on_sixty_one_tiles) {
    each_machine(
        12, [](std::uint64_t) { return tiny(); }, nothing);
}

TEST(random_accesses, on_machines_of_any_shape) {
    each_machine(150, any, nothing);
}

// With an L3 in the place of the tag directories, smaller than the L2s together or not.
machine_parameters any_with_l3(std::uint64_t seed) {
    std::mt19937_64 random(seed ^ 0x4c33);
    const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
        return values.begin()[random() % values.size()];
    };
    machine_parameters p = any(seed);
    cache::l3_parameters& l3 = p.uncore.l3;
    l3.slice.ways = one_of({4, 8, 16});
    l3.slice.bytes = 64 * l3.slice.ways * one_of({1, 2, 8});
    l3.slice.policy = static_cast<cache::replacement>(one_of({0, 1, 2}));
    l3.cycles = one_of({1, 20, 60});
    l3.forward_cycles = one_of({1, 4});
    l3.interval = one_of({1, 4});
    l3.monitored = 3;
    p.cache.l3 = true;
    return p;
}

TEST(random_accesses, on_machines_with_an_l3) {
    each_machine(150, any_with_l3, nothing);
}

TEST(random_accesses, with_an_l3_are_the_same_in_every_window) {
    each_machine(20, any_with_l3, [](const machine& m, machine_parameters p, std::uint64_t seed) {
        p.window = 1;
        machine other(p, seed);
        ASSERT_EQ(other.run(), "");
        EXPECT_EQ(other.fingerprint(), m.fingerprint());
    });
}

// How far tiles run on their own means nothing.
TEST(random_accesses, are_the_same_in_every_window) {
    each_machine(20, any, [](const machine& m, machine_parameters p, std::uint64_t seed) {
        for (const base::cycle_t window : {base::cycle_t{1}, base::cycle_t{3}}) {
            p.window = std::min<base::cycle_t>(window, cache::least_send_cycles(p.cache));
            machine other(p, seed);
            ASSERT_EQ(other.run(), "") << "window " << window;
            EXPECT_EQ(other.fingerprint(), m.fingerprint()) << "window " << window;
        }
    });
}

}  // namespace
}  // namespace knc::test

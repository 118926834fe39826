// Random accesses on machines of all sizes: KNC_CASES machines (a tenth by default in a sanitized
// build), the first with seed KNC_SEED. A failure names the seed.
#include "random_machine.h"

#include <iostream>

#include <gtest/gtest.h>

#include <support/environment_number.h>

namespace knc::coherence::test {
namespace {

using knc::test::environment_number;

constexpr std::uint64_t accesses = 10'000;  // per machine

// Runs a machine per seed; `shape` makes its parameters.
template <class Shape>
void each_machine(std::uint64_t cases, Shape shape) {
#ifdef KNC_SANITIZED
    cases = (cases + 9) / 10;
#endif
    const std::uint64_t first = environment_number("KNC_SEED", 1);
    const std::uint64_t count = environment_number("KNC_CASES", cases);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << count << '\n';
    std::uint64_t complete = 0, messages = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        random_machine m(shape(seed), seed);
        const std::string error = m.run(accesses);
        complete += m.complete();
        messages += m.messages();
        ASSERT_EQ(error, "") << "KNC_SEED=" << seed << " KNC_CASES=1";
        ASSERT_GE(m.complete(), accesses);
    }
    std::cout << complete << " accesses, " << messages << " messages and wake-ups\n";
}

// The largest card, the number of controllers it has, lines that half of the tiles fight for.
TEST(random_accesses, on_sixty_one_tiles) {
    each_machine(40, [](std::uint64_t) { return machine_parameters{}; });
}

// Other numbers of tiles, shapes of the caches, delays.
TEST(random_accesses, on_machines_of_any_shape) {
    each_machine(40, [](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto one_of = [&](std::initializer_list<unsigned> values) {
            return values.begin()[random() % values.size()];
        };
        machine_parameters p;
        p.tiles = one_of({1, 2, 3, 4, 8, 16, 62, 64});
        p.controllers = one_of({1, 6, 8});
        p.lines = one_of({1, 2, 5, 24, 200});
        p.sets = one_of({1, 2, 4});
        p.ways = one_of({1, 2, 3});
        p.l1_lines = one_of({0, 1, 2, 4});
        p.victim_entries = one_of({1, 2, 8});
        p.threads = one_of({1, 2, 4});
        p.longest_delay = one_of({1, 5, 60, 1000});
        return p;
    });
}

// With an L3 that is smaller than the L2s together, so that lines are taken from them, and smaller
// than the number of requests under way, so that requests wait for a way.
TEST(random_accesses, on_machines_with_an_l3) {
    each_machine(60, [](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto one_of = [&](std::initializer_list<unsigned> values) {
            return values.begin()[random() % values.size()];
        };
        machine_parameters p;
        p.l3 = &standard_l3_table();
        p.tiles = one_of({1, 2, 3, 4, 8, 16, 61});
        p.controllers = one_of({1, 6, 8});
        p.lines = one_of({1, 2, 5, 24, 200});
        p.sets = one_of({1, 2, 4});
        p.ways = one_of({1, 2, 3});
        p.l1_lines = one_of({0, 1, 2, 4});
        p.victim_entries = one_of({1, 2, 8});
        p.threads = one_of({1, 2, 4});
        p.longest_delay = one_of({1, 5, 60, 1000});
        p.l3_sets = one_of({1, 2, 4});
        p.l3_ways = one_of({1, 2, 3, 16});
        if (one_of({0, 1}) == 1) p.hit = knc::cache::monitored_hit::move;
        return p;
    });
}

}  // namespace
}  // namespace knc::coherence::test

// Steps in which what has arrived at tiles, slices and controllers waits for its host thread: every
// message arrives in the cycle in which it would arrive otherwise.
#include <knc/card/memory_fabric.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <support/environment_number.h>
#include <support/host_threads_in_turn.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

constexpr unsigned tiles = 24;
constexpr line_t lines = 160;
// No tile, slice or controller answers sooner.
constexpr base::cycle_t longest_step = 9;

struct access {
    base::cycle_t clock;
    unsigned tile;
    line_t line;
    std::uint8_t value;
    bool write;
};

// What the tiles and the agent do. A tile accesses each line once, so that it sends a request
// whatever has arrived before.
struct plan {
    explicit plan(std::uint64_t seed) : random(seed) {
        parameters.controllers = 2;
        parameters.memory.organisation.read_queue = between(2, 6);
        parameters.memory.organisation.write_queue = between(2, 6);
        parameters.memory.organisation.write_high = 2;
        parameters.memory.organisation.write_low = 1;
        parameters.memory.lockstep = between(0, 1) != 0;
        parameters.ring.address_rings = parameters.ring.acknowledge_rings = 1;
        parameters.directory_cycles = between(longest_step, 40);
        parameters.directory_interval = between(1, 3);
        std::vector<line_t> order(lines);
        std::iota(order.begin(), order.end(), line_t{0});
        for (unsigned t = 0; t < tiles; ++t) {
            std::shuffle(order.begin(), order.end(), random);
            base::cycle_t clock = 1;
            for (const line_t l : order) {
                clock += between(0, 60);
                accesses.push_back(
                    {clock, t, l, static_cast<std::uint8_t>(random()), between(0, 2) == 0});
            }
        }
        std::stable_sort(accesses.begin(), accesses.end(),
                         [](const access& a, const access& b) { return a.clock < b.clock; });
    }
    std::uint32_t between(std::uint32_t a, std::uint32_t b) {
        return a + static_cast<std::uint32_t>(random() % (b - a + 1));
    }

    std::mt19937_64 random;
    uncore_parameters parameters;
    std::vector<access> accesses;
};

struct outcome {
    std::vector<arrival> log;  // by tile, each in the order of arrival
    std::map<line_t, line_data> memory;
    std::uint64_t reads = 0, writes = 0, waited = 0;
    std::uint64_t apart = 0, steps = 0;  // steps in which the groups ran apart; all with parts
};

class run {
  public:
    explicit run(const plan& p) : plan_(p), rig_(p.parameters, tiles) {
        rig_.done_after = longest_step;
        for (line_t l = 0; l < lines; ++l) {
            if (l % 3 == 0)
                rig_.flush(l, 20 * l);
            else
                rig_.write_uncached(l, static_cast<std::uint8_t>(l), 20 * l);
        }
    }

    // Steps of one cycle, without parts.
    outcome by_cycles() {
        for (base::cycle_t t = 0; !over(); ++t) {
            access_before(t + 1, {0, 1});
            rig_.fabric.run(t);
            look();
        }
        return result();
    }
    // Steps of a few cycles, most of them on threads that run in any order.
    outcome by_parts(std::uint64_t seed) {
        std::mt19937_64 g{seed};
        access_before(longest_step, {0, 1});
        std::size_t threads = 3;
        std::uint64_t break_even = 0;
        for (base::cycle_t t = 0; !over();) {
            const base::cycle_t end = t + 1 + g() % longest_step;
            const base::cycle_t far = end + g() % 60;
            if (g() % 8 == 0) {
                rig_.fabric.run(end - 1);
                access_before(end + longest_step, {0, 1});
                t = end;
                continue;
            }
            if (g() % 50 == 0) {
                threads = 1 + g() % 9;
                break_even = g() % 4 == 0 ? 1000 : 0;  // seldom, all groups on the first one
            }
            knc::test::host_threads_in_turn pool(threads, break_even, g());
            rig_.fabric.begin_parts(end, far, pool);
            apart_ += pool.runs;
            ++steps_;
            std::vector<unsigned> order(threads);
            std::iota(order.begin(), order.end(), 0u);
            std::shuffle(order.begin(), order.end(), g);
            const std::size_t first = next_;
            for (const unsigned thread : order) {
                rig_.fabric.run_parts(thread);
                next_ = first;
                access_before(end + longest_step, {thread, threads});
            }
            rig_.fabric.end_parts();
            look();
            t = end;
        }
        return result();
    }

  private:
    struct share {
        std::size_t thread, threads;
    };

    bool over() const {
        return next_ == plan_.accesses.size() && rig_.fabric.next_event() == base::never;
    }
    void access_before(base::cycle_t end, share s) {
        for (; next_ < plan_.accesses.size() && plan_.accesses[next_].clock < end; ++next_) {
            const access& a = plan_.accesses[next_];
            if (a.tile % s.threads != s.thread) continue;
            ASSERT_TRUE(rig_.tiles[a.tile]->access(a.line, a.write, a.value, a.clock));
        }
    }
    void look() {
        for (unsigned c = 0; c < plan_.parameters.controllers; ++c)
            waited_ += rig_.fabric.controller(c).waiting();
    }
    outcome result() {
        EXPECT_TRUE(rig_.errors.empty());
        EXPECT_EQ(rig_.fabric.under_way(), 0u);
        outcome o{rig_.log, rig_.memory.lines, 0, 0, waited_, apart_, steps_};
        std::stable_sort(o.log.begin(), o.log.end(),
                         [](const arrival& a, const arrival& b) { return a.tile < b.tile; });
        for (unsigned c = 0; c < plan_.parameters.controllers; ++c) {
            o.reads += rig_.fabric.controller(c).reads();
            o.writes += rig_.fabric.controller(c).writes();
        }
        return o;
    }

    const plan& plan_;
    fabric_rig rig_;
    std::size_t next_ = 0;
    std::uint64_t waited_ = 0, apart_ = 0, steps_ = 0;
};

TEST(fabric_parts, messages_arrive_as_without_them) {
    const std::uint64_t first = knc::test::environment_number("KNC_SEED", 1);
    const std::uint64_t cases = knc::test::environment_number("KNC_CASES", 6);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << cases << '\n';
    std::uint64_t waited = 0, apart = 0, steps = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const plan p{seed};
        const outcome expected = run(p).by_cycles(), found = run(p).by_parts(seed);
        EXPECT_GT(expected.writes, 20u);
        EXPECT_EQ(found.reads, expected.reads);
        EXPECT_EQ(found.writes, expected.writes);
        EXPECT_TRUE(found.memory == expected.memory);
        ASSERT_EQ(found.log.size(), expected.log.size()) << "KNC_SEED=" << seed;
        for (std::size_t i = 0; i < found.log.size(); ++i) {
            ASSERT_TRUE(found.log[i] == expected.log[i])
                << "KNC_SEED=" << seed << " tile " << expected.log[i].tile << " clock "
                << expected.log[i].clock << ", found " << found.log[i].clock;
        }
        waited += found.waited;
        apart += found.apart;
        steps += found.steps;
    }
    EXPECT_GT(waited, 100u);  // requests have had to wait for room
    std::cout << apart << " of " << steps << " steps with groups apart\n";
    EXPECT_GT(apart, steps / 6);
    EXPECT_LT(apart, steps);
}

}  // namespace
}  // namespace knc::card::test

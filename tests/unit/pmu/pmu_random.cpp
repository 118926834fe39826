// The SystemC module, which settles itself, against counters settled at each clock.
#include <random>

#include "pmu_fixture.h"

namespace {

using namespace pmu_test;

sc_time ps(std::uint64_t n) {
    return sc_time::from_value(n);
}

struct module_random : testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(seeds, module_random, testing::Range<std::uint64_t>(1, 9));

TEST_P(module_random, settles_itself_as_if_at_each_clock) {
    const std::uint64_t seed = GetParam();
    std::mt19937_64 g(seed);
    const auto below = [&](std::uint64_t n) { return g() % n; };
    system_bench s;
    bench each;
    std::vector<std::vector<std::function<void()>>> per_clock(20'000);  // on `each`, in the clock
    std::vector<bool> held(4);
    s.run(20'000, [&] {
        for (unsigned i = 0; i < 3000; ++i) {
            wait(ps(below(10) == 0 ? below(60'000) : below(1500)));
            const cycle_t clock = sc_core::sc_time_stamp().value() / 1000;
            if (clock >= per_clock.size() - 1) break;
            const std::size_t t = below(4);
            const auto thread = static_cast<unsigned>(t);
            auto& replay = per_clock[clock];
            switch (below(8)) {
                case 0: {
                    s.cpu.events->hold(t, base::microcode_cycles, !held[t]);
                    held[t] = !held[t];
                    replay.emplace_back([&held = held, t, on = bool(held[t])] { held[t] = on; });
                    break;
                }
                case 1: {
                    // A register write comes first in its clock here, as the counters ask for.
                    wait(ps((clock + 1) * 1000 - sc_core::sc_time_stamp().value()));
                    const std::uint64_t event = below(2) == 0 ? microcode : instructions;
                    const std::uint64_t how = below(2) == 0   ? 0
                                              : below(4) == 0 ? edge
                                                              : cmask(below(3)) | below(2) * inv;
                    const std::uint64_t select = event | os | intr | how;
                    const std::uint64_t value = top - below(300);
                    s.cpu.write(msr::ovf, 3, thread);
                    s.cpu.arm(select, value, thread);
                    per_clock[clock + 1].emplace_back([&each, select, value, t] {
                        each.write(msr::ovf, 3, t);
                        each.arm(select, value, t);
                    });
                    break;
                }
                default: {
                    const std::uint64_t n = 1 + below(2);
                    s.cpu.events->raise(t, base::instructions_executed, n);
                    replay.emplace_back(
                        [&each, t, n] { each.ledger.raise(t, base::instructions_executed, n); });
                    // Within the bound: one raise a clock.
                    wait(ps((clock + 1) * 1000 - sc_core::sc_time_stamp().value()));
                    break;
                }
            }
        }
    });
    held.assign(4, false);
    for (cycle_t clock = 0; clock < per_clock.size(); ++clock) {
        for (auto& f : per_clock[clock]) f();
        for (std::size_t t = 0; t < 4; ++t) each.ledger.raise(t, base::microcode_cycles, held[t]);
        each.tick();
    }
    pmis rises;
    for (const auto& c : s.cpu.changes) {
        if (c.level) rises.emplace_back(c.thread, c.at.value() / 1000);
    }
    ASSERT_EQ(rises.size(), each.record.seen.size()) << "seed " << seed;
    for (std::size_t i = 0; i < rises.size(); ++i) {
        ASSERT_EQ(rises[i], each.record.seen[i]) << "seed " << seed << ", PMI " << i;
    }
    EXPECT_GT(rises.size(), 20u);
}

}  // namespace

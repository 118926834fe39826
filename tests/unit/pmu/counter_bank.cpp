// Banks with other numbers of counters and other widths than Knights Corner's: random selections,
// values and events, against a reference that looks at each clock.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/pmu/counter_bank.h>

namespace {

using namespace knc;
using base::cycle_t;
using generator = std::mt19937_64;

std::uint64_t below(generator& g, std::uint64_t n) {
    return g() % n;
}

// What can happen to the events below in one clock. The figures are those of the guide's table.
struct source {
    base::event event;
    std::uint64_t most;  // of one thread; of the core, if `core`
    bool core;
    bool duration;
};
constexpr source sources[] = {
    {base::instructions_executed, 2, false, false},
    {base::vpu_elements_active, 16, false, false},
    {base::snp_hit_l2, 1, true, false},
    {base::microcode_cycles, 1, false, true},
    {base::cpu_clk_unhalted, 1, true, true},
};

// The events of one clock, by source and thread; those of the core in column 4.
using clock_events = std::array<std::array<std::uint64_t, 5>, std::size(sources)>;

// One counter, judged in each clock by itself.
struct plain_counter {
    std::uint64_t modulus;
    std::size_t owner;
    std::uint64_t value = 0, overflows = 0;
    pmu::selection selected;
    bool before = false;

    // Whether it overflows in this clock.
    bool clock(const clock_events& events, const std::array<bool, 4>& user) {
        if (selected.event == base::event_count) return false;
        const auto taken = [&](std::size_t t) {
            return user[t] ? selected.user : selected.supervisor;
        };
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < std::size(sources); ++i) {
            if (sources[i].event != selected.event) continue;
            if (sources[i].core) {
                if (taken(owner)) n += events[i][4];
                continue;
            }
            for (std::size_t t = 0; t < 4; ++t)
                if ((t == owner || selected.all_threads) && taken(t)) n += events[i][t];
        }
        std::uint64_t add = n;
        if (selected.threshold != 0 || selected.edge) {
            bool met = n >= std::max<std::uint64_t>(selected.threshold, 1);
            if (selected.threshold != 0 && selected.invert) met = !met && taken(owner);
            if (!selected.supervisor && !selected.user) met = false;
            add = met && !(selected.edge && before) ? 1 : 0;
            before = met;
        }
        value += add;
        if (value < modulus) return false;
        value -= modulus;
        ++overflows;
        return true;
    }
    void select(const pmu::selection& s) {
        if (s != selected) before = false;
        selected = s;
    }
};

struct record : pmu::counter_listener {
    // Counter, clock.
    std::vector<std::pair<std::size_t, cycle_t>> seen;
    std::vector<std::string> errors;
    void overflowed(const std::vector<pmu::counter_overflow>& counters, cycle_t now) override {
        for (const pmu::counter_overflow& o : counters) {
            seen.emplace_back(o.counter, now);
            contextless.push_back(o.contextless);
        }
    }
    void model_error(const std::string& text) override { errors.push_back(text); }
    std::vector<bool> contextless;
};

pmu::selection random_selection(generator& g) {
    pmu::selection s;
    if (below(g, 8) == 0) return s;
    s.event = sources[below(g, std::size(sources))].event;
    s.supervisor = below(g, 4) != 0;
    s.user = below(g, 2) != 0;
    s.all_threads = below(g, 3) == 0;
    s.threshold = static_cast<std::uint8_t>(below(g, 3) == 0 ? below(g, 5) : 0);
    s.invert = below(g, 4) == 0;
    s.edge = below(g, 5) == 0;
    return s;
}

// Counters of one thread, bits of each.
using shape = std::tuple<unsigned, unsigned>;
struct counter_bank : testing::TestWithParam<shape> {
    unsigned counters() const { return std::get<0>(GetParam()); }
    unsigned width() const { return std::get<1>(GetParam()); }
    std::vector<pmu::counter_shape> shapes() const {
        std::vector<pmu::counter_shape> s;
        for (std::uint8_t t = 0; t < 4; ++t)
            s.insert(s.end(), counters(), {t, static_cast<std::uint8_t>(width())});
        return s;
    }
};
INSTANTIATE_TEST_SUITE_P(shapes, counter_bank,
                         testing::Combine(testing::Values(1u, 2u, 4u, 8u),
                                          testing::Values(32u, 40u, 48u)),
                         [](const auto& given) {
                             return std::to_string(std::get<0>(given.param)) + "_of_" +
                                    std::to_string(std::get<1>(given.param)) + "_bits";
                         });

TEST_P(counter_bank, settled_by_deadline_as_if_at_each_clock) {
    std::size_t overflows = 0, skipped = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        generator g(seed);
        base::ledger ledger;
        record seen;
        pmu::counter_bank bank(ledger, pmu::bounds_of_table(), shapes(), seen, false);
        ASSERT_EQ(bank.size(), std::size_t{4} * counters());
        const std::uint64_t modulus = std::uint64_t{1} << width();
        std::vector<plain_counter> plain;
        for (const pmu::counter_shape& s : shapes()) plain.push_back({modulus, s.thread, 0, 0, {}});
        std::array<bool, 4> user{};
        record expected;

        for (cycle_t clock = 0; clock < 5000;) {
            const bool quiet = below(g, 40) == 0;
            const bool change = clock == 0 || quiet || below(g, 12) == 0;
            if (change) bank.settle(clock);
            while (change && below(g, 3) != 0) {
                const std::size_t n = below(g, bank.size());
                const std::size_t thread = below(g, 4);
                switch (below(g, 4)) {
                    case 0:
                        user[thread] = !user[thread];
                        bank.set_privilege(thread, user[thread] ? base::user : base::supervisor);
                        break;
                    case 1: {
                        // Near the top; bits above the width are dropped.
                        const std::uint64_t v = modulus - 1 - below(g, 150);
                        bank.set_value(n, v | modulus);
                        plain[n].value = v;
                        break;
                    }
                    default: {
                        const pmu::selection s = random_selection(g);
                        ASSERT_TRUE(bank.select(n, s));
                        plain[n].select(s);
                    }
                }
            }
            clock_events events{};
            for (std::size_t i = 0; i < std::size(sources); ++i) {
                const source& s = sources[i];
                if (quiet && !s.duration) continue;
                for (std::size_t t = s.core ? 4 : 0; t < (s.core ? 5 : 4); ++t)
                    if (below(g, 2) == 0) events[i][t] = 1 + below(g, s.most);
            }
            // Clocks that are alike go at once, up to where something may overflow.
            const cycle_t length =
                quiet ? std::min<cycle_t>(1 + below(g, 100), bank.quiet_deadline() - clock) : 1;
            for (std::size_t i = 0; i < std::size(sources); ++i) {
                for (std::size_t t = 0; t < 4; ++t)
                    ledger.raise(t, sources[i].event, events[i][t] * length);
                ledger.raise_core(sources[i].event, events[i][4] * length);
            }
            for (cycle_t c = 0; c < length; ++c)
                for (std::size_t n = 0; n < plain.size(); ++n)
                    if (plain[n].clock(events, user)) expected.seen.emplace_back(n, clock + c + 1);
            clock += length;
            skipped += length - 1;
            if (length > 1 || clock >= bank.deadline()) bank.settle(clock);
            ASSERT_EQ(seen.seen, expected.seen) << "seed " << seed << " clock " << clock;
            if (bank.settled() != clock) continue;
            for (std::size_t n = 0; n < plain.size(); ++n) {
                ASSERT_EQ(bank.value(n), plain[n].value)
                    << "seed " << seed << " clock " << clock << " counter " << n;
                ASSERT_EQ(bank.overflows(n), plain[n].overflows);
            }
        }
        overflows += expected.seen.size();
        EXPECT_TRUE(seen.errors.empty());
    }
    // The streams do exercise what they are for.
    EXPECT_GT(overflows, 60u);
    EXPECT_GT(skipped, 1000u);
}

// The deadline of each counter is its distance over the most events of a clock, whatever its width.
TEST_P(counter_bank, deadline_follows_the_width) {
    base::ledger ledger;
    record seen;
    pmu::counter_bank bank(ledger, pmu::bounds_of_table(), shapes(), seen, false);
    EXPECT_EQ(bank.deadline(), base::never);
    pmu::selection s;
    s.event = base::instructions_executed;
    s.supervisor = true;
    const std::size_t last = bank.size() - 1;
    ASSERT_TRUE(bank.select(last, s));
    // 2 instructions a clock.
    EXPECT_EQ(bank.deadline(), (std::uint64_t{1} << width()) / 2);
    EXPECT_EQ(bank.quiet_deadline(), base::never);
    bank.set_value(last, (std::uint64_t{1} << width()) - 7);
    EXPECT_EQ(bank.deadline(), 4u);
    ledger.raise(3, base::instructions_executed, 7);
    bank.settle(4);
    EXPECT_EQ(seen.seen, (std::vector<std::pair<std::size_t, cycle_t>>{{last, 4}}));
    EXPECT_EQ(bank.value(last), 0u);
    bank.reset();
    EXPECT_EQ(bank.deadline(), base::never);
    EXPECT_EQ(bank.overflows(last), 0u);
}

// Counters of one bank may differ in width and be owned by any thread.
TEST(counter_bank_of_all_sorts, each_counter_wraps_at_its_own_width) {
    base::ledger ledger;
    record seen;
    pmu::counter_bank bank(ledger, pmu::bounds_of_table(), {{2, 3}, {2, 8}, {0, 63}}, seen, false);
    pmu::selection s;
    s.event = base::vpu_elements_active;
    s.supervisor = true;
    for (std::size_t n = 0; n < 3; ++n) ASSERT_TRUE(bank.select(n, s));
    bank.set_value(2, ~std::uint64_t{0});
    EXPECT_EQ(bank.value(2), (std::uint64_t{1} << 63) - 1);
    ledger.raise(2, base::vpu_elements_active, 6);
    ledger.raise(0, base::vpu_elements_active, 1);
    bank.settle(1);
    EXPECT_EQ(bank.value(0), 6u);
    EXPECT_EQ(bank.value(1), 6u);
    EXPECT_EQ(bank.value(2), 0u);
    ledger.raise(2, base::vpu_elements_active, 3);
    bank.settle(2);
    EXPECT_EQ(bank.value(0), 1u);
    EXPECT_EQ(bank.value(1), 9u);
    EXPECT_EQ(seen.seen, (std::vector<std::pair<std::size_t, cycle_t>>{{2, 1}, {0, 2}}));
}

TEST(counter_bank_of_all_sorts, says_which_overflows_have_no_thread_context) {
    base::ledger ledger;
    record seen;
    pmu::counter_bank bank(ledger, pmu::bounds_of_table(), {{0, 8}, {0, 8}, {1, 8}}, seen, false);
    const base::event events[] = {base::snp_hit_l2, base::instructions_executed,
                                  base::cpu_clk_unhalted};
    for (std::size_t n = 0; n < 3; ++n) {
        pmu::selection s;
        s.event = events[n];
        s.supervisor = true;
        ASSERT_TRUE(bank.select(n, s));
        bank.set_value(n, 255);
    }
    ledger.raise_core(base::snp_hit_l2);
    ledger.raise(0, base::instructions_executed);
    ledger.raise_core(base::cpu_clk_unhalted);
    bank.settle(1);
    // All three in one call; a clock of the core is each thread's own.
    EXPECT_EQ(seen.seen, (std::vector<std::pair<std::size_t, cycle_t>>{{0, 1}, {1, 1}, {2, 1}}));
    EXPECT_EQ(seen.contextless, (std::vector<bool>{true, false, false}));
}

}  // namespace

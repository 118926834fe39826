// Random events, register writes and privilege changes: the model, however rarely it is settled,
// against a reference that looks at every clock.
#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "reference.h"

namespace {

using namespace pmu_test;

using generator = std::mt19937_64;

std::uint64_t below(generator& g, std::uint64_t n) {
    return g() % n;
}

constexpr base::event pool[] = {
    base::instructions_executed, base::vpu_elements_active, base::snp_hit_l2,
    base::microcode_cycles,      base::exec_stage_cycles,   base::cpu_clk_unhalted,
    base::pipeline_agi_stalls,   base::data_read,           base::data_read_miss};

action random_write(generator& g) {
    action a{action::write, below(g, 4), 0, 0};
    const auto n = static_cast<std::uint32_t>(below(g, 2));
    switch (below(g, 6)) {
        case 0:
            a.address = msr::cntr0 + n;
            a.value = top - below(g, below(g, 2) == 0 ? 5 : 200);
            break;
        case 1: {
            a.address = msr::evtsel0 + n;
            const pmu::event_info& e = pmu::info(pool[below(g, std::size(pool))]);
            a.value = e.umask << 8 | e.select | (below(g, 4) | below(g, 4)) << 16 | intr;
            if (below(g, 8) == 0) a.value ^= 0x4000;  // no such event
            if (below(g, 4) == 0) a.value ^= intr;
            if (below(g, 10) != 0) a.value |= en;
            if (below(g, 3) == 0) a.value |= any;
            if (below(g, 3) == 0) a.value |= cmask(below(g, 4));
            if (below(g, 6) == 0) a.value |= inv;
            if (below(g, 4) == 0) a.value |= edge;
            break;
        }
        case 2:
            a.address = msr::spflt;
            a.value = (below(g, 4) & below(g, 4)) | below(g, 2) << 63;
            break;
        case 3:
        case 4:
            a.address = msr::ovf;
            a.value = below(g, 4);
            break;
        default:
            a.address = msr::ctrl;
            a.value = below(g, 4) | below(g, 4) | below(g, 4);
            break;
    }
    return a;
}

std::vector<action> random_actions(generator& g) {
    std::vector<action> actions;
    while (below(g, 6) == 0) {
        const std::uint64_t kind = below(g, 1000);
        if (kind == 0) {
            actions.push_back({action::reset, 0, 0, 0});
            continue;
        }
        action a = random_write(g);
        if (kind < 100)
            a = {action::spflt, below(g, 4), 0, below(g, 2)};
        else if (kind < 200)
            a = {action::privilege, below(g, 4), 0, below(g, 2)};
        // A thread executes one such instruction in a clock.
        const bool second = std::any_of(actions.begin(), actions.end(),
                                        [&](const action& b) { return b.thread == a.thread; });
        if (!second) actions.push_back(a);
    }
    return actions;
}

// Instructions that make several data accesses: they miss as they go, are interrupted in between,
// and count their accesses in one clock, when they end; or never, if they are given up.
class long_instructions {
  public:
    void clock(generator& g, clock_input& c) {
        for (std::size_t t = 0; t < 4; ++t) {
            std::uint64_t& made = made_[t];
            c.events[t][base::data_read] = c.events[t][base::data_read_miss] = 0;
            if (made == 0) {
                if (below(g, 8) == 0) made = 1;
                continue;
            }
            switch (below(g, 6)) {
                case 0:
                    c.events[t][base::data_read] = made;
                    made = 0;
                    break;
                case 1:  // INIT, or it begins again
                    made = below(g, 2);
                    break;
                case 2:  // interrupted: the handler's own
                    c.actions.push_back({action::privilege, t, 0, 0});
                    c.events[t][base::data_read] = below(g, 8);
                    break;
                default:
                    c.events[t][base::data_read_miss] = 1;
                    made = std::min<std::uint64_t>(made + below(g, 40),
                                                   pmu::info(base::data_read).bound);
            }
        }
    }

  private:
    std::array<std::uint64_t, 4> made_{};
};

// Each event within its bound; `durations` only in quiet clocks.
void random_events(generator& g, clock_input& c, bool quiet) {
    for (base::event e : pool) {
        const pmu::event_info& i = pmu::info(e);
        if (quiet && i.kind != pmu::event_kind::duration) continue;
        if (i.scope == pmu::event_scope::core) {
            if (below(g, 2) == 0) c.events[4][e] = 1 + below(g, std::min(i.bound, 3u));
        } else {
            for (std::size_t t = 0; t < 4; ++t) {
                if (below(g, 3) == 0) c.events[t][e] = 1 + below(g, i.bound);
            }
        }
    }
    c.execution_stage = static_cast<std::uint8_t>(below(g, 4));
}

std::vector<clock_input> random_cycles(generator& g) {
    std::vector<clock_input> clocks;
    // All counters start armed near the top.
    clock_input first{};
    for (std::size_t t = 0; t < 4; ++t) {
        for (unsigned i = 0; i < 30; ++i) {
            action a = random_write(g);
            a.thread = t;
            if (a.address != msr::spflt) first.actions.push_back(a);
        }
        first.actions.push_back({action::write, t, msr::ctrl, 3});
    }
    clocks.push_back(first);
    long_instructions several_accesses;
    while (clocks.size() < 6000) {
        if (below(g, 60) != 0) {
            clock_input c{};
            c.actions = random_actions(g);
            random_events(g, c, false);
            several_accesses.clock(g, c);
            clocks.push_back(c);
            continue;
        }
        clock_input c{};
        random_events(g, c, true);
        const std::size_t length = 1 + below(g, 120);
        for (std::size_t i = 0; i < length; ++i) {
            c.quiet = length - i;
            clocks.push_back(c);
        }
    }
    return clocks;
}

void raise(base::ledger& ledger, const clock_input& c, std::uint64_t clocks) {
    for (base::event e : pool) {
        for (std::size_t t = 0; t < 4; ++t) ledger.raise(t, e, c.events[t][e] * clocks);
        ledger.raise_core(e, c.events[4][e] * clocks);
    }
    ledger.execution_stage = c.execution_stage;
}

void act(bench& b, const action& a) {
    switch (a.what) {
        case action::privilege:
            b.counters.set_privilege(a.thread, static_cast<base::privilege>(a.value));
            break;
        case action::spflt:
            b.registers.spflt(a.thread, a.value != 0);
            break;
        case action::write:
            ASSERT_TRUE(b.registers.write(a.thread, a.address, a.value));
            break;
        case action::reset:
            b.registers.reset();
            break;
    }
}

void expect_equal(const pmu::knc_front_end& registers, const reference& expected) {
    for (std::size_t t = 0; t < 4; ++t) {
        const pmu::thread_state s = registers.state(t);
        const reference::bank& r = expected.state(t);
        for (unsigned n = 0; n < 2; ++n) {
            ASSERT_EQ(s.counter[n], r.counter[n]) << "thread " << t << " counter " << n;
            ASSERT_EQ(s.evtsel[n], r.evtsel[n]);
            ASSERT_EQ(s.overflows[n], r.overflows[n]);
        }
        ASSERT_EQ(s.status, r.status);
        ASSERT_EQ(s.spflt, r.spflt);
        ASSERT_EQ(s.global_ctrl, r.ctrl);
        ASSERT_EQ(s.pmi_line, r.line);
    }
}

// Runs the clocks on model and reference. Clock i is over at i + 1. `settle_at(i)`: settle there
// although nothing asks for it. `skip`: take quiet clocks at once.
void compare(const pmu::parameters& p, const std::vector<clock_input>& clocks, bool skip,
             const std::function<bool(std::size_t)>& settle_at, std::size_t& pmi_count) {
    bench b(p);
    reference expected(p);
    for (std::size_t i = 0; i < clocks.size();) {
        const clock_input& c = clocks[i];
        const cycle_t now = i;
        if (!c.actions.empty()) {
            b.counters.settle(now);
            ASSERT_NO_FATAL_FAILURE(expect_equal(b.registers, expected)) << "clock " << i;
            for (const action& a : c.actions) {
                act(b, a);
                expected.act(a, now);
            }
        }
        std::size_t length = 1;
        if (skip && c.quiet != 0) {
            b.counters.settle(now);
            length = std::min<std::uint64_t>(c.quiet, b.counters.quiet_deadline() - now);
        }
        raise(b.ledger, c, length);
        for (std::size_t k = 0; k < length; ++k) expected.clock(c, now + k + 1);
        i += length;
        if (length > 1 || i >= b.counters.deadline() || settle_at(i)) {
            b.counters.settle(i);
            ASSERT_NO_FATAL_FAILURE(expect_equal(b.registers, expected)) << "clock " << i;
        }
        // A PMI the reference has seen and the model not, or the other way round, is late or early.
        ASSERT_EQ(b.record.seen, expected.seen) << "clock " << i;
    }
    pmi_count += expected.seen.size();
}

void run(const pmu::parameters& p, bool skip, unsigned one_settle_in) {
    std::size_t pmi_count = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        generator g(seed);
        const auto clocks = random_cycles(g);
        const auto settle_at = [&](std::size_t) {
            return one_settle_in != 0 && below(g, one_settle_in) == 0;
        };
        ASSERT_NO_FATAL_FAILURE(compare(p, clocks, skip, settle_at, pmi_count)) << "seed " << seed;
    }
    EXPECT_GT(pmi_count, 1200u);  // 20 a seed: the streams do exercise what they are for
}

TEST(random_streams, settled_at_each_clock) {
    run({}, false, 1);
}
TEST(random_streams, settled_by_deadline) {
    run({}, false, 0);
}
TEST(random_streams, settled_by_deadline_quiet_clocks_skipped) {
    run({}, true, 0);
}
TEST(random_streams, settled_more_often_than_asked) {
    run({}, true, 3);
}

TEST(random_streams, contextless_to_the_owner) {
    pmu::parameters p;
    p.contextless_pmi = pmu::contextless_pmi::owner;
    run(p, true, 0);
}

}  // namespace

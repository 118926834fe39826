// Random requests to random controllers: the controller, run in steps of any length, against the
// reference that looks at every command clock. KNC_CASES is the number of cases, KNC_SEED the seed
// of the first; a failure prints the seed that repeats it.
#include <knc/memory/controller.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <support/environment_number.h>

#include "reference_controller.h"

namespace knc::memory::test {
namespace {

using knc::test::environment_number;

class random_case {
  public:
    explicit random_case(std::uint64_t seed) : g_(seed) {}

    std::uint64_t below(std::uint64_t n) { return g_() % n; }
    std::uint32_t between(std::uint32_t a, std::uint32_t b) {
        return a + static_cast<std::uint32_t>(below(b - a + 1));
    }

    controller_parameters parameters() {
        controller_parameters p;
        gddr5_parameters& g = p.gddr5;
        g.data_rate_mtps = below(2) == 0 ? 5000 : between(2000, 7000);
        if (below(3) != 0) {
            for (std::uint32_t* t :
                 {&g.t_rcdrd_ps, &g.t_rcdwr_ps, &g.t_rp_ps, &g.t_ras_ps, &g.t_rc_ps, &g.t_rrd_ps,
                  &g.t_faw_ps, &g.t_wr_ps, &g.t_wtr_ps, &g.t_cl_ps})
                *t = between(0, 60'000);
            g.wl_ck = between(0, 40);
            g.rtp_ck = between(0, 30);
            g.ccd_ck = between(2, 6);
            g.ccd_group_ck = between(2, 8);
            g.turnaround_ck = between(0, 10);
        }
        g.refresh = below(3) != 0;
        g.t_rfc_ps = between(0, 80'000);
        g.t_refi_ps = between(400'000, 2'000'000);
        gddr5_organisation& o = p.organisation;
        o.banks = 1u << below(5);
        o.groups = std::min(o.banks, 1u << below(3));
        o.read_queue = between(1, 16);
        o.write_queue = between(1, 16);
        o.write_high = between(1, o.write_queue);
        o.write_low = between(0, o.write_high - 1);
        p.lockstep = below(3) != 0;
        p.row_bytes = 64u << below(4);
        p.group_lines = 1;
        p.front_end_ps = between(0, 30'000);
        p.back_end_ps = between(0, 30'000);
        p.age_limit_ps = between(0, 400'000);
        return p;
    }

    std::uint64_t core_hz() {
        const std::uint64_t some[] = {1'100'000'000, 1'053'000'000, 1'238'000'000, 3'000'000'000};
        return below(2) == 0 ? some[below(4)] : between(500'000'000, 4'000'000'000);
    }

  private:
    std::mt19937_64 g_;
};

// Requests in bursts and pauses, to few or many lines, written never, sometimes or often.
void run(std::uint64_t seed) {
    random_case r{seed};
    const controller_parameters p = r.parameters();
    const std::uint64_t hz = r.core_hz();
    controller c{p, hz};
    reference_controller reference{p, hz};
    const std::uint64_t lines = std::uint64_t{1} << (1 + r.below(12));
    const std::uint64_t writes = r.below(4), pause = 1 + r.below(40);
    std::vector<controller::completion> done;
    base::cycle_t clock = 0;
    std::uint64_t line = 0, refused = 0;
    for (std::uint64_t id = 0; id < 150; ++id) {
        if (r.below(4) == 0) clock += r.below(r.below(20) == 0 ? 5'000 : pause);
        line = r.below(2) == 0 ? (line + 1) % lines : r.below(lines);
        const bool write = r.below(4) < writes;
        while (true) {
            if (r.below(3) == 0) c.run(clock, done);
            const bool taken = reference.submit(line, write, clock, id);
            ASSERT_EQ(c.submit(line, write, clock, id), taken)
                << "request " << id << " at " << clock;
            if (taken) break;
            ++refused;
            clock += 1 + r.below(20);
        }
    }
    clock += 200'000;
    while (c.now() < clock)
        c.run(std::min<base::cycle_t>(clock, c.now() + 1 + r.below(9'000)), done);
    const auto expected = reference.done_by(clock);
    ASSERT_EQ(expected.size(), 150u);
    ASSERT_EQ(done.size(), 150u);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(done[i].clock, std::get<0>(expected[i])) << i;
        ASSERT_EQ(done[i].id, std::get<2>(expected[i])) << i;
    }
    EXPECT_EQ(c.counts().activates, reference.activates());
    EXPECT_EQ(c.counts().refreshes, reference.refreshes());
}

// Two controllers: one runs in every cycle, the other only when a request is submitted and in the
// cycles of next_completion(). They must report the same, each completion in its cycle.
void compare_with_a_sleeper(std::uint64_t seed) {
    random_case r{seed};
    const controller_parameters p = r.parameters();
    const std::uint64_t hz = r.core_hz();
    controller awake{p, hz}, sleeper{p, hz};
    const std::uint64_t lines = std::uint64_t{1} << (1 + r.below(12));
    const std::uint64_t writes = r.below(4), pause = 1 + r.below(r.below(2) == 0 ? 40 : 400);
    std::vector<controller::completion> expected, done;
    std::uint64_t id = 0;
    base::cycle_t next = 0;
    const auto submit = [&](base::cycle_t clock) {
        const std::uint64_t line = r.below(lines);
        const bool write = r.below(4) < writes;
        const bool taken = awake.submit(line, write, clock, id);
        EXPECT_EQ(sleeper.submit(line, write, clock, id), taken);
        if (taken) ++id;
        next = clock + (taken ? r.below(2) * r.below(pause) : 1 + r.below(20));
    };
    for (base::cycle_t clock = 0; id < 100 || awake.next_completion() != base::never; ++clock) {
        while (id < 100 && next == clock) submit(clock);
        awake.run(clock, expected);
        ASSERT_GE(sleeper.next_completion(), sleeper.next_event());
        if (sleeper.next_completion() <= clock) {
            const std::size_t before = done.size();
            sleeper.run(clock, done);
            for (std::size_t i = before; i < done.size(); ++i) ASSERT_EQ(done[i].clock, clock);
        }
        ASSERT_EQ(done.size(), expected.size()) << "at " << clock;
    }
    ASSERT_EQ(done.size(), 100u);
    for (std::size_t i = 0; i < done.size(); ++i) ASSERT_EQ(done[i].id, expected[i].id) << i;
    EXPECT_EQ(sleeper.next_completion(), base::never);
}

struct wanted {
    base::cycle_t clock;
    std::uint64_t line, id;
    bool write;
};

// Requests that wait, in their order, until there is room.
struct waiting_line {
    std::deque<wanted> requests;
    std::vector<base::cycle_t> accepted;  // in which cycle, by id

    // Returns whether all have been accepted.
    bool submit(controller& c, base::cycle_t clock) {
        for (; !requests.empty(); requests.pop_front()) {
            const wanted& w = requests.front();
            if (!c.submit(w.line, w.write, clock, w.id)) return false;
            accepted.push_back(clock);
        }
        return true;
    }
};

// Two controllers: one runs in every cycle and gets each request in its own. The other gets those
// of some cycles afterwards, repeats a refused one only when next_room() says so, and tells ahead
// what cannot change any more. They must accept the requests in the same cycles and report the
// same.
void compare_with_a_late_one(std::uint64_t seed) {
    random_case r{seed};
    const controller_parameters p = r.parameters();
    const std::uint64_t hz = r.core_hz();
    controller prompt{p, hz}, late{p, hz};
    const std::uint64_t lines = std::uint64_t{1} << (1 + r.below(12));
    const std::uint64_t writes = r.below(4), pause = 1 + r.below(r.below(2) == 0 ? 4 : 40);
    std::vector<controller::completion> expected, done;
    waiting_line at_prompt, at_late;
    std::uint64_t id = 0;
    base::cycle_t next = 0, retry = base::never;
    for (base::cycle_t begin = 0;
         at_prompt.accepted.size() < 300 || prompt.next_completion() != base::never;) {
        const base::cycle_t end = begin + 1 + r.below(prompt.latest() + 1);
        std::deque<wanted> window;
        for (base::cycle_t clock = begin; clock < end; ++clock) {
            for (; id < 300 && next <= clock; next = clock + r.below(2) * r.below(pause), ++id) {
                window.push_back({clock, r.below(lines), id, r.below(4) < writes});
                at_prompt.requests.push_back(window.back());
            }
            at_prompt.submit(prompt, clock);
            prompt.run(clock, expected);
        }
        if (r.below(2) == 0) late.run(end - 1, done);
        for (;;) {
            const base::cycle_t comes = window.empty() ? base::never : window.front().clock;
            const base::cycle_t t = std::min(comes, retry);
            if (t >= end) break;
            for (; !window.empty() && window.front().clock == t; window.pop_front())
                at_late.requests.push_back(window.front());
            retry = at_late.submit(late, t) ? base::never : std::max(t + 1, late.next_room(t));
        }
        ASSERT_EQ(at_late.accepted, at_prompt.accepted) << "before " << end;
        if (r.below(3) != 0) {
            const base::cycle_t open = late.run_ahead(end, done);
            ASSERT_GE(open, end + late.latest());
        } else if (r.below(2) != 0) {
            late.run(end, done);
        }
        begin = end;
    }
    late.run(prompt.now() + 100, done);
    ASSERT_EQ(done.size(), expected.size());
    for (std::size_t i = 0; i < done.size(); ++i) {
        ASSERT_EQ(done[i].clock, expected[i].clock) << i;
        ASSERT_EQ(done[i].id, expected[i].id) << i;
    }
    EXPECT_EQ(late.reads_forwarded(), prompt.reads_forwarded());
}

constexpr std::uint64_t parts = 4;
#ifdef KNC_SANITIZED
constexpr std::uint64_t default_cases = 20;
#else
constexpr std::uint64_t default_cases = 100;
#endif

class controller_random : public testing::TestWithParam<std::uint64_t> {};

void repeat(std::uint64_t part, void (*one_case)(std::uint64_t seed)) {
    const std::uint64_t cases = environment_number("KNC_CASES", default_cases);
    const std::uint64_t first = environment_number("KNC_SEED", 1) + part * cases;
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << cases << '\n';
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        one_case(seed);
        if (testing::Test::HasFailure()) FAIL() << "KNC_SEED=" << seed << " KNC_CASES=1";
    }
}

TEST_P(controller_random, agrees_with_the_reference) {
    repeat(GetParam(), run);
}

TEST_P(controller_random, next_completion_is_never_late) {
    repeat(GetParam(), compare_with_a_sleeper);
}

TEST_P(controller_random, a_late_request_is_served_as_a_prompt_one) {
    repeat(GetParam(), compare_with_a_late_one);
}

INSTANTIATE_TEST_SUITE_P(parts, controller_random, testing::Range(std::uint64_t{0}, parts));

}  // namespace
}  // namespace knc::memory::test

// Who runs which tile, up to where, on which thread, and what becomes of an exception.
#include <knc/card/tile_runner.h>

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace knc::card {
namespace {

constexpr base::cycle_t end = 12;

struct fake_tile final : tile_if {
    base::cycle_t next_activity() const override { return acts_at; }
    // Stops after each cycle, as if a message had left it.
    void run(base::cycle_t until) override {
        if (fails) throw std::runtime_error(name);
        by = std::this_thread::get_id();
        ++runs;
        at = std::min(at + 1, until);
    }
    base::cycle_t now() const override { return at; }
    void settle() override {}
    std::uint64_t instructions() const override { return 0; }
    std::string why_stopped() const override { return {}; }
    bool interruptible() const override { return false; }
    bool replies_pending() const override { return false; }
    bool observed() const override { return seen; }
    bool still() const override { return false; }
    void run_sampled(base::cycle_t, const sample_function&) override {}
    base::cycle_t overflow_deadline() const override { return base::never; }
    void watch_overflows(bool) override {}
    void hold() override {}
    bool drained() override { return true; }
    void enter_functional(const core::functional_place&) override {}
    void leave_functional(base::cycle_t) override {}
    cache::footprint* used_lines() override { return nullptr; }
    void begin_warm_up() override {}
    bool warmed() override { return true; }
    void end_warm_up(base::cycle_t) override {}

    std::string name;
    base::cycle_t acts_at = 0, at = 0;
    bool fails = false, seen = false;
    unsigned runs = 0;
    std::thread::id by;
};

struct fake_card final : card_if {
    void begin_apart(bool shared, bool messages) override {
        steps += shared ? "(shared" : "(alone";
        if (messages) steps += ", messages kept";
    }
    void end_apart() override { steps += ")"; }
    void start() override {}
    void reset(base::cycle_t) override {}
    core::functional_place empty_caches(base::cycle_t, core::functional_goal&) override {
        throw std::logic_error("no fast-forward here");
    }
    std::string why_timed() const override { return {}; }
    void start_image() override {}
    void begin_sample() override {}
    void sample() override {}
    bool samples_tiles_only() const override { return true; }
    void rest() override {}
    bool accessible() const override { return false; }
    bool waits_for_input() const override { return false; }

    std::string steps;
};

// Eight tiles.
struct runner_rig : testing::Test {
    runner_rig() {
        for (unsigned n = 0; n < 8; ++n) {
            made.push_back(std::make_unique<fake_tile>());
            made.back()->name = "tile " + std::to_string(n);
            tiles.push_back(made.back().get());
        }
    }
    tile_runner& runner(std::uint64_t most, base::cycle_t break_even) {
        list = scheduled_tiles(tiles);
        run = std::make_unique<tile_runner>(list, card, host_thread_limits{most, break_even});
        run->look_for_observers();
        return *run;
    }
    // As the scheduler does.
    void step(tile_runner& r, const step_end& to, bool may_share = true) {
        if (may_share && r.shares(end))
            r.run_shared(to, network);
        else
            r.run_in_turn(to);
    }
    // One step, before which the runner does not know of work, and one of all tiles again.
    void two_steps(tile_runner& r, bool may_share = true) {
        step(r, step_end(end, 0xff), may_share);
        for (auto& t : made) t->at = 0;
        step(r, step_end(end, 0xff), may_share);
    }

    std::vector<std::unique_ptr<fake_tile>> made;
    std::vector<tile_if*> tiles;
    scheduled_tiles list;
    fake_card card;
    coherence::network_if* network = nullptr;
    std::unique_ptr<tile_runner> run;
};

TEST_F(runner_rig, runs_each_tile_that_may_act_up_to_the_end) {
    made[2]->acts_at = end;  // not before it
    made[5]->acts_at = base::never;
    made[6]->acts_at = end - 1;
    for (const std::uint64_t threads : {1, 3}) {
        for (auto& t : made) t->at = t->runs = 0;
        two_steps(runner(threads, 0));
        for (unsigned n = 0; n < 8; ++n) {
            const bool active = n != 2 && n != 5;
            EXPECT_EQ(made[n]->at, active ? end : 0) << threads << " threads, tile " << n;
            EXPECT_EQ(made[n]->runs, active ? 2 * end : 0) << threads << " threads, tile " << n;
        }
    }
    // With one thread, nothing is kept; with three, the first step has not known of any work.
    EXPECT_EQ(card.steps, "(alone)(alone)(alone)(shared, messages kept)");
}

// Tile 1 may run beyond the others, and so may tile 2, which has nothing to do before the end of
// the others; tile 3 has not, either, and waits.
TEST_F(runner_rig, runs_some_tiles_beyond_the_end_of_the_others) {
    for (const unsigned n : {2, 3}) made[n]->acts_at = end + 1;
    step_end ends(end, 0x7f);  // tile 7 does nothing
    ends.far = 4 * end;
    ends.beyond = 0b110;
    for (const std::uint64_t threads : {1, 3}) {
        for (auto& t : made) t->at = 0;
        made[7]->acts_at = base::never;
        tile_runner& r = runner(threads, 0);
        for (unsigned n = 0; n < 2; ++n) {
            for (auto& t : made) t->at = 0;
            step(r, ends);
        }
        for (unsigned n = 0; n < 7; ++n) {
            const bool beyond = n == 1 || n == 2;
            EXPECT_EQ(made[n]->at, beyond ? 4 * end : n == 3 ? 0 : end) << threads << ", " << n;
        }
        EXPECT_EQ(made[7]->at, 0u);
    }
}

// 8 tiles of 12 cycles have worked for 96 cycles.
TEST_F(runner_rig, shares_work_from_the_break_even_on) {
    two_steps(runner(2, 96));
    two_steps(runner(2, 97));
    EXPECT_EQ(card.steps, "(alone)(shared, messages kept)(alone)(alone)");
}

TEST_F(runner_rig, a_single_busy_tile_has_nobody_to_share_with) {
    for (auto& t : made) t->acts_at = base::never;
    made[3]->acts_at = 0;
    two_steps(runner(2, 0));
    EXPECT_EQ(card.steps, "(alone)(alone)");
}

TEST_F(runner_rig, runs_tiles_in_turn_where_somebody_looks_on) {
    made[7]->seen = true;
    tile_runner& r = runner(2, 0);
    two_steps(r);
    EXPECT_EQ(card.steps, "(alone)(alone)");
    for (const auto& t : made) EXPECT_EQ(t->by, std::this_thread::get_id());
    made[7]->seen = false;
    r.look_for_observers();
    two_steps(r);
    EXPECT_EQ(card.steps, "(alone)(alone)(shared, messages kept)(shared, messages kept)");
}

TEST_F(runner_rig, runs_tiles_in_turn_where_its_caller_wants_it) {
    two_steps(runner(2, 0), false);
    EXPECT_EQ(card.steps, "(alone)(alone)");
}

// A network whose parts run with the tiles.
struct fake_network final : coherence::network_if {
    base::cycle_t next_activity() const override { return base::never; }
    base::cycle_t next_delivery() const override { return base::never; }
    void run(base::cycle_t) override {}
    base::cycle_t now() const override { return 0; }
    void run_parts(std::size_t thread) override { calls[thread] = ++made_calls; }
    void end_parts() override {
        for (const unsigned c : calls) EXPECT_NE(c, 0u);
        ended = true;
    }
    std::atomic<unsigned> made_calls{0};
    std::array<unsigned, 3> calls{};
    bool ended = false;
};

TEST_F(runner_rig, each_thread_runs_its_parts_of_the_network_and_then_its_tiles) {
    fake_network parts;
    network = &parts;
    two_steps(runner(3, 0));
    EXPECT_EQ(card.steps, "(alone)(shared)");
    EXPECT_EQ(parts.made_calls, 3u);
    EXPECT_TRUE(parts.ended);
}

TEST_F(runner_rig, no_more_threads_than_tiles) {
    std::set<std::thread::id> who;
    tile_runner& r = runner(100, 0);
    for (unsigned n = 0; n < 200; ++n) {
        two_steps(r);
        for (const auto& t : made) who.insert(t->by);
    }
    EXPECT_LE(who.size(), 8u);
}

// Whoever comes first in time, the caller gets the exception of the tile with the least number, as
// if the tiles had run one after the other; the others have run.
TEST_F(runner_rig, the_first_tiles_exception_reaches_the_caller) {
    for (const std::uint64_t threads : {1, 2, 3, 8}) {
        made[4]->fails = made[5]->fails = made[7]->fails = false;
        tile_runner& r = runner(threads, 0);
        step(r, step_end(end, 0xff));
        made[4]->fails = made[5]->fails = made[7]->fails = true;
        for (auto& t : made) t->at = 0;
        try {
            step(r, step_end(end, 0xff));
            ADD_FAILURE() << threads << " threads: no exception";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "tile 4") << threads << " threads";
        }
        for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(made[n]->at, end);
    }
}

}  // namespace
}  // namespace knc::card

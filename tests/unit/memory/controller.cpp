// One controller as its caller sees it: latencies in core clocks, back-pressure, what happens to a
// read whose line is still being written.
#include <knc/memory/controller.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "channel_rig.h"

namespace knc::memory::test {
namespace {

// 5 GT/s; lines 0 and 1 are in one row of bank 0, line 8 in bank 1, line 2048 + 8 in another row of
// bank 0 (bank 1 scattered by row 1).
constexpr std::uint64_t other_row = 2048 + 8;

controller_parameters parameters() {
    controller_parameters p;
    p.gddr5 = without_refresh();
    return p;
}

struct rig {
    explicit rig(const controller_parameters& p = parameters(), std::uint64_t hz = 1'100'000'000)
        : c(p, hz) {}

    using done_list = std::vector<std::pair<base::cycle_t, std::uint64_t>>;  // clock, id
    done_list run(base::cycle_t until) {
        std::vector<controller::completion> list;
        c.run(until, list);
        done_list r;
        for (const auto& d : list) r.emplace_back(d.clock, d.id);
        return r;
    }
    // Clocks a read made at `clock` takes.
    base::cycle_t latency(std::uint64_t line, base::cycle_t clock) {
        EXPECT_TRUE(c.submit(line, false, clock, 0));
        const done_list d = run(clock + 1'000);
        EXPECT_EQ(d.size(), 1u);
        return d.at(0).first - clock;
    }

    controller c;
};

// In CK of 0.8 ns: front end 25, [PRE 15,] [ACT 18,] CL 15, burst 2, back end 25. 22 core clocks of
// 1.1 GHz are 25 CK, and at a multiple of 22 both clocks begin together.
TEST(controller, idle_latency_at_1100_mhz) {
    rig r;
    EXPECT_EQ(r.latency(0, 0), 75u);              // closed: 85 CK = 68.0 ns = 74.8
    EXPECT_EQ(r.latency(1, 2'200), 59u);          // open: 67 CK = 53.6 ns = 58.96
    EXPECT_EQ(r.latency(other_row, 4'400), 88u);  // conflict: 100 CK = 80.0 ns = 88.0
    EXPECT_EQ(r.c.counts().row_hits, 1u);
    EXPECT_EQ(r.c.counts().row_conflicts, 1u);
}

// The same times at the clock of the 5110P; 1053 core clocks are 1250 CK.
TEST(controller, idle_latency_at_1053_mhz) {
    rig r{parameters(), 1'053'000'000};
    EXPECT_EQ(r.latency(0, 0), 72u);                  // 68.0 ns = 71.6
    EXPECT_EQ(r.latency(1, 2 * 1'053), 57u);          // 53.6 ns = 56.4
    EXPECT_EQ(r.latency(other_row, 4 * 1'053), 85u);  // 80.0 ns = 84.2
}

// A request made between two CK waits for the next: clock 1 is 1.136 CK after 0, so 2 + 85 CK =
// 76.56 clocks.
TEST(controller, a_request_waits_for_the_next_command_clock) {
    rig r;
    EXPECT_EQ(r.latency(0, 1), 77u - 1);
}

// A write is done when its data are in: front end 25, ACT to WR 13, WL 4, burst 2: 44 CK = 38.7.
TEST(controller, a_write_is_done_with_its_last_data) {
    rig r;
    EXPECT_TRUE(r.c.submit(0, true, 0, 7));
    EXPECT_EQ(r.run(38), rig::done_list{});
    EXPECT_EQ(r.run(39), (rig::done_list{{39, 7}}));
}

// Interfaces apart: two bursts, 3 CK apart: 85 + 3 CK = 77.4 clocks. Lines 0 and 1 are on different
// interfaces, so they do not wait for each other.
TEST(controller, interfaces_apart) {
    controller_parameters p = parameters();
    p.lockstep = false;
    rig r{p};
    EXPECT_TRUE(r.c.submit(0, false, 0, 1));
    EXPECT_TRUE(r.c.submit(1, false, 0, 2));
    EXPECT_EQ(r.run(1'000), (rig::done_list{{78, 1}, {78, 2}}));
    // In lockstep the second line follows 3 CK later: 88 CK.
    rig l;
    EXPECT_TRUE(l.c.submit(0, false, 0, 1));
    EXPECT_TRUE(l.c.submit(1, false, 0, 2));
    EXPECT_EQ(l.run(1'000), (rig::done_list{{75, 1}, {78, 2}}));
}

// A read of a line whose write still waits gets its data from there: front and back end, 50 CK = 44
// clocks. Once the write has gone to the memory it is read from there.
TEST(controller, a_waiting_write_answers_a_read) {
    rig r;
    EXPECT_TRUE(r.c.submit(0, true, 0, 1));
    EXPECT_TRUE(r.c.submit(0, false, 0, 2));
    EXPECT_TRUE(r.c.submit(1, false, 0, 3));
    EXPECT_EQ(r.c.reads_forwarded(), 1u);
    // Line 1: as the direction is reading (a read waits, and few writes), ACT 25, RD 43: 75. Then
    // the write: WR 58, data until 64 = 56.3 clocks.
    EXPECT_EQ(r.run(1'000), (rig::done_list{{44, 2}, {57, 1}, {75, 3}}));
    EXPECT_TRUE(r.c.submit(0, false, 2'200, 4));
    EXPECT_EQ(r.run(3'000), (rig::done_list{{2'259, 4}}));
    EXPECT_EQ(r.c.reads_forwarded(), 1u);
}

// However quick, an answer comes after its request.
TEST(controller, an_answer_takes_at_least_a_clock) {
    controller_parameters p = parameters();
    p.front_end_ps = p.back_end_ps = 0;
    rig r{p};
    EXPECT_TRUE(r.c.submit(0, true, 0, 1));
    EXPECT_TRUE(r.c.submit(0, false, 0, 2));
    EXPECT_EQ(r.run(0), rig::done_list{});
    EXPECT_EQ(r.run(1), (rig::done_list{{1, 2}}));
}

TEST(controller, requests_done_in_one_clock_come_in_the_order_they_were_made) {
    rig r;
    EXPECT_TRUE(r.c.submit(0, true, 0, 9));
    EXPECT_TRUE(r.c.submit(0, false, 0, 8));
    EXPECT_TRUE(r.c.submit(0, false, 0, 3));
    EXPECT_TRUE(r.c.submit(0, false, 0, 5));
    EXPECT_EQ(r.run(1'000), (rig::done_list{{39, 9}, {44, 8}, {44, 3}, {44, 5}}));
}

// Two reads fit. The first leaves the queue with its RD at CK 43 = 37.84 clocks, so 38 is the first
// clock that finds room; writes have room all the time.
TEST(controller, a_full_queue_refuses) {
    controller_parameters p = parameters();
    p.organisation.read_queue = 2;
    rig r{p};
    EXPECT_TRUE(r.c.submit(0, false, 0, 1));
    EXPECT_TRUE(r.c.submit(1, false, 0, 2));
    EXPECT_FALSE(r.c.submit(2, false, 0, 3));
    // The next command, ACT, is at CK 25, exactly clock 22: before 23 there is no use in trying.
    EXPECT_EQ(r.c.next_room(r.c.now()), 23u);
    EXPECT_TRUE(r.c.submit(2, true, 0, 4));
    EXPECT_TRUE(r.c.submit(2, false, 0, 5));  // answered by the write
    EXPECT_FALSE(r.c.submit(3, false, 37, 6));
    EXPECT_TRUE(r.c.submit(3, false, 38, 7));
    EXPECT_FALSE(r.c.submit(4, false, 38, 8));
}

// Trying again only when next_room() says so finds room in the same clock as trying in every clock.
TEST(controller, next_room_misses_no_room) {
    const auto taken = [](bool every_clock) {
        controller_parameters p = parameters();
        p.organisation.read_queue = 3;
        rig r{p};
        std::vector<base::cycle_t> at;
        base::cycle_t clock = 0;
        for (std::uint64_t i = 0; i < 50; ++i) {
            while (!r.c.submit(i * 777, false, clock, i))
                clock = every_clock ? clock + 1 : r.c.next_room(clock);
            at.push_back(clock);
        }
        return at;
    };
    const auto expected = taken(true);
    EXPECT_GT(expected.back(), 500u);  // it did have to wait
    EXPECT_EQ(taken(false), expected);
}

// next_event() never comes after a completion, and leads to it.
TEST(controller, next_event_leads_to_every_completion) {
    rig r;
    EXPECT_EQ(r.c.next_event(), base::never);
    for (std::uint64_t i = 0; i < 20; ++i) EXPECT_TRUE(r.c.submit(i * 777, i % 3 == 0, i, i));
    rig::done_list all;
    unsigned steps = 0;
    for (base::cycle_t t; (t = r.c.next_event()) != base::never; ++steps) {
        ASSERT_GT(t, r.c.now());
        ASSERT_TRUE(r.run(t - 1).empty());
        for (const auto& d : r.run(t)) {
            EXPECT_EQ(d.first, t);
            all.push_back(d);
        }
    }
    EXPECT_EQ(all.size(), 20u);
    EXPECT_LE(steps, 80u);  // at most three commands and a completion per request
}

// A lone request is complete in the cycle that next_completion() names, whatever its bank has to do
// first: who submits it need not look again before.
TEST(controller, next_completion_of_a_lone_request_is_its_completion) {
    for (const bool lockstep : {true, false}) {
        controller_parameters p = parameters();
        p.lockstep = lockstep;
        rig r{p, 1'053'000'000};
        base::cycle_t clock = 0;
        std::uint64_t id = 0;
        for (const std::uint64_t line : {0ul, 1ul, other_row, 0ul, 2ul}) {
            for (const bool write : {false, true, false}) {
                clock += id % 3 == 0 ? 31 : 2'000;
                EXPECT_TRUE(r.c.submit(line, write, clock, ++id));
                const base::cycle_t t = r.c.next_completion();
                EXPECT_EQ(r.run(t), (rig::done_list{{t, id}})) << id;
                EXPECT_EQ(r.c.next_completion(), base::never);
                clock = t;
            }
        }
        EXPECT_GE(r.c.counts().row_closed, 1u);
        EXPECT_EQ(r.c.counts().row_conflicts, lockstep ? 2u : 0u);
    }
}

// A refresh before the request's commands delays the completion, and costs a few more looks. One
// that takes no time brings it forward if it closes a row before the request arrives.
TEST(controller, next_completion_before_a_refresh) {
    const base::cycle_t due = 4'875 * 22 / 25;
    for (const std::uint64_t line : {0ul, 1ul, other_row}) {
        for (const base::cycle_t before : {30u, 10u}) {
            for (const std::uint32_t t_rfc_ps : {65'000u, 0u}) {
                controller_parameters p = parameters();
                p.gddr5.refresh = true;
                p.gddr5.t_rfc_ps = t_rfc_ps;
                rig r{p};
                EXPECT_EQ(r.latency(0, 0), 75u);
                EXPECT_TRUE(r.c.submit(line, false, due - before, 1));
                unsigned looks = 0;
                for (base::cycle_t t; (t = r.c.next_completion()) != base::never; ++looks)
                    for (const auto& d : r.run(t)) EXPECT_EQ(d.first, t);
                EXPECT_LE(looks, 4u);
                EXPECT_EQ(r.c.counts().reads, 2u);
            }
        }
    }
}

TEST(controller, refuses_what_cannot_work) {
    rig r;
    r.run(100);
    // The front end takes 25 CK: 22 clocks.
    ASSERT_EQ(r.c.latest(), 22u);
    EXPECT_THROW(r.c.submit(0, false, 77, 0), std::logic_error);
    EXPECT_TRUE(r.c.submit(0, false, 78, 0));
    controller_parameters p = parameters();
    p.group_lines = 3;  // no power of two
    EXPECT_THROW((controller{p, 1'100'000'000}), std::invalid_argument);
    p.group_lines = 0;
    EXPECT_THROW((controller{p, 1'100'000'000}), std::invalid_argument);
}

}  // namespace
}  // namespace knc::memory::test

// Single messages and short sequences with the clocks they must take. A message goes from stop s at
// clock t to stop d at clock t + hops, and is delivered eject_cycles (1) later.
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "numbered_ring.h"

namespace {

using namespace knc;
using base::never;
using ring::channel;
using ring::direction;
using ring_test::delivery;
using ring_test::numbered_ring;

struct expected {
    std::uint32_t id;
    base::cycle_t clock;
    bool operator==(const expected& e) const { return id == e.id && clock == e.clock; }
    friend std::ostream& operator<<(std::ostream& o, const expected& e) {
        return o << "message " << e.id << " at " << e.clock;
    }
};

class ring_of_eight : public testing::Test {
  protected:
    using list = std::vector<expected>;

    void use(const ring::parameters& p) { r = numbered_ring(p, 8); }
    list run(base::cycle_t until) {
        list all;
        r.run(until, [&](const delivery& d) { all.push_back({d.id, d.clock}); });
        return all;
    }
    void data(unsigned from, unsigned to, std::uint32_t id, base::cycle_t clock) {
        r.offer(channel::data, from, to, id, clock);
    }

    numbered_ring r{{}, 8};
};

TEST_F(ring_of_eight, way_takes_hops_and_ejection) {
    r.offer(channel::data, 1, 4, 7, 10);
    std::vector<delivery> all;
    r.run(100, [&](const delivery& d) { all.push_back(d); });
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].clock, 10u + 3 + 1);
    EXPECT_EQ(all[0].id, 7u);
    EXPECT_EQ(all[0].from, 1u);
    EXPECT_EQ(all[0].to, 4u);
    EXPECT_EQ(all[0].what, channel::data);
}

TEST_F(ring_of_eight, times_are_parameters) {
    ring::parameters p;
    p.hop_cycles = 5;
    p.eject_cycles = 3;
    p.local_cycles = 2;
    use(p);
    data(1, 7, 0, 10);  // two hops down: 10 + 2 * 5 + 3
    data(1, 1, 1, 10);  // 10 + 2
    EXPECT_EQ(run(100), (list{{1, 12}, {0, 23}}));
}

// A slot passes each stop in each clock, however long the hop takes: three messages in three
// clocks.
TEST_F(ring_of_eight, longer_hops_cost_no_bandwidth) {
    ring::parameters p;
    p.hop_cycles = 4;
    use(p);
    for (std::uint32_t n = 0; n < 3; ++n) data(2, 3, n, 10);
    EXPECT_EQ(run(100), (list{{0, 10 + 4 + 1}, {1, 11 + 4 + 1}, {2, 12 + 4 + 1}}));
}

// Message 0 passes stop 1 at clock 11: message 1 has to wait for the slot behind, until 12.
TEST_F(ring_of_eight, waits_while_the_slot_that_passes_is_taken) {
    data(0, 3, 0, 10);
    data(1, 3, 1, 11);
    EXPECT_EQ(run(100), (list{{0, 14}, {1, 12 + 2 + 1}}));
}

// Message 0 leaves its slot at stop 3 at clock 13, and message 1 takes it in that clock.
TEST_F(ring_of_eight, slot_is_free_where_and_when_it_is_emptied) {
    data(0, 3, 0, 10);
    data(3, 5, 1, 13);
    EXPECT_EQ(run(100), (list{{0, 14}, {1, 13 + 2 + 1}}));
}

// Down, round stop 0: message 0 is at stop 1 at 10, 0 at 11, 7 at 12, 6 at 13.
TEST_F(ring_of_eight, down_ring_goes_round_stop_zero) {
    data(1, 6, 0, 10);
    data(7, 5, 1, 12);  // waits for message 0, leaves at 13
    data(6, 5, 2, 13);  // the slot that message 0 leaves
    EXPECT_EQ(run(100), (list{{0, 14}, {2, 13 + 1 + 1}, {1, 13 + 2 + 1}}));
}

// Message 1 waits for message 0 to pass and leaves at 12, message 2 behind it at 13. The other
// direction and the other channels go on.
TEST_F(ring_of_eight, queue_is_of_one_channel_and_direction) {
    data(0, 3, 0, 10);
    data(1, 2, 1, 11);
    data(1, 3, 2, 11);
    data(1, 0, 3, 11);
    r.offer(channel::acknowledge, 1, 2, 4, 11);
    EXPECT_EQ(run(100), (list{{3, 13}, {4, 13}, {1, 14}, {0, 14}, {2, 13 + 2 + 1}}));
}

// Two address rings: two messages leave in one clock, the third a clock later.
TEST_F(ring_of_eight, parallel_rings_carry_two_messages_in_a_clock) {
    for (std::uint32_t n = 0; n < 3; ++n) r.offer(channel::address, 2, 4, n, 10);
    EXPECT_EQ(run(100), (list{{0, 13}, {1, 13}, {2, 14}}));
    EXPECT_EQ(r.counts(channel::address, direction::up, 0)[2].injected, 2u);
    EXPECT_EQ(r.counts(channel::address, direction::up, 1)[2].injected, 1u);
}

// Message 0 passes on the first address ring; message 1 takes the second without waiting.
TEST_F(ring_of_eight, message_takes_the_parallel_ring_that_is_free) {
    r.offer(channel::address, 0, 3, 0, 10);
    r.offer(channel::address, 1, 3, 1, 11);
    EXPECT_EQ(run(100), (list{{0, 14}, {1, 11 + 2 + 1}}));
    EXPECT_EQ(r.counts(channel::address, direction::up, 1)[1].injected, 1u);
}

// All arrive at 14. Stop 2 before stop 3; at stop 3: data up, data down, address, then what stop 3
// sends itself in its order.
TEST_F(ring_of_eight, arrivals_of_a_clock_come_by_stop_and_ring) {
    r.offer(channel::address, 2, 3, 0, 12);
    data(3, 3, 1, 13);
    data(5, 3, 2, 11);
    data(3, 3, 3, 13);
    data(1, 3, 4, 11);
    r.offer(channel::acknowledge, 1, 2, 5, 12);
    EXPECT_EQ(run(100), (list{{5, 14}, {4, 14}, {2, 14}, {0, 14}, {1, 14}, {3, 14}}));
}

// Tiles run ahead one after the other, so offers come in any order; messages leave by their clocks.
TEST_F(ring_of_eight, offers_come_in_any_order_of_their_cycles) {
    data(1, 2, 0, 14);
    data(1, 2, 1, 10);
    data(1, 2, 2, 14);
    data(1, 2, 3, 12);
    EXPECT_EQ(run(100), (list{{1, 12}, {3, 14}, {0, 16}, {2, 17}}));
}

// A message of clock 20 does not hold up one of clock 10 of the same stop, offered later.
TEST_F(ring_of_eight, later_message_holds_up_nothing) {
    data(1, 2, 0, 20);
    EXPECT_EQ(run(9), list{});
    EXPECT_EQ(r.next_attempt(), 20u);
    data(1, 2, 1, 10);
    EXPECT_EQ(r.next_attempt(), 10u);
    EXPECT_EQ(run(100), (list{{1, 12}, {0, 22}}));
}

TEST_F(ring_of_eight, tells_what_comes_next) {
    EXPECT_EQ(r.next_event(), never);
    data(0, 2, 0, 10);
    data(1, 2, 1, 11);
    EXPECT_EQ(r.next_attempt(), 10u);
    EXPECT_EQ(r.next_arrival(), never);
    EXPECT_EQ(run(10), list{});
    EXPECT_EQ(r.now(), 11u);
    EXPECT_EQ(r.next_attempt(), 11u);
    EXPECT_EQ(r.next_arrival(), 13u);
    EXPECT_EQ(run(11), list{});
    EXPECT_EQ(r.next_attempt(), 12u);  // message 0 was in the way
    EXPECT_EQ(r.next_event(), 12u);
    EXPECT_EQ(run(12), list{});
    EXPECT_EQ(r.next_attempt(), never);
    EXPECT_EQ(r.next_event(), 13u);
    EXPECT_EQ(run(13), (list{{0, 13}}));
    EXPECT_EQ(r.next_event(), 14u);
    EXPECT_EQ(run(1000), (list{{1, 14}}));
    EXPECT_EQ(r.next_event(), never);
    EXPECT_EQ(r.now(), 1001u);
}

// Stop 2 answers in the clock in which it is asked.
TEST_F(ring_of_eight, sink_may_answer_in_the_same_clock) {
    data(0, 2, 1, 10);
    list all;
    r.run(100, [&](const delivery& d) {
        all.push_back({d.id, d.clock});
        if (d.id < 3) r.offer(d.what, d.to, d.from, d.id + 1, d.clock);
    });
    // 10 + 2 + 1 = 13, 13 + 3 = 16, 16 + 3 = 19
    EXPECT_EQ(all, (list{{1, 13}, {2, 16}, {3, 19}}));
}

// Up messages arrive in even clocks and down messages in odd ones. One hop from 10 arrives at 11.
TEST_F(ring_of_eight, ejection_may_alternate_between_directions) {
    ring::parameters p;
    p.alternate_ejection = true;
    use(p);
    data(1, 2, 0, 10);  // leaves at 11, is at stop 2 at 12
    data(1, 2, 1, 10);  // leaves at 13
    data(3, 2, 2, 10);  // leaves at 10, is there at 11
    EXPECT_EQ(run(100), (list{{2, 12}, {0, 13}, {1, 15}}));
}

// Every stop sends to its neighbour in every clock, both ways, on all five rings of a direction:
// nobody waits, each ring carries 8 messages a clock.
TEST_F(ring_of_eight, neighbours_use_every_slot) {
    constexpr channel all[] = {channel::data, channel::address, channel::acknowledge};
    for (base::cycle_t t = 0; t < 100; ++t)
        for (unsigned s = 0; s < 8; ++s)
            for (const channel c : all)
                for (unsigned n = 0; n < r.copies(c); ++n)
                    for (const unsigned to : {(s + 1) % 8, (s + 7) % 8}) r.offer(c, s, to, 0, t);
    unsigned arrived = 0;
    r.run(99 + 2, [&](const delivery&) { ++arrived; });
    EXPECT_EQ(arrived, 100u * 8 * 5 * 2);
    EXPECT_EQ(r.next_event(), never);
    EXPECT_EQ(r.counts(channel::address, direction::down, 1)[5].injected, 100u);
    EXPECT_EQ(r.counts(channel::address, direction::down, 1)[5].waited, 0u);
}

// What the model leaves out: nothing protects stop 1 from stop 0, which fills every slot from clock
// 0 to 49. The first slot without a message passes stop 1 at clock 51.
TEST_F(ring_of_eight, stop_starves_behind_a_stream) {
    for (base::cycle_t t = 0; t < 50; ++t) data(0, 3, 0, t);
    data(1, 2, 1, 5);
    list mine;
    r.run(1000, [&](const delivery& d) {
        if (d.id == 1) mine.push_back({d.id, d.clock});
    });
    EXPECT_EQ(mine, (list{{1, 51 + 1 + 1}}));
    EXPECT_EQ(r.counts(channel::data, direction::up, 0)[1].waited, 51u - 5);
}

// From 6 up to 1: passes 7 and 0. From 1 down to 7: passes 0. Message 2 leaves stop 0 two clocks
// late, since messages 0 and 1 pass it at 12 and 13.
TEST_F(ring_of_eight, counts_what_enters_waits_and_passes) {
    data(6, 1, 0, 10);
    data(6, 1, 1, 11);
    data(0, 1, 2, 12);
    data(1, 7, 3, 12);
    EXPECT_EQ(run(100).size(), 4u);
    const auto up = r.counts(channel::data, direction::up, 0);
    const auto down = r.counts(channel::data, direction::down, 0);
    constexpr std::uint64_t injected_up[] = {1, 0, 0, 0, 0, 0, 2, 0};
    constexpr std::uint64_t passed_up[] = {2, 0, 0, 0, 0, 0, 0, 2};
    constexpr std::uint64_t passed_down[] = {1, 0, 0, 0, 0, 0, 0, 0};
    for (unsigned s = 0; s < 8; ++s) {
        EXPECT_EQ(up[s].injected, injected_up[s]) << s;
        EXPECT_EQ(up[s].waited, s == 0 ? 2u : 0u) << s;
        EXPECT_EQ(up[s].passed, passed_up[s]) << s;
        EXPECT_EQ(down[s].injected, s == 1 ? 1u : 0u) << s;
        EXPECT_EQ(down[s].passed, passed_down[s]) << s;
    }
}

// Message 0 leaves stop 1 at 10 and stop 2 at 11, and ends at stop 3 at 12.
TEST_F(ring_of_eight, shows_slots_and_queues) {
    const auto seen = [&] {
        std::string text;
        for (unsigned s = 0; s < 8; ++s)
            text += r.occupied(channel::data, direction::up, 0, s) ? '*' : '.';
        return text;
    };
    EXPECT_EQ(seen(), "........");
    data(1, 3, 0, 10);
    data(1, 3, 1, 10);
    EXPECT_EQ(r.waiting(channel::data, direction::up, 1), 2u);
    run(10);
    EXPECT_EQ(seen(), ".*......");
    EXPECT_EQ(r.waiting(channel::data, direction::up, 1), 1u);
    run(11);
    EXPECT_EQ(seen(), ".**.....");
    EXPECT_EQ(r.waiting(channel::data, direction::up, 1), 0u);
    run(12);
    EXPECT_EQ(seen(), "..*.....");
    run(13);
    EXPECT_EQ(seen(), "........");
}

TEST_F(ring_of_eight, refuses_what_the_caller_may_not_do) {
    run(10);
    EXPECT_THROW(data(0, 1, 0, 10), std::logic_error);
    EXPECT_THROW(data(0, 8, 0, 11), std::logic_error);
    EXPECT_THROW(data(8, 0, 0, 11), std::logic_error);
    EXPECT_EQ(r.next_event(), never);
    ring::parameters p;
    EXPECT_THROW(ring::interconnect(p, 0), std::invalid_argument);
    EXPECT_THROW(ring::interconnect(p, 65536), std::invalid_argument);
    p.data_rings = 0;
    EXPECT_THROW(ring::interconnect(p, 8), std::invalid_argument);
    p.data_rings = 33;
    EXPECT_THROW(ring::interconnect(p, 8), std::invalid_argument);
    p = {};
    p.hop_cycles = 0;
    EXPECT_THROW(ring::interconnect(p, 8), std::invalid_argument);
    p = {};
    p.local_cycles = 0;
    EXPECT_THROW(ring::interconnect(p, 8), std::invalid_argument);
}

}  // namespace

// Steps in which each group of rings runs by itself: when that is so, and that nobody notices.
#include <knc/ring/carrier.h>

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <knc/coherence/transaction_pool.h>

#include <support/host_threads_in_turn.h>

#include "sending.h"

namespace {

using namespace knc;
using coherence::first_agent;
using coherence::first_controller;
using coherence::message_kind;
using knc::test::host_threads_in_turn;

// Receives some messages late, but for those of a line.
struct late_controller final : ring::controller_if {
    static constexpr coherence::line_t never_late = 7;

    base::cycle_t next_activity() const override { return base::never; }
    void run(base::cycle_t until) override { ran_to = until; }
    base::cycle_t now() const override { return ran_to; }
    bool may_wait(const coherence::message& m, base::cycle_t cycles) const override {
        return cycles <= late && m.line != never_late;
    }
    base::cycle_t latest() const override { return late; }
    bool may_run_late(base::cycle_t) const override { return true; }

    base::cycle_t late = 20, ran_to = 0;
};

// Stops: SBOX, tile 0, controller, tile 1. From one tile to the other, and from a tile to the
// controller: 2 and 1 hops, and a cycle for the ejection.
struct carrier_apart : testing::Test, ring::carrier::receivers {
    using deliveries = std::multiset<std::tuple<base::cycle_t, unsigned, message_kind>>;

    carrier_apart() { carrier.attach(controller); }
    void deliver(unsigned stop, coherence::receiver_kind, tlm::tlm_generic_payload&,
                 coherence::packet& p, base::cycle_t t) override {
        EXPECT_EQ(p.cycle, t);
        arrived.emplace(t, stop, p.content.kind);
    }
    void send(message_kind kind, coherence::node_t from, coherence::node_t to, base::cycle_t leaves,
              coherence::line_t line = 0) {
        ring_test::send(carrier, pool, ring_test::message_of(kind, from, to, line), leaves);
    }
    // Returns whether the groups ran apart.
    bool step(base::cycle_t until) {
        const unsigned before = threads.runs;
        begin(until);
        end();
        return threads.runs != before;
    }
    void begin(base::cycle_t until) { carrier.begin_parts(until, until, threads, home_cycles); }
    void end() {
        for (const unsigned thread : {2, 0, 1}) carrier.run_parts(thread);
        carrier.end_parts();
    }

    static constexpr base::cycle_t home_cycles = 20;
    coherence::transaction_pool pool;
    ring::carrier carrier{{}, 2, 1, *this};
    late_controller controller;
    host_threads_in_turn threads{3};
    deliveries arrived;
};

// Messages would go to and fro if every other step were one with parts.
TEST_F(carrier_apart, groups_run_apart_in_the_second_step_with_parts) {
    send(message_kind::get_s, 0, 1, 30);
    EXPECT_FALSE(step(4));
    EXPECT_TRUE(step(8));
    EXPECT_TRUE(step(12));
    carrier.run(16);
    EXPECT_FALSE(step(20));
    EXPECT_TRUE(step(24));
    EXPECT_EQ(carrier.size(), 1u);
    EXPECT_EQ(carrier.next_event(), 30u);
    EXPECT_EQ(carrier.next_delivery(), 31u);  // the shortest way of all
    EXPECT_TRUE(step(40));
    EXPECT_EQ(arrived, (deliveries{{33, 3, message_kind::get_s}}));
}

TEST_F(carrier_apart, groups_stay_together_where_that_would_change_something) {
    step(1);
    EXPECT_TRUE(step(20));
    EXPECT_FALSE(step(41));  // a slice may answer after 20 cycles
    EXPECT_TRUE(step(60));
    controller.late = 4;
    EXPECT_FALSE(step(65));
    EXPECT_TRUE(step(69));
    controller.late = 20;
    // The controller may have to answer this in its cycle, and so may a device.
    send(message_kind::mem_write_bytes, 0, first_controller, 80);
    EXPECT_FALSE(step(70));
    EXPECT_FALSE(step(90));
    EXPECT_TRUE(step(91));
    send(message_kind::device_read, 0, first_agent, 99);
    EXPECT_FALSE(step(92));
    EXPECT_FALSE(step(110));
    EXPECT_TRUE(step(111));
    EXPECT_EQ(arrived, (deliveries{{82, 2, message_kind::mem_write_bytes},
                                   {101, 0, message_kind::device_read}}));
}

TEST_F(carrier_apart, groups_stay_together_below_the_break_even) {
    host_threads_in_turn costly(3, 2);  // two messages
    const auto runs = [&](base::cycle_t until) {
        carrier.begin_parts(until, until, costly, home_cycles);
        end();
        return costly.runs;
    };
    send(message_kind::get_s, 0, 1, 100);
    EXPECT_EQ(runs(4), 0u);
    EXPECT_EQ(runs(8), 0u);
    send(message_kind::get_s, 0, 1, 100);
    EXPECT_EQ(runs(12), 1u);
}

// From where it is, each message goes on: before it leaves, on its way, waiting for a slot, far
// ahead. Three leave stop 1 for stop 3 by one data ring: in cycles 10, 11 and 12.
TEST_F(carrier_apart, messages_go_from_one_kind_of_step_to_the_other) {
    const deliveries all{{11, 1, message_kind::put_ack},   {13, 3, message_kind::data_s},
                         {14, 3, message_kind::data_s},    {15, 3, message_kind::data_s},
                         {18, 2, message_kind::mem_write}, {603, 3, message_kind::get_s},
                         {703, 1, message_kind::inv_ack}};
    for (unsigned first = 1; first < 20; ++first) {
        ring::carrier other{{}, 2, 1, *this};
        other.attach(controller);
        const auto pass = [&](message_kind k, coherence::node_t from, coherence::node_t to,
                              base::cycle_t leaves) {
            ring_test::send(other, pool, ring_test::message_of(k, from, to), leaves);
        };
        for (unsigned n = 0; n < 3; ++n) pass(message_kind::data_s, 0, 1, 10);
        pass(message_kind::put_ack, 0, 0, 10);
        pass(message_kind::mem_write, 0, first_controller, 16);
        pass(message_kind::get_s, 0, 1, 600);
        pass(message_kind::inv_ack, 1, 0, 700);
        arrived.clear();
        // Steps of one cycle. Blocks of `first` steps without parts follow on as many with.
        for (base::cycle_t t = 1; t < 800; ++t) {
            if (t / first % 2 == 0) {
                other.run(t);
                continue;
            }
            other.begin_parts(t, t, threads, home_cycles);
            for (const unsigned thread : {2, 0, 1}) other.run_parts(thread);
            other.end_parts();
        }
        EXPECT_EQ(arrived, all) << first;
        EXPECT_EQ(other.size(), 0u);
        EXPECT_EQ(other.next_event(), base::never);
    }
}

// The first thread takes what the controller may not receive on another one.
TEST_F(carrier_apart, some_writes_are_for_the_first_thread) {
    step(1);
    step(2);
    send(message_kind::mem_write, 0, first_controller, 4);  // arrives in cycle 6
    send(message_kind::mem_write, 0, first_controller, 5, late_controller::never_late);
    send(message_kind::mem_write, 0, first_controller, 6);
    step(3);
    begin(12);
    EXPECT_EQ(threads.runs, 3u);
    EXPECT_EQ(arrived.size(), 3u);
    EXPECT_EQ(controller.ran_to, 12u);
    end();
    EXPECT_EQ(arrived.size(), 3u);
}

// The step may have delivered nothing yet, so a slice's answer may come 20 + 1 cycles after its
// begin; and whoever gets a message in the step is in reach.
TEST_F(carrier_apart, reach_counts_from_the_begin_of_the_step) {
    constexpr std::uint64_t every_tile = ~std::uint64_t{0};
    step(1);
    send(message_kind::invalidate, 0, 1, 3);  // arrives in cycle 6
    step(2);
    begin(9);
    EXPECT_EQ(threads.runs, 2u);
    EXPECT_EQ(carrier.reachable(every_tile, 2 + home_cycles + 1, home_cycles), 2u);
    EXPECT_EQ(carrier.reachable(every_tile, 2 + home_cycles + 2, home_cycles), every_tile);
    end();
    begin(10);
    EXPECT_EQ(carrier.reachable(every_tile, 20, home_cycles), 0u);
    end();
}

TEST_F(carrier_apart, a_tile_awaits_its_answers) {
    constexpr std::uint64_t every_tile = ~std::uint64_t{0};
    const auto awaiting = [&](base::cycle_t until) {
        begin(until);
        const std::uint64_t found = carrier.reachable(every_tile, until + 1, home_cycles);
        end();
        return found;
    };
    step(1);
    begin(2);
    send(message_kind::get_s, 0, 1, 3);  // on a thread
    end();
    EXPECT_EQ(awaiting(3), 1u);
    EXPECT_EQ(awaiting(10), 1u);
    send(message_kind::data_e, 1, 0, 12);
    EXPECT_EQ(awaiting(11), 1u);
    EXPECT_EQ(awaiting(20), 1u);  // it arrives
    EXPECT_EQ(awaiting(21), 0u);
    EXPECT_GT(threads.runs, 3u);
}

// Nothing that was on its way comes after a reset, and no transaction is lost.
TEST_F(carrier_apart, reset_ends_it) {
    step(1);
    send(message_kind::get_s, 0, 1, 5);
    step(2);
    step(3);
    begin(7);
    send(message_kind::get_s, 0, 1, 30);
    end();
    EXPECT_EQ(carrier.size(), 2u);
    carrier.reset(10);
    EXPECT_EQ(carrier.size(), 0u);
    EXPECT_EQ(pool.in_use(), 0u);
    EXPECT_EQ(carrier.next_event(), base::never);
    carrier.run(100);
    EXPECT_EQ(arrived, deliveries{});
}

}  // namespace

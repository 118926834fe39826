// How far the carrier runs by itself: to the first message for a client. Which tiles a message may
// reach.
#include <knc/ring/carrier.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/coherence/transaction_pool.h>

#include <support/host_threads_in_turn.h>

#include "sending.h"

namespace {

using namespace knc;
using coherence::message_kind;
using knc::test::host_threads_in_turn;

struct carrier_run : testing::Test, ring::carrier::receivers {
    using deliveries = std::vector<std::pair<message_kind, base::cycle_t>>;

    void deliver(unsigned, coherence::receiver_kind, tlm::tlm_generic_payload&,
                 coherence::packet& p, base::cycle_t t) override {
        arrived.emplace_back(p.content.kind, t);
    }
    void send(message_kind kind, coherence::node_t from, coherence::node_t to,
              base::cycle_t leaves) {
        ring_test::send(carrier, pool, ring_test::message_of(kind, from, to), leaves);
    }

    coherence::transaction_pool pool;
    // Stops: SBOX, tile 0, controller, tile 1. From one tile to the other: two hops and the
    // ejection, three cycles.
    ring::carrier carrier{{}, 2, 1, *this};
    deliveries arrived;
};

TEST_F(carrier_run, ends_after_the_cycle_in_which_a_message_reaches_a_client) {
    send(message_kind::get_s, 0, 1, 5);   // to the directory slice, which is no client
    send(message_kind::grant, 1, 0, 10);  // to an L2
    send(message_kind::grant, 1, 0, 15);
    EXPECT_EQ(carrier.run_to_delivery(20), 13u);
    EXPECT_EQ(arrived, (deliveries{{message_kind::get_s, 8}, {message_kind::grant, 13}}));
    EXPECT_EQ(carrier.now(), 14u);
    EXPECT_EQ(carrier.run_to_delivery(20), 18u);
    EXPECT_EQ(arrived.size(), 3u);
}

TEST_F(carrier_run, ends_before_the_cycle_given) {
    send(message_kind::get_s, 0, 1, 5);
    send(message_kind::grant, 1, 0, 10);
    EXPECT_EQ(carrier.run_to_delivery(13), 13u);
    EXPECT_EQ(arrived, (deliveries{{message_kind::get_s, 8}}));
    EXPECT_EQ(carrier.now(), 13u);
    EXPECT_EQ(carrier.run_to_delivery(14), 13u);
    EXPECT_EQ(carrier.run_to_delivery(30), 30u);
    EXPECT_EQ(carrier.now(), 30u);
}

constexpr std::uint64_t every_tile = ~std::uint64_t{0};

// The shortest way there is takes one cycle: that of a message which stays at its stop. From tile
// to tile it is longer, but which way a message takes is not asked.
TEST_F(carrier_run, a_message_reaches_its_tile_no_earlier_than_by_the_shortest_way) {
    send(message_kind::invalidate, 1, 0, 10);
    EXPECT_EQ(carrier.reachable(every_tile, 11, 20), 0u);
    EXPECT_EQ(carrier.reachable(every_tile, 12, 20), 1u);
    EXPECT_EQ(carrier.reachable(2, 12, 20), 0u);  // of tile 1 only
    send(message_kind::fwd_get_s, 0, 1, 11);
    EXPECT_EQ(carrier.reachable(every_tile, 12, 20), 1u);
    EXPECT_EQ(carrier.reachable(every_tile, 13, 20), 3u);
    carrier.run(14);  // one has arrived in cycle 13
    EXPECT_EQ(carrier.reachable(every_tile, 15, 20), 3u);
    carrier.run(20);  // the other one
    EXPECT_EQ(carrier.reachable(every_tile, 41, 20), 2u);
    carrier.run(21);
    EXPECT_EQ(carrier.reachable(every_tile, 41, 20), 0u);
}

// A message that must pass a home slice first is no danger for as long as the slice takes: it may
// arrive there now, and what the slice sends needs one cycle more.
TEST_F(carrier_run, what_follows_from_a_message_comes_behind_the_home_slice) {
    send(message_kind::inv_ack, 0, 1, 0);
    send(message_kind::mem_write, 0, coherence::first_controller, 0);
    EXPECT_EQ(carrier.reachable(every_tile, 21, 20), 0u);
    EXPECT_EQ(carrier.reachable(every_tile, 22, 20), every_tile);
    carrier.run(2);
    EXPECT_EQ(carrier.reachable(every_tile, 23, 20), 0u);
    EXPECT_EQ(carrier.reachable(every_tile, 24, 20), every_tile);
    // Nothing is known of a slice that takes no time.
    EXPECT_EQ(carrier.reachable(every_tile, 4, 0), every_tile);
}

// Whoever has asked may get the answer at any time, until all answers have arrived.
TEST_F(carrier_run, a_tile_that_awaits_answers_is_in_reach) {
    send(message_kind::get_s, 0, 1, 5);
    send(message_kind::put_clean, 0, 1, 5);
    EXPECT_EQ(carrier.reachable(every_tile, 1, 20), 1u);
    carrier.run(30);
    EXPECT_EQ(carrier.reachable(every_tile, 31, 20), 1u);
    send(message_kind::put_ack, 1, 0, 30);
    send(message_kind::invalidate, 1, 0, 30);  // no answer
    carrier.run(40);
    carrier.run(50);
    EXPECT_EQ(carrier.reachable(every_tile, 51, 20), 1u);
    send(message_kind::data_e, coherence::first_controller, 0, 50);
    carrier.run(60);
    EXPECT_EQ(carrier.reachable(every_tile, 61, 20), 1u);  // it has just arrived
    carrier.run(70);
    EXPECT_EQ(carrier.reachable(every_tile, 71, 20), 0u);
}

// A part's message and the tiles' wait for its thread; what is sent meanwhile waits for the end.
TEST_F(carrier_run, messages_wait_for_the_thread_of_their_receiver) {
    send(message_kind::get_s, 0, 1, 5);   // arrives in cycle 8
    send(message_kind::grant, 0, 1, 6);   // in cycle 9
    send(message_kind::grant, 1, 0, 20);  // later
    host_threads_in_turn two(2);
    carrier.begin_parts(12, 12, two, 20);
    EXPECT_EQ(carrier.now(), 12u);
    EXPECT_EQ(arrived, deliveries{});
    EXPECT_EQ(pool.in_use(), 3u);
    carrier.run_parts(0);  // tile 0
    EXPECT_EQ(arrived, deliveries{});
    carrier.run_parts(1);
    EXPECT_EQ(arrived, (deliveries{{message_kind::get_s, 8}, {message_kind::grant, 9}}));
    send(message_kind::grant, 1, 0, 21);
    EXPECT_EQ(carrier.size(), 1u);
    carrier.end_parts();
    EXPECT_EQ(carrier.size(), 2u);
    EXPECT_EQ(pool.in_use(), 4u);
    // Their sender's thread gives the transactions back.
    carrier.begin_parts(15, 15, two, 20);
    carrier.run_parts(1);
    EXPECT_EQ(pool.in_use(), 4u);
    carrier.run_parts(0);
    EXPECT_EQ(pool.in_use(), 2u);
    carrier.end_parts();
    carrier.run(30);
    EXPECT_EQ(arrived.size(), 4u);
    EXPECT_EQ(pool.in_use(), 0u);
}

// What the slice sends for it may reach a tile 20 + 1 cycles after its arrival.
TEST_F(carrier_run, a_slice_takes_its_message_at_once_if_tiles_run_far) {
    send(message_kind::get_s, 0, 1, 5);  // arrives in cycle 8
    send(message_kind::get_s, 0, 1, 6);
    host_threads_in_turn one(1);
    carrier.begin_parts(12, 30, one, 20);
    EXPECT_EQ(arrived, (deliveries{{message_kind::get_s, 8}}));
    carrier.run_parts(0);
    carrier.end_parts();
    EXPECT_EQ(arrived.size(), 2u);
}

// An agent that counts how often it is asked, and has never anything to do.
struct idle_controller : base::clocked_if {
    base::cycle_t next_activity() const override {
        ++asked;
        return base::never;
    }
    void run(base::cycle_t) override {}
    base::cycle_t now() const override { return 0; }
    mutable unsigned asked = 0;
};

TEST_F(carrier_run, asks_the_controller_that_a_message_reaches) {
    ring::carrier two{{}, 2, 2, *this};
    idle_controller first, second;
    two.attach(first);
    two.attach(second);
    ring_test::send(
        two, pool,
        ring_test::message_of(message_kind::mem_read_e, 0, coherence::first_controller + 1), 5);
    two.run(100);
    EXPECT_EQ(arrived.size(), 1u);
    EXPECT_EQ(first.asked, 0u);
    EXPECT_EQ(second.asked, 1u);
}

}  // namespace

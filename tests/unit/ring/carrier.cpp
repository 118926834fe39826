// How far the carrier runs by itself: to the first message for a client.
#include <knc/ring/carrier.h>

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/coherence/transaction_pool.h>

namespace {

using namespace knc;
using coherence::message_kind;

struct carrier_run : testing::Test, ring::carrier::receivers {
    using deliveries = std::vector<std::pair<message_kind, base::cycle_t>>;

    void deliver(unsigned, tlm::tlm_generic_payload&, coherence::packet& p,
                 base::cycle_t t) override {
        arrived.emplace_back(p.content.kind, t);
    }
    void send(message_kind kind, coherence::node_t from, coherence::node_t to,
              base::cycle_t leaves) {
        coherence::message m;
        m.kind = kind;
        m.source = from;
        m.destination = to;
        tlm::tlm_generic_payload& p = pool.take(m, leaves);
        ASSERT_TRUE(carrier.send(p, *p.get_extension<coherence::packet>()));
        p.release();
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

}  // namespace

// Ends of the card's own pass messages without what only modules from outside read, and only where
// there is no such module.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>

#include <knc/coherence/endpoint.h>
#include <knc/ring/stop.h>

namespace knc::card::test {
namespace {

using coherence::message;
using coherence::message_kind;

message message_of(message_kind k, coherence::line_t line) {
    message m;
    m.kind = k;
    m.line = line;
    return m;
}

// A module from outside, at a stop.
struct foreign final : sc_core::sc_module, coherence::backward_end {
    explicit foreign(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (const coherence::packet* const k = coherence::arrived_packet(p, phase)) {
            lines.push_back(k->content.line);
            delays.push_back(delay);
        }
        return tlm::TLM_COMPLETED;
    }
    coherence::initiator_socket socket{"socket"};
    std::vector<coherence::line_t> lines;
    std::vector<sc_core::sc_time> delays;
};

// The network's side of a stop.
struct network_end final : coherence::forward_end {
    explicit network_end(const char* name) : socket(name) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (coherence::sent_packet(p, phase) == nullptr) return tlm::TLM_COMPLETED;
        delays.push_back(delay);
        return tlm::TLM_ACCEPTED;
    }
    coherence::target_socket socket;
    std::vector<sc_core::sc_time> delays;
};

// A stop with an L2 and a directory of the card's own.
struct own_stop final : sc_core::sc_module, coherence::endpoint::owner {
    explicit own_stop(const sc_core::sc_module_name& name)
        : sc_module(name),
          stop("stop"),
          network("network"),
          l2("l2", clock, *this),
          directory("directory", clock, *this) {
        l2.bind(stop.l2);
        directory.bind(stop.directory);
        stop.ring.bind(network.socket);
    }
    void receive(const message& m, base::cycle_t c) override {
        lines.push_back(m.line);
        cycles.push_back(c);
    }
    void protocol_error(const std::string& text) override { errors.push_back(text); }

    coherence::backward_if* from_network() { return coherence::bound_to(network.socket); }

    base::clock clock{1'000'000'000};
    ring::stop stop;
    network_end network;
    coherence::endpoint l2, directory;
    std::vector<coherence::line_t> lines;
    std::vector<base::cycle_t> cycles;
    std::vector<std::string> errors;
};

struct direct_ends : testing::Test {
    direct_ends() {
        device.socket.bind(mixed.stop.devices);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    coherence::transaction_pool pool;
    own_stop own{"own"}, mixed{"mixed"};
    foreign device{"device"};
};

TEST_F(direct_ends, a_stop_passes_messages_to_ends_of_the_card) {
    coherence::direct_end_if* const end = coherence::direct_end(own.from_network());
    ASSERT_NE(end, nullptr);
    auto& t = pool.take(message_of(message_kind::put_ack, 7), 12);
    EXPECT_TRUE(end->pass(t, t.sent));
    EXPECT_EQ(own.lines, std::vector<coherence::line_t>{7});
    EXPECT_EQ(own.cycles, std::vector<base::cycle_t>{12});
    // Nobody at this stop receives accesses to devices.
    auto& d = pool.take(message_of(message_kind::device_read, 8), 13);
    EXPECT_FALSE(end->pass(d, d.sent));
    EXPECT_EQ(own.lines.size(), 1u);
    t.release();
    d.release();
}

// Who takes the messages in the end is known before the first of them.
TEST_F(direct_ends, the_last_end_behind_a_stop_takes_the_messages_for_its_kind_of_receiver) {
    coherence::direct_end_if* const end = coherence::direct_end(own.from_network());
    ASSERT_NE(end, nullptr);
    coherence::endpoint::owner& owner = own;
    EXPECT_EQ(end->last_end(coherence::receiver_kind::l2), &owner);
    EXPECT_EQ(end->last_end(coherence::receiver_kind::uncached), &owner);
    EXPECT_EQ(end->last_end(coherence::receiver_kind::directory), &owner);
    // The stop itself refuses what nobody there takes.
    EXPECT_EQ(end->last_end(coherence::receiver_kind::device), end);
    EXPECT_EQ(end->last_end(coherence::receiver_kind::core), end);
    auto& t = pool.take(message_of(message_kind::put_ack, 7), 12);
    EXPECT_TRUE(end->last_end(coherence::receiver_kind::l2)->pass(t, t.sent));
    EXPECT_EQ(own.lines, std::vector<coherence::line_t>{7});
    EXPECT_EQ(own.cycles, std::vector<base::cycle_t>{12});
    t.release();
}

TEST_F(direct_ends, a_stop_with_a_foreign_module_needs_the_transport_interface) {
    EXPECT_EQ(coherence::direct_end(mixed.from_network()), nullptr);
    for (const auto& [kind, line] :
         {std::pair{message_kind::device_read, 8}, std::pair{message_kind::put_ack, 9}}) {
        auto& t = pool.take(message_of(kind, static_cast<coherence::line_t>(line)), 13);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay(13, sc_core::SC_NS);
        mixed.from_network()->nb_transport_bw(t, phase, delay);
        EXPECT_TRUE(t.is_response_ok());
        t.release();
    }
    EXPECT_EQ(device.lines, std::vector<coherence::line_t>{8});
    EXPECT_EQ(device.delays, std::vector<sc_core::sc_time>{sc_core::sc_time(13, sc_core::SC_NS)});
    EXPECT_EQ(mixed.lines, std::vector<coherence::line_t>{9});
}

// The network is a module from outside: it gets the annotation, 20 cycles of 1 ns.
TEST_F(direct_ends, a_sender_annotates_for_a_foreign_network) {
    own.l2.send(message_of(message_kind::get_s, 3), 20);
    EXPECT_EQ(own.network.delays,
              std::vector<sc_core::sc_time>{sc_core::sc_time(20, sc_core::SC_NS)});
    EXPECT_TRUE(own.errors.empty());
}

}  // namespace
}  // namespace knc::card::test

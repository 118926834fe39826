// The module around the memory fabric: messages as TLM-2.0 transactions.
#include <knc/card/uncore.h>

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/card/ram_lines.h>
#include <knc/memory/ram.h>

namespace knc::card::test {
namespace {

using coherence::line_t;
using coherence::message;
using coherence::message_kind;

// What a tile or the agent has towards the uncore.
struct end : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<end> to{"to"};
    tlm_utils::simple_target_socket<end> from{"from"};

    explicit end(sc_core::sc_module_name name) : sc_module(name) {
        from.register_nb_transport_fw(this, &end::receive);
    }
    bool send(const message& m, base::cycle_t clock) {
        return sender.send(*to.operator->(), m, clock);
    }
    tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time&) {
        if (const coherence::packet* got = coherence::packet_of(p, phase)) {
            EXPECT_EQ(p.get_data_ptr(), got->content.data.data());
            received.push_back(*got);
        }
        if (refusing) p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    coherence::packet_sender sender;
    std::vector<coherence::packet> received;
    bool refusing = false;
};

// What the memory's socket has to be bound to.
struct memory_user : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<memory_user> memory{"memory"};
    explicit memory_user(sc_core::sc_module_name name) : sc_module(name) {}
};

struct bench {
    static constexpr unsigned tiles = 4;

    bench() {
        // The tiles in order, then the agent.
        for (unsigned i = 0; i <= tiles; ++i) {
            ends.push_back(std::make_unique<end>(("end" + std::to_string(i)).c_str()));
            ends.back()->to.bind(between.in);
            between.out.bind(ends.back()->from);
        }
        user.memory.bind(bytes.target);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    message request(message_kind kind, unsigned node, line_t line) const {
        message m;
        m.kind = kind;
        m.line = line;
        m.source = m.requester =
            static_cast<coherence::node_t>(node < tiles ? node : coherence::first_agent);
        m.destination = between.logic().hash().home(line);
        return m;
    }
    void finish() {
        while (between.next_event() != base::never) between.run(between.next_event());
    }

    memory::ram bytes{"bytes", 1 << 20};
    memory_user user{"user"};
    isa::code_map code{bytes.size()};
    ram_lines lines{bytes, code};
    std::vector<std::string> errors;
    uncore between{"uncore", {},
                   tiles,    1'000'000'000,
                   lines,    [this](const std::string& text) { errors.push_back(text); }};
    std::vector<std::unique_ptr<end>> ends;
};

TEST(uncore, carries_requests_and_answers) {
    bench b;
    b.bytes.data()[5 * 64 + 9] = 0x99;
    ASSERT_TRUE(b.ends[2]->send(b.request(message_kind::get_m, 2, 5), 3));
    EXPECT_EQ(b.between.next_event(), 3u);
    EXPECT_GT(b.between.next_delivery(), 3u);
    b.finish();
    ASSERT_EQ(b.ends[2]->received.size(), 1u);
    const coherence::packet& p = b.ends[2]->received[0];
    EXPECT_EQ(p.content.kind, message_kind::data_m);
    EXPECT_EQ(p.content.line, 5u);
    EXPECT_EQ(p.content.data[9], 0x99);
    EXPECT_EQ(p.clock, b.between.now() - 1);
    for (const unsigned other : {0u, 1u, 3u, 4u}) EXPECT_TRUE(b.ends[other]->received.empty());
    EXPECT_TRUE(b.errors.empty());
}

TEST(uncore, the_agent_is_bound_behind_the_tiles) {
    bench b;
    message m = b.request(message_kind::write_once, 4, 77);
    m.mask = 1;
    m.data[0] = 0x42;
    ASSERT_TRUE(b.ends[4]->send(m, 0));
    b.finish();
    ASSERT_EQ(b.ends[4]->received.size(), 1u);
    EXPECT_EQ(b.ends[4]->received[0].content.kind, message_kind::write_done);
    EXPECT_EQ(b.bytes.data()[77 * 64], 0x42);
    EXPECT_EQ(b.bytes.data()[77 * 64 + 1], 0);
}

TEST(uncore, refuses_messages_it_cannot_take) {
    bench b;
    b.between.run(9);
    const message good = b.request(message_kind::get_s, 1, 5);
    EXPECT_FALSE(b.ends[1]->send(good, 9));   // run already
    EXPECT_FALSE(b.ends[0]->send(good, 10));  // not the sender's socket
    message astray = good;
    astray.destination = 4;
    EXPECT_FALSE(b.ends[1]->send(astray, 10));
    EXPECT_EQ(b.between.next_event(), base::never);
    EXPECT_TRUE(b.ends[1]->send(good, 10));
    EXPECT_EQ(b.between.next_event(), 10u);
}

TEST(uncore, answers_what_is_no_packet_with_errors) {
    bench b;
    coherence::packet sent;
    sent.content = b.request(message_kind::get_s, 1, 5);
    const auto response = [&](auto change, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
        tlm::tlm_generic_payload p;
        std::uint8_t data[64] = {};
        p.set_command(tlm::TLM_WRITE_COMMAND);
        p.set_address(5 * 64);
        p.set_data_ptr(data);
        p.set_data_length(64);
        p.set_streaming_width(64);
        p.set_extension(&sent);
        change(p);
        sc_core::sc_time delay;
        EXPECT_EQ(b.ends[1]->to->nb_transport_fw(p, phase, delay), tlm::TLM_COMPLETED);
        p.clear_extension(&sent);
        return p.get_response_status();
    };
    using payload = tlm::tlm_generic_payload;
    EXPECT_EQ(response([](payload& p) { p.clear_extension<coherence::packet>(); }),
              tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(response([](payload&) {}, tlm::END_RESP), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(response([](payload& p) { p.set_read(); }), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(response([](payload& p) { p.set_address(6 * 64); }), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(response([](payload& p) { p.set_byte_enable_ptr(p.get_data_ptr()); }),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(response([](payload& p) { p.set_data_length(32); }), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(response([](payload& p) { p.set_streaming_width(8); }),
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.between.next_event(), base::never);
    EXPECT_EQ(response([](payload&) {}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.between.next_event(), 0u);

    payload p;
    sc_core::sc_time delay;
    b.ends[1]->to->b_transport(p, delay);
    EXPECT_TRUE(p.is_response_error());
}

TEST(uncore, reports_a_tile_that_refuses) {
    bench b;
    b.ends[2]->refusing = true;
    ASSERT_TRUE(b.ends[2]->send(b.request(message_kind::get_s, 2, 5), 0));
    b.finish();
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0], "node 2 does not take data_e for line 0x5");
}

// 1 MB are 16384 lines.
TEST(ram_lines, has_nothing_beyond_the_memory) {
    memory::ram bytes("bytes", 1 << 20);
    isa::code_map code(bytes.size());
    ram_lines lines(bytes, code);
    coherence::line_data d;
    d.fill(7);
    lines.write(16383, d, 0xf0);
    lines.read(16383, d);
    EXPECT_EQ(d[3], 0);
    EXPECT_EQ(d[4], 7);
    EXPECT_EQ(bytes.data()[(1 << 20) - 60], 7);
    lines.write(16384, d, coherence::all_bytes);
    lines.read(16384, d);
    for (const std::uint8_t byte : d) EXPECT_EQ(byte, 0xff);
}

}  // namespace
}  // namespace knc::card::test

// The modules of the network: stops, ring, directory slices and controllers, with their sockets.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/card/controller.h>
#include <knc/card/directory.h>
#include <knc/card/memory_fabric.h>
#include <knc/card/ram_lines.h>
#include <knc/coherence/transaction_pool.h>
#include <knc/memory/ram.h>
#include <knc/ring/ring.h>
#include <knc/ring/stop.h>

namespace knc::card::test {
namespace {

using coherence::line_t;
using coherence::message;
using coherence::message_kind;
using coherence::node_t;

// What a cache or an agent has towards the network, made without the project's endpoint.
struct end : sc_core::sc_module, coherence::backward_end {
    struct arrival {
        message content;
        base::cycle_t cycle;
        sc_core::sc_time delay;
        const tlm::tlm_generic_payload* payload;
    };

    coherence::initiator_socket network{"network"};

    end(sc_core::sc_module_name name, const base::clock& c) : sc_module(name), delay_to(c) {
        network.bind(*this);
    }
    // Whether the network takes it.
    bool send(const message& m, base::cycle_t cycle) {
        tlm::tlm_generic_payload& p = pool.take(m, cycle);
        sent = &p;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = delay_to(cycle);
        const tlm::tlm_sync_enum answer = network->nb_transport_fw(p, phase, delay);
        EXPECT_EQ(answer, p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE
                              ? tlm::TLM_ACCEPTED
                              : tlm::TLM_COMPLETED);
        p.release();
        return answer == tlm::TLM_ACCEPTED;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        EXPECT_EQ(p.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        const coherence::packet* const k = coherence::arrived_packet(p, phase);
        EXPECT_NE(k, nullptr);
        received.push_back({k->content, k->cycle, delay, &p});
        p.set_response_status(refusing ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }

    coherence::annotation delay_to;
    coherence::transaction_pool pool;
    const tlm::tlm_generic_payload* sent = nullptr;
    std::vector<arrival> received;
    bool refusing = false;
};

// What the memory's socket has to be bound to.
struct memory_user : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<memory_user> memory{"memory"};
    explicit memory_user(sc_core::sc_module_name name) : sc_module(name) {}
};

struct bench final : coherence::error_if {
    static constexpr unsigned tiles = 4;
    static constexpr std::uint64_t hz = 1'000'000'000;  // a cycle is a nanosecond

    bench() {
        const auto numbered = [](const char* name, unsigned n) { return name + std::to_string(n); };
        for (unsigned n = 0; n < tiles; ++n) {
            stops.push_back(std::make_unique<ring::stop>(numbered("stop", n).c_str()));
            slices.push_back(std::make_unique<directory>(numbered("directory", n).c_str(),
                                                         static_cast<node_t>(n), hash, p, clock));
            l2.push_back(std::make_unique<end>(numbered("l2_", n).c_str(), clock));
            core.push_back(std::make_unique<end>(numbered("core", n).c_str(), clock));
            l2[n]->network.bind(stops[n]->l2);
            core[n]->network.bind(stops[n]->core);
            slices[n]->network.bind(stops[n]->directory);
            slices[n]->errors.bind(*this);
            stops[n]->ring.bind(between.tile(n));
        }
        agent.network.bind(between.sbox());
        memory.network.bind(between.controller(0));
        memory.errors.bind(*this);
        between.clocked.bind(memory.clocked);
        between.errors.bind(*this);
        user.memory.bind(bytes.target);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    message request(message_kind kind, unsigned node, line_t line) const {
        message m;
        m.kind = kind;
        m.line = line;
        m.source = m.requester = static_cast<node_t>(node);
        m.destination = hash.home(line);
        return m;
    }
    void finish() {
        while (between.next_activity() != base::never) between.run(between.next_activity() + 1);
    }
    void protocol_error(const std::string& text) override { errors.push_back(text); }

    const uncore_parameters p;
    const base::clock clock{hz};
    const coherence::address_hash hash{tiles, p.controllers, p.hash};
    memory::ram bytes{"bytes", 1 << 20};
    memory_user user{"user"};
    isa::code_map code{bytes.size()};
    ram_lines lines{bytes, code};
    std::vector<std::string> errors;
    ring::ring between{"ring", p.ring, tiles, p.controllers, clock};
    controller memory{"controller0", 0, p.memory, hash, lines, clock};
    std::vector<std::unique_ptr<ring::stop>> stops;
    std::vector<std::unique_ptr<directory>> slices;
    std::vector<std::unique_ptr<end>> l2, core;
    end agent{"agent", clock};
};

TEST(network, carries_requests_and_answers) {
    bench b;
    b.bytes.data()[5 * 64 + 9] = 0x99;
    ASSERT_TRUE(b.l2[2]->send(b.request(message_kind::get_m, 2, 5), 3));
    EXPECT_EQ(b.between.next_activity(), 3u);
    EXPECT_GT(b.between.next_delivery(), 3u);
    b.finish();
    ASSERT_EQ(b.l2[2]->received.size(), 1u);
    const end::arrival& a = b.l2[2]->received[0];
    EXPECT_EQ(a.content.kind, message_kind::data_m);
    EXPECT_EQ(a.content.line, 5u);
    EXPECT_EQ(a.content.data[9], 0x99);
    // One more message than the data: the controller's acknowledgement to the home slice, which
    // arrived before or after.
    EXPECT_LT(a.cycle, b.between.now());
    for (const unsigned other : {0u, 1u, 3u}) EXPECT_TRUE(b.l2[other]->received.empty());
    for (const auto& c : b.core) EXPECT_TRUE(c->received.empty());
    EXPECT_TRUE(b.agent.received.empty());
    EXPECT_TRUE(b.errors.empty());
}

// The parts run ahead of SystemC time, which stands at 10 ns: the sc_time of a call says how far,
// the extension says the cycle. Nothing is in SystemC's past.
TEST(network, annotates_the_time_of_arrival) {
    bench b;
    sc_core::sc_start(10, sc_core::SC_NS);
    b.between.run(10);
    ASSERT_TRUE(b.l2[2]->send(b.request(message_kind::get_m, 2, 5), 25));
    b.finish();
    ASSERT_EQ(b.l2[2]->received.size(), 1u);
    const end::arrival& a = b.l2[2]->received[0];
    EXPECT_GT(a.cycle, 25u);
    EXPECT_EQ(a.delay, sc_core::sc_time(static_cast<double>(a.cycle - 10), sc_core::SC_NS));
}

// From one L2 to another the same transaction travels, and it comes back to its owner.
TEST(network, passes_transactions_by_pointer) {
    bench b;
    message m = b.request(message_kind::data_s, 1, 5);
    m.requester = m.destination = 3;
    ASSERT_TRUE(b.l2[1]->send(m, 0));
    EXPECT_EQ(b.l2[1]->pool.in_use(), 1u);
    b.finish();
    ASSERT_EQ(b.l2[3]->received.size(), 1u);
    EXPECT_EQ(b.l2[3]->received[0].payload, b.l2[1]->sent);
    EXPECT_EQ(b.l2[1]->pool.in_use(), 0u);
}

TEST(network, a_reset_gives_transactions_back) {
    bench b;
    ASSERT_TRUE(b.l2[1]->send(b.request(message_kind::get_s, 1, 5), 7));
    b.between.reset(20);
    EXPECT_EQ(b.l2[1]->pool.in_use(), 0u);
    EXPECT_EQ(b.between.next_activity(), base::never);
    EXPECT_EQ(b.between.now(), 20u);
}

TEST(network, the_agent_at_the_sbox_writes_memory) {
    bench b;
    message m = b.request(message_kind::write_once, coherence::first_agent, 77);
    m.mask = 1;
    m.data[0] = 0x42;
    ASSERT_TRUE(b.agent.send(m, 0));
    b.finish();
    ASSERT_EQ(b.agent.received.size(), 1u);
    EXPECT_EQ(b.agent.received[0].content.kind, message_kind::write_done);
    EXPECT_EQ(b.bytes.data()[77 * 64], 0x42);
    EXPECT_EQ(b.bytes.data()[77 * 64 + 1], 0);
}

// An access to a device and its answer use the stop's socket for the core, not that of the L2.
TEST(network, answers_to_the_core_pass_the_l2_by) {
    bench b;
    message m = b.request(message_kind::device_read, 2, 5);
    m.destination = coherence::first_agent;
    ASSERT_TRUE(b.core[2]->send(m, 0));
    b.finish();
    ASSERT_EQ(b.agent.received.size(), 1u);
    m.kind = message_kind::device_data;
    m.source = coherence::first_agent;
    m.destination = 2;
    ASSERT_TRUE(b.agent.send(m, b.between.now()));
    b.finish();
    ASSERT_EQ(b.core[2]->received.size(), 1u);
    EXPECT_EQ(b.core[2]->received[0].content.kind, message_kind::device_data);
    EXPECT_TRUE(b.l2[2]->received.empty());
}

TEST(network, refuses_messages_it_cannot_take) {
    bench b;
    b.between.run(10);
    const message good = b.request(message_kind::get_s, 1, 5);
    EXPECT_FALSE(b.l2[1]->send(good, 9));   // run already
    EXPECT_FALSE(b.l2[0]->send(good, 10));  // not the sender's socket
    message astray = good;
    astray.destination = 4;
    EXPECT_FALSE(b.l2[1]->send(astray, 10));
    EXPECT_EQ(b.between.next_activity(), base::never);
    EXPECT_EQ(b.l2[1]->pool.in_use(), 0u);
    EXPECT_TRUE(b.l2[1]->send(good, 10));
    EXPECT_EQ(b.between.next_activity(), 10u);
}

TEST(network, answers_what_is_no_message_with_errors) {
    bench b;
    coherence::transaction_pool pool;
    const auto response = [&](auto change, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
        tlm::tlm_generic_payload& p = pool.take(b.request(message_kind::get_s, 1, 5), 0);
        change(p);
        sc_core::sc_time delay;
        b.l2[1]->network->nb_transport_fw(p, phase, delay);
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
    EXPECT_EQ(b.between.next_activity(), base::never);
    response([](payload&) {});
    EXPECT_EQ(b.between.next_activity(), 0u);

    payload p;
    sc_core::sc_time delay;
    b.l2[1]->network->b_transport(p, delay);
    EXPECT_TRUE(p.is_response_error());
}

// A transaction without a memory manager could not be held until it is delivered.
TEST(network, refuses_a_transaction_nobody_manages) {
    bench b;
    coherence::packet k;
    k.content = b.request(message_kind::get_s, 1, 5);
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_WRITE_COMMAND);
    p.set_address(5 * 64);
    p.set_data_ptr(k.content.data.data());
    p.set_data_length(64);
    p.set_streaming_width(64);
    p.set_extension(&k);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(b.l2[1]->network->nb_transport_fw(p, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_TRUE(p.is_response_error());
    p.clear_extension(&k);
}

TEST(network, reports_a_tile_that_refuses) {
    bench b;
    b.l2[2]->refusing = true;
    ASSERT_TRUE(b.l2[2]->send(b.request(message_kind::get_s, 2, 5), 0));
    b.finish();
    ASSERT_EQ(b.errors.size(), 1u);
    EXPECT_EQ(b.errors[0], "node 2 does not take data_e for line 0x5");
}

// The same messages through the modules and through the parts wired without SystemC arrive in the
// same order in the same cycles. Evictions of lines no slice knows and uncached reads are answered
// without the tiles' help; few lines and cycles, so that a tile's messages, its slice's and the
// controller's often leave in one cycle.
TEST(network, does_what_the_parts_do_without_systemc) {
    using log = std::vector<std::tuple<base::cycle_t, unsigned, message_kind, line_t>>;
    struct plain final : memory_fabric::observer {
        void deliver(unsigned tile, const message& m, base::cycle_t cycle) override {
            seen.emplace_back(cycle, tile, m.kind, m.line);
        }
        void deliver_to_agent(const message&, base::cycle_t) override { ADD_FAILURE(); }
        void protocol_error(const std::string& text) override { ADD_FAILURE() << text; }
        log seen;
    } reference;
    bench b;
    memory_fabric fabric(b.p, bench::tiles, bench::hz, b.lines, reference);
    std::mt19937_64 g{1};
    for (unsigned n = 0; n < 3000; ++n) {
        const auto tile = static_cast<unsigned>(g() % bench::tiles);
        const bool read = g() % 2 == 0;
        const message m =
            b.request(read ? message_kind::read_once : message_kind::put_clean, tile, g() % 4096);
        const base::cycle_t leaves = g() % 2000;
        ASSERT_TRUE(b.l2[tile]->send(m, leaves));
        fabric.send(m, leaves);
    }
    b.finish();
    while (fabric.next_event() != base::never) fabric.run(fabric.next_event());
    EXPECT_EQ(b.between.now(), fabric.now());
    log seen;
    for (unsigned t = 0; t < bench::tiles; ++t)
        for (const end::arrival& a : b.l2[t]->received)
            seen.emplace_back(a.cycle, t, a.content.kind, a.content.line);
    EXPECT_EQ(seen.size(), 3000u);
    // By tile, each in the order of its arrivals.
    std::stable_sort(reference.seen.begin(), reference.seen.end(),
                     [](const auto& x, const auto& y) { return std::get<1>(x) < std::get<1>(y); });
    EXPECT_TRUE(seen == reference.seen);
    EXPECT_TRUE(b.errors.empty());
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

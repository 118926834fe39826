// What leaves a tile while threads share a step: kept, and passed on in the order of the tiles.
#include <knc/card/outbox.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <knc/apic/apic.h>
#include <knc/card/interrupt_fabric.h>
#include <knc/coherence/endpoint.h>
#include <knc/ring/stop.h>

namespace knc::card {
namespace {

using coherence::message;

// What has reached the rest of the card, in its order.
struct others final : core::diagnostics_if, coherence::error_if {
    void warn(const std::string& text) override { heard.push_back("warning " + text); }
    void model_error(const std::string& text) override { heard.push_back("error " + text); }
    void unsupported(const std::string& text) override { heard.push_back("unsupported " + text); }
    void protocol_error(const std::string& text) override { heard.push_back("protocol " + text); }

    std::vector<std::string> take() { return std::exchange(heard, {}); }
    std::vector<std::string> heard;
};

// The ring's side of a stop.
struct ring_end final : coherence::forward_end {
    ring_end(others& o, const char* name) : owner(o), socket(name) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        coherence::packet* const k = coherence::sent_packet(p, phase);
        if (k == nullptr || refuses) {
            p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        owner.heard.push_back(fmt::format("line {} of node {} for {} in {} ps", k->content.line,
                                          k->content.source, k->cycle, delay.value()));
        return tlm::TLM_ACCEPTED;
    }
    others& owner;
    coherence::target_socket socket;
    bool refuses = false;
};

// A tile's L2 and core, its stop and its outbox.
struct tile_parts final : sc_core::sc_module, coherence::endpoint::owner {
    tile_parts(sc_core::sc_module_name name, unsigned n, departures& d, others& o)
        : sc_module(name),
          clock(1'000'000'000),
          node(n),
          stop("stop"),
          ring(o, "ring"),
          l2("l2", clock, *this),
          core("core", clock, *this),
          out(d, o, o),
          all(o) {
        l2.bind(stop.l2);
        core.bind(stop.core);
        stop.ring.bind(ring.socket);
        out.connect(stop);
    }
    void send(coherence::endpoint& by, coherence::line_t line, base::cycle_t leaves) {
        message m;
        m.kind = coherence::message_kind::get_s;
        m.line = line;
        m.source = static_cast<coherence::node_t>(node);
        by.send(m, leaves);
    }
    void receive(const message&, base::cycle_t) override {}
    void protocol_error(const std::string& text) override { all.protocol_error(text); }

    base::clock clock;
    unsigned node;
    ring::stop stop;
    ring_end ring;
    coherence::endpoint l2, core;
    outbox out;
    others& all;
};

struct outbox_rig : testing::Test {
    outbox_rig() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
    departures leaving;
    others all;
    tile_parts first{"first", 0, leaving, all}, second{"second", 1, leaving, all};
};

using texts = std::vector<std::string>;

TEST_F(outbox_rig, nothing_is_kept_while_tiles_take_turns) {
    first.send(first.l2, 7, 12);
    EXPECT_EQ(all.take(), texts{"line 7 of node 0 for 12 in 12000 ps"});
    first.out.warn("a");
    first.out.model_error("b");
    first.out.unsupported("c");
    first.out.protocol_error("d");
    EXPECT_EQ(all.take(), (texts{"warning a", "error b", "unsupported c", "protocol d"}));
    EXPECT_FALSE(leaving.any);
}

TEST_F(outbox_rig, keeps_messages_and_their_order) {
    leaving.kept = leaving.messages_kept = true;
    EXPECT_FALSE(leaving.any);
    second.send(second.l2, 3, 20);
    first.send(first.core, 5, 24);
    first.send(first.l2, 4, 15);
    EXPECT_TRUE(leaving.any);
    EXPECT_EQ(all.take(), texts{});
    leaving.kept = leaving.messages_kept = false;
    first.out.release();
    second.out.release();
    EXPECT_EQ(all.take(),
              (texts{"line 5 of node 0 for 24 in 24000 ps", "line 4 of node 0 for 15 in 15000 ps",
                     "line 3 of node 1 for 20 in 20000 ps"}));
    first.out.release();
    EXPECT_EQ(all.take(), texts{});
}

// A network that has parts of its own keeps the messages.
TEST_F(outbox_rig, keeps_no_messages_where_the_network_does) {
    leaving.kept = true;
    first.send(first.l2, 4, 15);
    EXPECT_EQ(all.take(), texts{"line 4 of node 0 for 15 in 15000 ps"});
    first.out.warn("a");
    EXPECT_EQ(all.take(), texts{});
}

TEST_F(outbox_rig, keeps_what_tiles_say) {
    leaving.kept = leaving.messages_kept = true;
    first.out.warn("a");
    first.out.unsupported("b");
    first.out.protocol_error("c");
    first.out.model_error("d");
    EXPECT_TRUE(leaving.any);
    EXPECT_EQ(all.take(), texts{});
    leaving.kept = leaving.messages_kept = false;
    first.out.release();
    EXPECT_EQ(all.take(), (texts{"warning a", "unsupported b", "protocol c", "error d"}));
}

// The sender has long gone on, so the outbox reports it, in the same words.
TEST_F(outbox_rig, a_message_that_the_ring_refuses) {
    first.ring.refuses = true;
    first.send(first.l2, 9, 12);
    const texts at_once = all.take();
    ASSERT_EQ(at_once.size(), 1u);
    leaving.kept = leaving.messages_kept = true;
    first.send(first.l2, 9, 12);
    EXPECT_EQ(all.take(), texts{});
    leaving.kept = leaving.messages_kept = false;
    first.out.release();
    EXPECT_EQ(all.take(), at_once);
}

// Two tiles of four APICs.
struct fabric_rig final : sbox::io_apic_if, base::synchronize_if {
    fabric_rig() {
        fabric.io_apic.bind(*this);
        fabric.scheduler.bind(*this);
        fabric.keep_in(leaving);
        for (std::uint16_t n = 0; n < 8; ++n) {
            apics.push_back(std::make_unique<apic::apic>(
                fmt::format("apic{}", n).c_str(), apic::parameters{}, n, n == 0,
                base::clock(1'000'000'000), apic::drive::core));
            fabric.attach(*apics.back());
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (auto& a : apics) a->logic().write(apic::reg::svr, 0x1ff, 0);
    }
    // From APIC `n`, with this vector, to the first one.
    void send(std::size_t n, std::uint32_t vector, base::cycle_t at) {
        apics[n]->logic().write(apic::reg::icr_high, 0, at);
        apics[n]->logic().write(apic::reg::icr_low, 1u << 14 | vector, at);
    }
    void end_of_interrupt(std::uint8_t, base::cycle_t) override {}
    void pulse_pin(unsigned, base::cycle_t) override {}
    void synchronize() override {}

    departures leaving;
    interrupt_fabric fabric{"fabric", 100, 48, 0};
    std::vector<std::unique_ptr<apic::apic>> apics;
};

TEST(outbox, the_fabric_keeps_messages_by_tile) {
    fabric_rig r;
    r.leaving.kept = true;
    r.send(6, 0x60, 3);
    r.send(5, 0x50, 2);
    r.send(2, 0x20, 9);
    r.send(6, 0x61, 4);
    EXPECT_TRUE(r.leaving.any);
    EXPECT_EQ(r.fabric.waiting(), 0u);
    EXPECT_EQ(r.fabric.next_arbitration(), base::never);
    r.leaving.kept = false;
    r.fabric.release();
    // The first tile's message, then those of the second in the order in which it sent them.
    std::vector<unsigned> vectors;
    for (const auto& m : r.fabric.messages(0)) vectors.push_back(m.content.vector);
    EXPECT_EQ(vectors, (std::vector<unsigned>{0x20, 0x60, 0x50, 0x61}));
    EXPECT_EQ(r.fabric.next_arbitration(), 48u);
    r.fabric.release();
    EXPECT_EQ(r.fabric.waiting(), 4u);
}

}  // namespace
}  // namespace knc::card

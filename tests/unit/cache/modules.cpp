// The caches of a tile as modules, connected by sockets and ports, against the same classes that
// call each other: random accesses of four threads, with a home slice and another tile played by
// the test, lead to the same answers, the same calls of the core, the same messages in the same
// cycles and the same counts.
#include <knc/cache/hierarchy.h>
#include <knc/cache/l1d.h>
#include <knc/cache/l1i.h>
#include <knc/cache/l2.h>

#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace knc::cache {
namespace {

using coherence::message;
using kind = coherence::message_kind;

constexpr line_t lines = 24;

// A core that logs what it is told, and a network whose other end answers each message after a
// while. Its tile owns each line that it has asked for and not given back.
class surroundings final : public l1_client_if, public network {
  public:
    struct reply {
        base::cycle_t arrives;
        message content;
    };

    base::ledger ledger;
    std::deque<reply> replies;
    std::map<line_t, bool> busy, owned;
    std::string log;
    std::uint64_t messages = 0;
    const l2_cache* l2 = nullptr;  // tells for which thread it sends

    // Another tile takes a line that this one owns.
    void take(line_t line, base::cycle_t now) {
        if (busy[line] || !owned[line]) return;
        owned[line] = false;
        answer(kind::fwd_get_m, line, now, 1);
    }

  private:
    void answer(kind k, line_t line, base::cycle_t leaves, coherence::node_t requester) {
        message m;
        m.kind = k;
        m.line = line;
        m.requester = requester;
        m.source = coherence::properties(k).has_data ? coherence::first_controller : 0;
        if (coherence::properties(k).has_data) m.data = memory_[line];
        base::cycle_t at = leaves + 30 + line * 3;
        if (!replies.empty()) at = std::max(at, replies.back().arrives);
        replies.push_back({at, m});
    }

    void send(const message& m, base::cycle_t leaves) override {
        ++messages;
        log += fmt::format("{} {} at {}; ", coherence::properties(m.kind).name, m.line, leaves);
        if (coherence::is_request(m.kind)) log += fmt::format("for {}; ", l2->requested_for());
        if (coherence::properties(m.kind).has_data) {
            log += fmt::format("byte {}; ", m.data[0]);
            coherence::copy_bytes(memory_[m.line].data(), m.data.data(),
                                  m.kind == kind::write_once ? m.mask : coherence::all_bytes);
        }
        switch (m.kind) {
            case kind::get_s:
                busy[m.line] = true;
                return answer(kind::data_e, m.line, leaves, 0);
            case kind::get_m:
                busy[m.line] = true;
                return answer(kind::data_m, m.line, leaves, 0);
            case kind::i_to_m:
                busy[m.line] = true;
                return answer(kind::grant, m.line, leaves, 0);
            case kind::done:
                busy[m.line] = false;
                owned[m.line] = true;
                return;
            case kind::put_clean:
            case kind::put_dirty:
                owned[m.line] = false;
                return answer(kind::put_ack, m.line, leaves, 0);
            case kind::read_once:
                return answer(kind::data_once, m.line, leaves, 0);
            case kind::write_once:
                return answer(kind::write_done, m.line, leaves, 0);
            default:
                return;
        }
    }
    void protocol_error(const std::string& text) override { ADD_FAILURE() << text; }

    void data_not_writable(line_t l, const std::uint8_t*, unsigned) override {
        log += fmt::format("{} not writable; ", l);
    }
    void data_lost(line_t l, const std::uint8_t*, unsigned) override {
        log += fmt::format("{} lost; ", l);
    }
    void code_lost(line_t l) override { log += fmt::format("code {} lost; ", l); }
    void code_replaced(line_t l) override { log += fmt::format("code {} replaced; ", l); }
    void wake(unsigned t, base::cycle_t c) override { log += fmt::format("wake {} at {}; ", t, c); }
    void stores_performed(unsigned t) override { log += fmt::format("buffer {} empty; ", t); }
    void stored(std::uint64_t paddr, unsigned size) override {
        log += fmt::format("stored {} at {}; ", size, paddr);
    }
    bool holds_code(line_t l) const override { return l % 11 == 10; }
    void uncached_done(unsigned t, std::uint32_t ticket, const uncached_data& d,
                       base::cycle_t c) override {
        log += fmt::format("{} {} ended at {}: {}; ", t, ticket, c, d[0]);
    }

    std::map<line_t, coherence::line_data> memory_;
};

// The other end of the L2's socket.
struct stop final : sc_core::sc_module, coherence::forward_end {
    stop(const sc_core::sc_module_name& name, network& n) : sc_module(name), out(n) {
        socket.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        const auto* const sent = p.get_extension<coherence::packet>();
        out.send(sent->content, sent->cycle);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    coherence::target_socket socket{"socket"};
    network& out;
};

parameters tiny() {
    parameters p;
    p.l1d = p.l1i = {4 * 64, 2, replacement::lru};
    p.l2 = {8 * 64, 2, replacement::lru};
    p.mshrs = 3;
    p.victims = 2;
    return p;
}

struct machine {
    surroundings& around;
    l1d_if& data;
    l1i_if& code;
    l2_cache& l2;

    // What one step does, as text.
    std::string step(std::uint64_t dice, base::cycle_t now) {
        std::string& log = around.log = "";
        while (!around.replies.empty() && around.replies.front().arrives <= now) {
            l2.receive(around.replies.front().content, around.replies.front().arrives);
            around.replies.pop_front();
        }
        log += fmt::format("next {}; ", data.next_event());
        data.process_due_events(now);
        const auto pick = [&dice](std::uint64_t n) {
            const std::uint64_t r = dice % n;
            dice /= n;
            return r;
        };
        const auto thread = static_cast<unsigned>(pick(4));
        const line_t line = pick(lines);
        const std::uint64_t paddr = line * 64 + 8 * pick(8);
        const auto value = static_cast<std::uint8_t>(pick(256));
        switch (pick(16)) {
            case 0:
            case 1:
            case 2:
                note(data.line_for_load(thread, line, charge::load, now));
                break;
            case 3:
                note(data.line_for_update(thread, line, charge::load, now));
                break;
            case 4:
            case 5:
            case 6: {
                const outcome o = data.line_for_store(thread, line, 0, now);
                note(o);
                if (o.is_hit()) o.line()[0] = value;
                if (o.is_taken()) data.buffer_store(thread, paddr, 1, &value, now);
                break;
            }
            case 7:
                note(code.line_for_fetch(thread, line, true, now));
                break;
            case 8: {
                prefetch_request r;
                r.to_l1 = pick(2) != 0;
                r.exclusive = pick(2) != 0;
                r.counted = pick(2) != 0;
                r.non_temporal = !r.counted;
                data.prefetch(thread, line, r, pick(8) != 0, now);
                break;
            }
            case 9: {
                coherence::line_data d;
                d.fill(value);
                const bool ordered = pick(2) != 0;
                const outcome o = data.streaming_store(thread, line, d, ordered, now);
                note(o);
                break;
            }
            case 10:
                if (data.room_to_combine(thread, line, 0, now))
                    data.combine_store(thread, paddr, 1, &value, now);
                log += data.fenced(thread, now) ? "fenced; " : "";
                break;
            case 11:
                data.uncached(thread, static_cast<std::uint32_t>(now), pick(2) != 0, paddr, 1,
                              &value, now);
                break;
            case 12:
                data.evict_from_l1(line, now);
                break;
            case 13:
                data.evict(line, now);
                if (pick(16) == 0) log += data.flush(thread, now) ? "flushed; " : "";
                break;
            case 14:
                around.take(line, now);
                break;
            default:
                data.completed(thread, now);
        }
        log += fmt::format("{}{}", data.sent() ? "sent" : "", data.drained(thread) ? "" : " waits");
        return log;
    }
    void note(const outcome& o) {
        around.log += fmt::format("{} {} {}; ", static_cast<int>(o.what()),
                                  o.is_hit() ? o.line()[0] : 0, o.is_hit() ? 0 : o.retry_at());
    }
};

TEST(modules, behave_as_the_classes_in_them) {
    const coherence::address_hash hash{1, 1};
    const parameters p = tiny();

    surroundings around_classes;
    hierarchy classes(0, p, hash, around_classes.ledger, around_classes, around_classes);
    around_classes.l2 = &classes.l2();
    machine expected{around_classes, classes.l1d(), classes.l1i(), classes.l2()};

    surroundings around;
    line_pins pins;
    const base::clock clock(1'000'000'000);
    l1d data("l1d", p, around.ledger, pins, clock);
    l1i code("l1i", p, around.ledger, pins, clock);
    l2 below("l2", 0, p, hash, around.ledger, pins, clock);
    data.client.bind(around);
    code.client.bind(around);
    below.client.bind(around);
    around.l2 = &below.logic();
    stop end("stop", around);
    below.network.bind(end.socket);
    data.l2.bind(below.l1d);
    data.l2_events.bind(below.events);
    data.code.bind(code.copies);
    code.l2.bind(below.l1i);
    code.data.bind(data.stores);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    machine modules{around, *data.core.operator->(), *code.core.operator->(), below.logic()};

    std::mt19937_64 random(1);
    base::cycle_t now = 1;
    for (unsigned n = 0; n < 60'000; ++n) {
        const std::uint64_t dice = random();
        ASSERT_EQ(modules.step(dice, now), expected.step(dice, now)) << "step " << n;
        now += 1 + random() % 12;
    }
    EXPECT_GT(around.messages, 10'000u);
    for (unsigned t = 0; t < base::threads_per_core; ++t)
        for (std::size_t e = 0; e < base::event_count; ++e)
            EXPECT_EQ(around.ledger.total(t, static_cast<base::event>(e)),
                      around_classes.ledger.total(t, static_cast<base::event>(e)))
                << "thread " << t << " event " << e;
}

}  // namespace
}  // namespace knc::cache

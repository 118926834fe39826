// A memory fabric with a plain L2 per tile: caches that hold as many lines as they like, one access
// per line at a time, fixed times to answer.
#ifndef KNC_TESTS_UNIT_CARD_FABRIC_RIG_H
#define KNC_TESTS_UNIT_CARD_FABRIC_RIG_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <knc/card/memory_fabric.h>
#include <knc/coherence/l2_agent.h>

namespace knc::card::test {

using coherence::line_data;
using coherence::line_t;
using coherence::message;
using coherence::message_kind;
using coherence::node_t;

struct arrival {
    base::cycle_t clock;
    unsigned tile;  // first_agent: the agent at the SBOX's stop
    message_kind kind;
    line_t line;
    node_t source;
    line_data data;

    auto key() const { return std::tie(clock, tile, kind, line, source, data); }
    bool operator==(const arrival& o) const { return key() == o.key(); }
};

// The memory, all zero at first.
class line_memory final : public coherence::line_store {
  public:
    void read(line_t line, line_data& d) override { d = lines[line]; }
    void write(line_t line, const line_data& d, coherence::byte_mask mask) override {
        coherence::copy_bytes(lines[line].data(), d.data(), mask);
    }
    bool only_bytes(line_t line) const override { return line % 8 != 0; }
    std::map<line_t, line_data> lines;
};

class fabric_rig;

// One tile's L2.
class plain_tile final : coherence::l2_store, coherence::port {
  public:
    plain_tile(fabric_rig&, node_t number);

    // An access at `clock`; a write sets byte `tile` of the line to `value`. False, and nothing
    // happens, while one to the line is under way or its eviction is.
    bool access(line_t, bool write, std::uint8_t value, base::cycle_t clock);
    // Gives the line up if it has it.
    void evict(line_t, base::cycle_t clock);
    void receive(const message&, base::cycle_t clock);

    void view(coherence::debug_view&);
    void debug_write(line_t, const line_data&, coherence::byte_mask);
    coherence::l2_state state(line_t line) { return ways_[line].state; }

  private:
    struct way {
        coherence::l2_state state = coherence::l2_state::i;
        line_data data{};
        bool write = false;  // the access under way
        std::uint8_t value = 0;
    };

    coherence::l2_slot slot(way& w) { return {&w.state, w.data.data()}; }
    void perform(line_t, way&);

    // coherence::l2_store
    coherence::l2_slot find(line_t) override;
    bool take_back(line_t, coherence::l2_slot, coherence::l1_keeps) override { return false; }
    void filled(line_t, coherence::l2_slot, const message&) override;
    void overwrite(line_t, coherence::l2_slot) override {}
    void lost(line_t, coherence::l2_slot) override {}
    void released(line_t) override {}
    void snooped(line_t, coherence::l2_state, const message&) override {}
    // coherence::port
    void send(const message&) override;
    void protocol_error(const std::string& text) override { ADD_FAILURE() << text; }

    fabric_rig& rig_;
    node_t number_;
    coherence::l2_agent agent_;
    std::map<line_t, way> ways_;
    base::cycle_t clock_ = 0;  // of what is being done
};

class fabric_rig final : memory_fabric::observer {
  public:
    // A byte that only the agent writes. Its writes take effect somewhere on their way.
    static constexpr unsigned agent_byte = 60;
    static constexpr std::uint64_t core_hz = 1'053'000'000;  // 5110P
    // From the arrival of a forward or invalidation to the departure of the answer, and from data
    // to done.
    static constexpr base::cycle_t answer_cycles = 20, done_cycles = 1;
    base::cycle_t done_after = done_cycles;

    fabric_rig(const uncore_parameters& p, unsigned count)
        : fabric(p, count, core_hz, memory, *this) {
        for (unsigned t = 0; t < count; ++t)
            tiles.push_back(std::make_unique<plain_tile>(*this, static_cast<node_t>(t)));
    }

    // Runs until nothing is under way.
    void finish() {
        while (fabric.next_event() != base::never) fabric.run(fabric.next_event());
        EXPECT_EQ(fabric.under_way(), 0u);
    }
    // The agent at the SBOX's stop writes byte `agent_byte` of a line.
    void write_uncached(line_t line, std::uint8_t value, base::cycle_t clock) {
        write_uncached(line, coherence::byte_mask{1} << agent_byte, value, clock);
    }
    // It writes nothing: who has the line gives it up.
    void flush(line_t line, base::cycle_t clock) { write_uncached(line, 0, 0, clock); }
    // The coherent value of a line.
    line_data value(line_t line) {
        coherence::debug_view v(line);
        for (const auto& t : tiles) t->view(v);
        fabric.lines().view(v);
        return v.value();
    }
    // Messages tile `t` has received.
    std::uint64_t received(unsigned t) const { return received_[t]; }
    // The first arrival of a kind at a tile; fails if there is none.
    arrival first(message_kind kind, unsigned tile) const {
        for (const arrival& a : log)
            if (a.kind == kind && a.tile == tile) return a;
        ADD_FAILURE() << "no " << coherence::properties(kind).name << " at tile " << tile;
        return {};
    }

    line_memory memory;
    memory_fabric fabric;
    std::vector<std::unique_ptr<plain_tile>> tiles;
    std::vector<arrival> log;
    std::vector<std::string> errors;
    std::map<line_t, line_data> image;  // what was written last, line by line
    bool answering = true;              // tiles act on what they receive

  private:
    void write_uncached(line_t, coherence::byte_mask, std::uint8_t value, base::cycle_t);
    void deliver(unsigned tile, const message& m, base::cycle_t clock) override {
        log.push_back({clock, tile, m.kind, m.line, m.source, m.data});
        ++received_[tile];
        if (answering) tiles[tile]->receive(m, clock);
    }
    void deliver_to_agent(const message& m, base::cycle_t clock) override {
        log.push_back({clock, coherence::first_agent, m.kind, m.line, m.source, m.data});
    }
    void protocol_error(const std::string& text) override { errors.push_back(text); }

    std::array<std::uint64_t, coherence::max_tiles> received_{};
};

}  // namespace knc::card::test

#endif

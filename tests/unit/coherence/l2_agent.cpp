#include <knc/coherence/l2_agent.h>

#include <map>
#include <utility>

#include <gtest/gtest.h>

#include <knc/coherence/memory_agent.h>
#include <knc/coherence/uncached_agent.h>

#include "recorder.h"

namespace knc::coherence::test {
namespace {

using kind = message_kind;
using answer = l2_agent::answer;
constexpr node_t tile = 2, home = 0, memory = first_controller;  // of one slice, one controller

// A cache without limits; the L1 data cache may have written `l1_data` to a line.
struct store final : l2_store {
    struct line_of_cache {
        l2_state state = l2_state::i;
        line_data data{};
    };
    std::map<line_t, line_of_cache> lines;
    std::map<line_t, line_data> l1_data;
    std::string log;

    l2_slot find(line_t l) override {
        const auto i = lines.find(l);
        return i == lines.end() ? l2_slot{} : l2_slot{&i->second.state, i->second.data.data()};
    }
    bool take_back(line_t l, l2_slot slot, l1_keeps keep) override {
        constexpr const char* kept[] = {"everything", "readable", "nothing"};
        log += fmt::format("take back, keep {}; ", kept[static_cast<int>(keep)]);
        const auto i = l1_data.find(l);
        if (i == l1_data.end()) return false;
        copy_bytes(slot.data, i->second.data(), all_bytes);
        l1_data.erase(i);
        return true;
    }
    void filled(line_t l, l2_slot slot, const message& m) override {
        log += fmt::format("filled {:#x} {} by {}; ", l, name_of(*slot.state),
                           properties(m.kind).name);
    }
    void overwrite(line_t l, l2_slot slot) override {
        log += fmt::format("overwrite {:#x}; ", l);
        std::fill_n(slot.data, line_bytes, std::uint8_t{0x77});
    }
    void lost(line_t l, l2_slot) override {
        log += fmt::format("lost {:#x}; ", l);
        lines.erase(l);
    }
    void released(line_t l) override { log += fmt::format("released {:#x}; ", l); }
    void snooped(line_t, l2_state s, const message&) override {
        log += fmt::format("snooped {}; ", name_of(s));
    }
    std::string logged() { return std::exchange(log, ""); }
};

struct l2_agent_test : testing::Test {
    recorder out;
    address_hash hash{1, 1};
    store cache;
    l2_agent agent{tile, hash, cache, out, {2}};
    static constexpr line_t line = 0x40;

    l2_slot slot(line_t l = line) {
        cache.lines[l];
        return cache.find(l);
    }
    std::string receive(kind k, node_t source, node_t requester, std::uint8_t fill = 0) {
        message m = message_of(k, line, source, requester);
        m.data.fill(fill);
        agent.receive(m);
        return out.sent();
    }
    // Puts the line into a state, with data of that byte.
    void have(l2_state s, std::uint8_t byte = 0x33) {
        *slot().state = s;
        cache.lines[line].data.fill(byte);
    }
    l2_state state() { return cache.lines.count(line) ? cache.lines[line].state : l2_state::i; }
    ~l2_agent_test() override { EXPECT_TRUE(out.errors.empty()) << out.errors.front(); }
};

TEST_F(l2_agent_test, reads_a_line_it_does_not_have) {
    EXPECT_EQ(agent.request(line, slot(), false), answer::sent);
    EXPECT_EQ(out.sent(), "get_s to 0 for 2");
    EXPECT_EQ(agent.request(line, slot(), true), answer::wait);
    EXPECT_FALSE(agent.may_evict(state()));
    EXPECT_EQ(receive(kind::data_e, memory, tile, 0x77), "done to 0 for 2");
    EXPECT_EQ(cache.logged(), "filled 0x40 E by data_e; ");
    EXPECT_EQ(cache.lines[line].data[63], 0x77);
    EXPECT_EQ(agent.request(line, slot(), false), answer::hit);
    EXPECT_EQ(agent.request(line, slot(), true), answer::hit);  // silently
    EXPECT_EQ(state(), l2_state::m);
    EXPECT_EQ(out.sent(), "");
}

TEST_F(l2_agent_test, upgrades_a_shared_line) {
    have(l2_state::s);
    EXPECT_EQ(agent.request(line, slot(), true), answer::sent);
    EXPECT_EQ(out.sent(), "get_m to 0 for 2");
    EXPECT_EQ(agent.request(line, slot(), false), answer::hit);  // readable meanwhile
    EXPECT_EQ(receive(kind::grant, home, tile), "done to 0 for 2");
    EXPECT_EQ(cache.logged(), "filled 0x40 M by grant; ");
}

TEST_F(l2_agent_test, loses_an_upgrade_to_another_tile) {
    have(l2_state::s);
    agent.request(line, slot(), true);
    out.sent();
    EXPECT_EQ(receive(kind::invalidate, home, 5), "inv_ack to 0 for 5");
    EXPECT_EQ(cache.logged(), "take back, keep nothing; snooped SM_A; ");  // not lost: IM_D
    EXPECT_EQ(agent.request(line, slot(), false), answer::wait);
    EXPECT_EQ(receive(kind::data_m, 5, tile, 0x12), "done to 0 for 2");
    EXPECT_EQ(state(), l2_state::m);
    EXPECT_EQ(cache.lines[line].data[0], 0x12);
}

TEST_F(l2_agent_test, forwards_dirty_data_and_stays_the_owner) {
    have(l2_state::m, 0x44);
    EXPECT_EQ(receive(kind::fwd_get_s, home, 5), "data_s to 5 for 5, ack_dirty to 0 for 5");
    EXPECT_EQ(cache.logged(), "take back, keep readable; snooped M; ");
    EXPECT_EQ(state(), l2_state::o);
    EXPECT_EQ(receive(kind::fwd_read, home, first_agent),
              "data_once to 128 for 128, ack_dirty to 0 for 128");
    EXPECT_EQ(receive(kind::fwd_get_m, home, 6), "data_m to 6 for 6, ack_dirty to 0 for 6");
    EXPECT_EQ(state(), l2_state::i);
}

// The L1 data cache wrote to a line in E: the snoop finds M, and the data go along.
TEST_F(l2_agent_test, takes_back_what_the_l1_wrote_before_it_answers) {
    have(l2_state::e, 0x01);
    cache.l1_data[line].fill(0x99);
    message m = message_of(kind::fwd_get_s, line, home, 5);
    agent.receive(m);
    EXPECT_EQ(out.messages.at(0).data[7], 0x99);
    EXPECT_EQ(out.sent(), "data_s to 5 for 5, ack_dirty to 0 for 5");
    EXPECT_EQ(cache.logged(), "take back, keep readable; snooped M; ");
    EXPECT_EQ(state(), l2_state::o);

    have(l2_state::e, 0x01);
    EXPECT_EQ(receive(kind::fwd_get_s, home, 5), "data_s to 5 for 5, ack_clean to 0 for 5");
    EXPECT_EQ(state(), l2_state::s);
}

TEST_F(l2_agent_test, frees_the_slot_of_a_line_that_is_taken) {
    have(l2_state::s);
    EXPECT_EQ(receive(kind::invalidate, home, 5), "inv_ack to 0 for 5");
    EXPECT_EQ(cache.logged(), "take back, keep nothing; snooped S; lost 0x40; ");
    have(l2_state::m);
    EXPECT_EQ(receive(kind::recall, home, first_agent), "recall_data to 0 for 128");
    have(l2_state::e);
    EXPECT_EQ(receive(kind::recall, home, first_agent), "inv_ack to 0 for 128");
}

TEST_F(l2_agent_test, answers_from_the_victim_buffer_until_the_eviction_is_acknowledged) {
    have(l2_state::e, 0x01);
    cache.l1_data[line].fill(0x66);
    EXPECT_TRUE(agent.evict(line, slot()));
    EXPECT_EQ(out.messages.at(0).data[0], 0x66);
    EXPECT_EQ(out.sent(), "put_dirty to 0 for 2");
    EXPECT_EQ(state(), l2_state::i);
    cache.lines.clear();
    cache.logged();
    EXPECT_EQ(agent.victim_state(line), l2_state::mi_a);
    // A request for it waits, whatever slot is offered, and leaves the slot alone.
    l2_state free = l2_state::i;
    line_data bytes{};
    EXPECT_EQ(agent.request(line, {&free, bytes.data()}, false), answer::wait);
    EXPECT_EQ(free, l2_state::i);
    EXPECT_EQ(out.sent(), "");

    message m = message_of(kind::fwd_get_s, line, home, 5);
    agent.receive(m);
    EXPECT_EQ(out.messages.at(0).data[63], 0x66);
    EXPECT_EQ(out.sent(), "data_s to 5 for 5, ack_dirty to 0 for 5");
    EXPECT_EQ(agent.victim_state(line), l2_state::oi_a);
    EXPECT_EQ(receive(kind::invalidate, home, 5), "inv_ack to 0 for 5");
    EXPECT_EQ(agent.victim_state(line), l2_state::ii_a);
    EXPECT_EQ(cache.logged(), "snooped MI_A; snooped OI_A; ");
    EXPECT_EQ(receive(kind::put_ack, home, tile), "");
    EXPECT_EQ(cache.logged(), "released 0x40; ");
    EXPECT_EQ(agent.victim_state(line), l2_state::i);
}

TEST_F(l2_agent_test, evicts_no_more_lines_than_the_victim_buffer_has_room_for) {
    for (const line_t l : {1, 2, 3}) *slot(l).state = l2_state::s;
    EXPECT_TRUE(agent.evict(1, slot(1)));
    EXPECT_TRUE(agent.evict(2, slot(2)));
    EXPECT_FALSE(agent.evict(3, slot(3)));  // made with two entries
    EXPECT_EQ(cache.lines[3].state, l2_state::s);
    EXPECT_EQ(out.sent(), "put_clean to 0 for 2, put_clean to 0 for 2");
    agent.receive(message_of(kind::put_ack, 1, home, tile));
    EXPECT_TRUE(agent.evict(3, slot(3)));
    EXPECT_EQ(agent.victim_state(1), l2_state::i);
    EXPECT_EQ(agent.victim_state(3), l2_state::si_a);
}

TEST_F(l2_agent_test, saves_and_restores_the_victim_buffer) {
    have(l2_state::m, 0x21);
    agent.evict(line, slot());
    out.sent();
    l2_agent other(tile, hash, cache, out, {2});
    other.restore(agent.victims());
    cache.lines.clear();
    other.receive(message_of(kind::recall, line, home, first_agent));
    EXPECT_EQ(out.messages.at(0).data[5], 0x21);
    out.sent();
    other.restore({});
    EXPECT_EQ(other.victim_state(line), l2_state::i);
}

TEST_F(l2_agent_test, reports_what_cannot_happen) {
    have(l2_state::s);
    EXPECT_EQ(receive(kind::grant, home, tile), "");
    cache.lines.clear();
    EXPECT_EQ(receive(kind::fwd_get_s, home, 5), "");
    EXPECT_EQ(receive(kind::write_done, home, tile), "");
    const std::vector<std::string> expected = {
        "L2 of tile 2: line 0x40 in state S: grant from node 0 for node 2",
        "L2 of tile 2: line 0x40 in state I: fwd_get_s from node 0 for node 5",
        "L2 of tile 2: line 0x40 in state I: write_done from node 0 for node 2"};
    EXPECT_EQ(out.errors, expected);
    EXPECT_EQ(cache.logged(), "");
    out.errors.clear();
}

struct bytes final : line_store {
    line_data data{};
    void read(line_t, line_data& d) override { d = data; }
    void write(line_t, const line_data& d, byte_mask mask) override {
        copy_bytes(data.data(), d.data(), mask);
    }
};

TEST(memory_agent, answers_the_requester_and_the_home_slice) {
    recorder out;
    bytes ram;
    ram.data.fill(0x0F);
    memory_agent agent(memory, ram, out);
    const auto perform = [&](kind k) {
        agent.perform(message_of(k, 5, home, 3));
        return out.sent();
    };
    EXPECT_EQ(perform(kind::mem_read_e), "data_e to 3 for 3, read_ack to 0 for 3");
    EXPECT_EQ(perform(kind::mem_read_m), "data_m to 3 for 3, read_ack to 0 for 3");
    agent.perform(message_of(kind::mem_read_once, 5, home, first_agent));
    EXPECT_EQ(out.messages.at(0).data, ram.data);
    EXPECT_EQ(out.sent(), "data_once to 128 for 128, read_ack to 0 for 128");

    message write = message_of(kind::mem_write_bytes, 5, home, 3);
    write.mask = 0b10;
    write.data.fill(0xEE);
    agent.perform(write);
    EXPECT_EQ(out.sent(), "write_ack to 0 for 3");
    EXPECT_EQ(ram.data[0], 0x0F);
    EXPECT_EQ(ram.data[1], 0xEE);
    write.kind = kind::mem_write;  // a whole line, whatever its mask says
    agent.perform(write);
    EXPECT_EQ(ram.data, write.data);
    out.sent();
    EXPECT_EQ(perform(kind::get_s), "");
    EXPECT_EQ(out.errors.at(0), "memory controller 64: line 0x5: get_s from node 0");
}

TEST_F(l2_agent_test, writes_a_whole_line_when_it_is_granted) {
    agent.request_i_to_m(line, slot());
    EXPECT_EQ(out.sent(), "i_to_m to 0 for 2");
    EXPECT_EQ(state(), l2_state::im_a);
    EXPECT_EQ(agent.request(line, slot(), false), answer::wait);
    EXPECT_EQ(receive(kind::grant, home, tile), "done to 0 for 2");
    EXPECT_EQ(cache.logged(), "overwrite 0x40; filled 0x40 M by grant; ");
    EXPECT_EQ(cache.lines[line].data[63], 0x77);
}

TEST_F(l2_agent_test, drops_dirty_data_for_a_tile_that_writes_the_line) {
    have(l2_state::m);
    EXPECT_EQ(receive(kind::invalidate, home, 5), "inv_ack to 0 for 5");
    EXPECT_EQ(cache.logged(), "take back, keep nothing; snooped M; lost 0x40; ");
}

struct uncached_log final : uncached_agent::observer {
    std::string text;
    void read_complete(line_t l, const line_data& d) override {
        text += fmt::format("read {:#x} {:#x}; ", l, d[0]);
    }
    void write_complete(line_t l) override { text += fmt::format("wrote {:#x}; ", l); }
};

TEST(uncached_agent, has_one_request_per_line) {
    recorder out;
    uncached_log log;
    const address_hash hash(1, 1);
    uncached_agent agent(first_agent, hash, out, log);
    line_data data;
    data.fill(3);
    EXPECT_TRUE(agent.write(8, data, 0xFF));
    EXPECT_EQ(out.messages.at(0).mask, 0xFFu);
    EXPECT_EQ(out.messages.at(0).data, data);
    EXPECT_FALSE(agent.read(8));
    EXPECT_TRUE(agent.read(9));
    EXPECT_EQ(out.sent(), "write_once to 0 for 128, read_once to 0 for 128");
    agent.receive(message_of(kind::write_done, 8, home, first_agent));
    EXPECT_FALSE(agent.busy(8));
    message m = message_of(kind::data_once, 9, 4, first_agent);
    m.data.fill(0x2A);
    agent.receive(m);
    EXPECT_EQ(log.text, "wrote 0x8; read 0x9 0x2a; ");
    agent.receive(m);
    EXPECT_EQ(out.errors.at(0), "node 128: line 0x9: data_once from node 4 without a request");
}

}  // namespace
}  // namespace knc::coherence::test

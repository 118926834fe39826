#include <knc/coherence/directory.h>

#include <gtest/gtest.h>

#include "recorder.h"

namespace knc::coherence::test {
namespace {

using kind = message_kind;
constexpr line_t line = 0x123;
constexpr node_t slice = 7, memory = first_controller;

struct directory_test : testing::Test {
    recorder out;
    address_hash hash{62, 1};  // one controller: node 64
    directory home{slice, hash, out};

    // Hands over a message and returns what the slice sends.
    std::string receive(kind k, node_t source, node_t requester) {
        home.receive(message_of(k, line, source, requester));
        return out.sent();
    }
    std::string request(kind k, node_t source) { return receive(k, source, source); }
    std::string state() {
        const directory_record r = home.save(line);
        std::string text = name_of(r.state);
        if (r.owner != no_node) text += fmt::format(" owner {}", r.owner);
        return text + fmt::format(" holders {:#x}", r.holders);
    }
    // The line ends in E or M at the tile.
    void own(node_t tile) {
        request(kind::get_m, tile);
        receive(kind::read_ack, memory, tile);
        receive(kind::done, tile, tile);
    }
    // GS with these two tiles.
    void share(node_t a, node_t b) {
        own(a);
        request(kind::get_s, b);
        receive(kind::ack_clean, a, b);
        receive(kind::done, b, b);
    }
    // GOLS with this owner and this sharer.
    void share_dirty(node_t owner, node_t sharer) {
        own(owner);
        request(kind::get_s, sharer);
        receive(kind::ack_dirty, owner, sharer);
        receive(kind::done, sharer, sharer);
    }
    ~directory_test() override { EXPECT_TRUE(out.errors.empty()) << out.errors.front(); }
};

TEST_F(directory_test, reads_a_line_nobody_has_from_memory) {
    EXPECT_EQ(request(kind::get_s, 3), "mem_read_e to 64 for 3");
    EXPECT_EQ(receive(kind::read_ack, memory, 3), "");
    EXPECT_EQ(state(), "GE_D owner 3 holders 0x8");
    EXPECT_EQ(receive(kind::done, 3, 3), "");
    EXPECT_EQ(state(), "GE owner 3 holders 0x8");
    EXPECT_EQ(home.lines(), 1u);
}

TEST_F(directory_test, takes_done_before_the_acknowledgement) {
    request(kind::get_s, 3);
    receive(kind::done, 3, 3);
    EXPECT_EQ(state(), "GE_M owner 3 holders 0x8");
    receive(kind::read_ack, memory, 3);
    EXPECT_EQ(state(), "GE owner 3 holders 0x8");
}

TEST_F(directory_test, forwards_to_the_owner_whose_answer_decides) {
    own(3);
    EXPECT_EQ(request(kind::get_s, 5), "fwd_get_s to 3 for 5");
    receive(kind::ack_clean, 3, 5);
    receive(kind::done, 5, 5);
    EXPECT_EQ(state(), "GS holders 0x28");

    home.clear();
    own(3);
    request(kind::get_s, 5);
    receive(kind::done, 5, 5);
    receive(kind::ack_dirty, 3, 5);
    EXPECT_EQ(state(), "GOLS owner 3 holders 0x28");
    // The owner goes on answering.
    EXPECT_EQ(request(kind::get_s, 6), "fwd_get_s to 3 for 6");
}

TEST_F(directory_test, lets_the_next_sharer_above_the_requester_forward) {
    share(3, 5);
    EXPECT_EQ(request(kind::get_s, 4), "fwd_get_s to 5 for 4");
    receive(kind::ack_clean, 5, 4);
    receive(kind::done, 4, 4);
    // Holders 3, 4, 5; above 60 there is none, so the count starts again at 0.
    EXPECT_EQ(request(kind::get_s, 60), "fwd_get_s to 3 for 60");
    EXPECT_EQ(directory::next_holder(1ull << 61 | 1, 2), 61);
    EXPECT_EQ(directory::next_holder(0b1010, first_agent), 1);
}

TEST_F(directory_test, invalidates_before_an_upgrade_is_granted) {
    share(3, 5);
    request(kind::get_s, 9);
    receive(kind::ack_clean, 3, 9);
    receive(kind::done, 9, 9);
    EXPECT_EQ(request(kind::get_m, 5), "invalidate to 3 for 5, invalidate to 9 for 5");
    EXPECT_EQ(receive(kind::inv_ack, 9, 5), "");
    EXPECT_EQ(receive(kind::inv_ack, 3, 5), "grant to 5 for 5");
    receive(kind::done, 5, 5);
    EXPECT_EQ(state(), "GE owner 5 holders 0x20");
}

TEST_F(directory_test, grants_at_once_to_the_only_sharer) {
    share(3, 5);
    EXPECT_EQ(request(kind::put_clean, 3), "put_ack to 3 for 3");
    EXPECT_EQ(state(), "GS holders 0x20");
    EXPECT_EQ(request(kind::get_m, 5), "grant to 5 for 5");
}

TEST_F(directory_test, grants_ownership_without_data) {
    EXPECT_EQ(request(kind::i_to_m, 4), "grant to 4 for 4");  // memory is not read
    receive(kind::done, 4, 4);
    EXPECT_EQ(state(), "GE owner 4 holders 0x10");
    // The owner's data are not wanted, whatever they are.
    EXPECT_EQ(request(kind::i_to_m, 5), "invalidate to 4 for 5");
    EXPECT_EQ(receive(kind::inv_ack, 4, 5), "grant to 5 for 5");
    receive(kind::done, 5, 5);
    EXPECT_EQ(state(), "GE owner 5 holders 0x20");
}

TEST_F(directory_test, grants_ownership_without_data_when_all_copies_are_gone) {
    share_dirty(3, 5);
    EXPECT_EQ(request(kind::i_to_m, 4), "invalidate to 3 for 4, invalidate to 5 for 4");
    EXPECT_EQ(receive(kind::inv_ack, 5, 4), "");
    EXPECT_EQ(receive(kind::inv_ack, 3, 4), "grant to 4 for 4");
    receive(kind::done, 4, 4);
    EXPECT_EQ(state(), "GE owner 4 holders 0x10");
}

TEST_F(directory_test, invalidates_all_but_one_who_then_forwards) {
    share(3, 5);
    EXPECT_EQ(request(kind::get_m, 4), "invalidate to 3 for 4");  // 5 is next above 4
    EXPECT_EQ(receive(kind::inv_ack, 3, 4), "fwd_get_m to 5 for 4");
    receive(kind::ack_clean, 5, 4);
    receive(kind::done, 4, 4);
    EXPECT_EQ(state(), "GE owner 4 holders 0x10");
}

TEST_F(directory_test, takes_dirty_data_of_a_writer_from_the_owner) {
    share_dirty(3, 5);
    EXPECT_EQ(request(kind::get_m, 4), "invalidate to 5 for 4");
    EXPECT_EQ(receive(kind::inv_ack, 5, 4), "fwd_get_m to 3 for 4");
}

TEST_F(directory_test, makes_a_sharer_of_a_dirty_line_its_owner) {
    share_dirty(3, 5);
    EXPECT_EQ(request(kind::get_m, 5), "invalidate to 3 for 5");
    EXPECT_EQ(receive(kind::inv_ack, 3, 5), "grant to 5 for 5");
    receive(kind::done, 5, 5);
    EXPECT_EQ(state(), "GE owner 5 holders 0x20");
}

TEST_F(directory_test, writes_back_when_the_owner_leaves_its_sharers) {
    share_dirty(3, 5);
    message put = message_of(kind::put_dirty, line, 3, 3);
    put.data.fill(0x5A);
    home.receive(put);
    EXPECT_EQ(out.messages.at(1).data, put.data);
    EXPECT_EQ(out.sent(), "put_ack to 3 for 3, mem_write to 64 for 3");
    EXPECT_EQ(state(), "GS_W holders 0x20");
    receive(kind::write_ack, memory, 3);
    EXPECT_EQ(state(), "GS holders 0x20");
}

TEST_F(directory_test, forgets_a_line_with_its_last_copy) {
    own(3);
    EXPECT_EQ(request(kind::put_clean, 3), "put_ack to 3 for 3");
    EXPECT_EQ(home.lines(), 0u);
    own(3);
    request(kind::put_dirty, 3);
    EXPECT_EQ(home.lines(), 1u);  // until memory has it
    receive(kind::write_ack, memory, 3);
    EXPECT_EQ(home.lines(), 0u);
}

TEST_F(directory_test, only_acknowledges_an_eviction_that_came_too_late) {
    own(3);
    request(kind::get_m, 5);                     // takes the line from 3,
    EXPECT_EQ(request(kind::put_dirty, 3), "");  // whose eviction waits in the queue
    EXPECT_EQ(receive(kind::ack_dirty, 3, 5), "");
    EXPECT_EQ(receive(kind::done, 5, 5), "put_ack to 3 for 3");
    EXPECT_EQ(state(), "GE owner 5 holders 0x20");
}

TEST_F(directory_test, serves_requests_of_a_busy_line_in_order_of_arrival) {
    request(kind::get_s, 1);
    EXPECT_EQ(request(kind::get_m, 2), "");
    EXPECT_EQ(request(kind::read_once, first_agent), "");
    EXPECT_EQ(request(kind::get_s, 3), "");
    EXPECT_EQ(home.save(line).queue.size(), 3u);
    receive(kind::read_ack, memory, 1);
    EXPECT_EQ(receive(kind::done, 1, 1), "fwd_get_m to 1 for 2");
    receive(kind::ack_clean, 1, 2);
    EXPECT_EQ(receive(kind::done, 2, 2), "fwd_read to 2 for 128");
    EXPECT_EQ(receive(kind::ack_dirty, 2, 128), "fwd_get_s to 2 for 3");
    // Another line is not held up.
    home.receive(message_of(kind::get_s, line + 1, 9, 9));
    EXPECT_EQ(out.sent(), "mem_read_e to 64 for 9");
}

TEST_F(directory_test, reads_uncached_where_the_value_is) {
    EXPECT_EQ(request(kind::read_once, first_agent), "mem_read_once to 64 for 128");
    receive(kind::read_ack, memory, first_agent);
    EXPECT_EQ(home.lines(), 0u);
    share(3, 5);
    EXPECT_EQ(request(kind::read_once, 5), "mem_read_once to 64 for 5");
    receive(kind::read_ack, memory, 5);
    EXPECT_EQ(state(), "GS holders 0x28");
}

TEST_F(directory_test, merges_an_uncached_write_with_what_the_owner_has) {
    share_dirty(3, 5);
    message write = message_of(kind::write_once, line, first_agent, first_agent);
    write.data.fill(0xAA);
    write.mask = 0xF0;
    home.receive(write);
    EXPECT_EQ(out.sent(), "recall to 3 for 128, invalidate to 5 for 128");
    message old = message_of(kind::recall_data, line, 3, first_agent);
    old.data.fill(0x11);
    home.receive(old);
    // Until 5 has answered the old value is here and nowhere else.
    ASSERT_NE(home.debug_read(line), nullptr);
    EXPECT_EQ(home.debug_read(line)[4], 0x11);
    home.receive(message_of(kind::inv_ack, line, 5, first_agent));
    ASSERT_EQ(out.messages.size(), 1u);
    EXPECT_EQ(out.messages[0].kind, kind::mem_write_bytes);
    EXPECT_EQ(out.messages[0].mask, all_bytes);
    for (unsigned n = 0; n < line_bytes; ++n)
        EXPECT_EQ(out.messages[0].data[n], n >= 4 && n < 8 ? 0xAA : 0x11) << n;
    out.sent();
    EXPECT_EQ(home.debug_read(line), nullptr);
    EXPECT_EQ(receive(kind::write_ack, memory, first_agent), "write_done to 128 for 128");
    EXPECT_EQ(home.lines(), 0u);
}

TEST_F(directory_test, writes_only_the_bytes_of_the_mask_over_clean_copies) {
    share(3, 5);
    message write = message_of(kind::write_once, line, 9, 9);
    write.mask = 1;
    home.receive(write);
    EXPECT_EQ(out.sent(), "invalidate to 3 for 9, invalidate to 5 for 9");
    receive(kind::inv_ack, 3, 9);
    home.receive(message_of(kind::inv_ack, line, 5, 9));
    EXPECT_EQ(out.messages.at(0).mask, 1u);
    EXPECT_EQ(out.sent(), "mem_write_bytes to 64 for 9");
}

TEST_F(directory_test, saves_and_restores_a_line_with_its_queue) {
    share(3, 5);
    request(kind::get_m, 4);
    request(kind::get_s, 8);
    const directory_record r = home.save(line);
    directory other(slice, hash, out);
    other.receive(message_of(kind::get_s, line, 1, 1));  // something to be replaced
    other.receive(message_of(kind::get_s, line, 2, 2));
    out.sent();
    other.restore(r);
    other.receive(message_of(kind::inv_ack, line, 3, 4));
    EXPECT_EQ(out.sent(), "fwd_get_m to 5 for 4");
    other.receive(message_of(kind::ack_clean, line, 5, 4));
    other.receive(message_of(kind::done, line, 4, 4));
    EXPECT_EQ(out.sent(), "fwd_get_s to 4 for 8");
    EXPECT_EQ(other.save(line).queue.size(), 0u);
    other.restore(directory_record{line, directory_state::gi, 0, no_node, {}, {}});
    EXPECT_EQ(other.lines(), 0u);
}

TEST_F(directory_test, reports_what_cannot_happen) {
    request(kind::get_s, 3);
    receive(kind::write_ack, memory, 3);
    EXPECT_EQ(state(), "GE_MD owner 3 holders 0x8");  // unchanged
    receive(kind::read_ack, memory, 3);
    receive(kind::done, 3, 3);
    EXPECT_EQ(request(kind::get_s, 3), "");            // a tile that has the line asks for it
    EXPECT_EQ(request(kind::get_m, first_agent), "");  // no tile
    const std::vector<std::string> expected = {
        "directory slice of tile 7: line 0x123 in state GE_MD: write_ack "
        "(write_ack from node 64 for node 3)",
        "directory slice of tile 7: line 0x123 in state GE: contradiction "
        "(get_s from node 3 for node 3)",
        "directory slice of tile 7: line 0x123 in state GE: contradiction "
        "(get_m from node 128 for node 128)"};
    EXPECT_EQ(out.errors, expected);
    out.errors.clear();
}

}  // namespace
}  // namespace knc::coherence::test

// Times and order of what happens between the tiles, exactly.
#include <knc/card/memory_fabric.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "fabric_rig.h"

namespace knc::card::test {
namespace {

// Ring of one clock per hop and one to leave it, slices of 50 clocks, eight idle controllers of
// 5 GT/s. Refresh left out: it would close rows.
uncore_parameters plain() {
    uncore_parameters p;
    p.controllers = 8;
    p.memory.gddr5.refresh = false;
    p.directory_cycles = 50;
    return p;
}

// Clocks of a lone message between two stops.
base::cycle_t way(const fabric_rig& rig, unsigned from, unsigned to) {
    if (from == to) return 1;  // local_cycles
    return ring::shortest(from, to, rig.fabric.stops().stops()).hops + 1;
}

// A line whose home is `home`.
line_t line_at(const fabric_rig& rig, unsigned home, line_t from = 0) {
    while (rig.fabric.hash().home(from) != home) ++from;
    return from;
}

// An idle controller with its banks closed answers after 85 CK of 1.25 GHz (docs/memory.md: 25
// front end, 18 ACT to RD, 15 to the data, 2 of data, 25 back end), counted from the first CK not
// before the request: that is CK ceil(t * 1250 / 1053), and the first core clock not before its
// end.
base::cycle_t memory_done(base::cycle_t t) {
    const std::uint64_t ck = (t * 1250 + 1052) / 1053 + 85;
    return (ck * 1053 + 1249) / 1250;
}

TEST(memory_fabric, read_miss_is_the_sum_of_its_parts) {
    for (const unsigned requester : {0u, 17u, 59u}) {
        for (const unsigned home : {0u, 17u, 30u}) {
            fabric_rig rig(plain(), 60);
            const line_t line = line_at(rig, home, 1000);
            rig.memory.lines[line][3] = rig.image[line][3] = 0x77;
            const ring::topology& at = rig.fabric.stops();
            const unsigned controller =
                at.controller(rig.fabric.hash().controller(line) - coherence::first_controller);
            ASSERT_TRUE(rig.tiles[requester]->access(line, false, 0, 100));
            rig.finish();
            const base::cycle_t asked = 100 + way(rig, at.tile(requester), at.tile(home)) + 50;
            const base::cycle_t data = memory_done(asked + way(rig, at.tile(home), controller)) +
                                       way(rig, controller, at.tile(requester));
            ASSERT_EQ(rig.log.size(), 1u);
            EXPECT_EQ(rig.log[0].kind, message_kind::data_e);
            EXPECT_EQ(rig.log[0].clock, data) << requester << ' ' << home;
            EXPECT_EQ(rig.log[0].data[3], 0x77);
        }
    }
}

// get_s to the slice, forward to the owner, data straight to the requester.
TEST(memory_fabric, forward_from_the_owner_is_the_sum_of_its_parts) {
    fabric_rig rig(plain(), 60);
    const unsigned owner = 40, requester = 3, home = 22;
    const line_t line = line_at(rig, home);
    const ring::topology& at = rig.fabric.stops();
    ASSERT_TRUE(rig.tiles[owner]->access(line, true, 0x55, 0));
    rig.finish();
    rig.log.clear();
    const base::cycle_t begun = rig.fabric.now();
    ASSERT_TRUE(rig.tiles[requester]->access(line, false, 0, begun));
    rig.finish();
    const base::cycle_t forwarded = begun + way(rig, at.tile(requester), at.tile(home)) + 50 +
                                    way(rig, at.tile(home), at.tile(owner));
    ASSERT_EQ(rig.log.size(), 2u);
    EXPECT_EQ(rig.first(message_kind::fwd_get_s, owner).clock, forwarded);
    const arrival data = rig.first(message_kind::data_s, requester);
    EXPECT_EQ(data.clock,
              forwarded + fabric_rig::answer_cycles + way(rig, at.tile(owner), at.tile(requester)));
    EXPECT_EQ(data.data[owner], 0x55);
    EXPECT_EQ(rig.tiles[owner]->state(line), coherence::l2_state::o);
}

// Writers of one line get it one after the other: the slice forwards to the next when done and
// acknowledgement of the one before have arrived, and not before it has them.
TEST(memory_fabric, requesters_of_a_line_are_served_in_turn) {
    fabric_rig rig(plain(), 60);
    const unsigned home = 10;
    const line_t line = line_at(rig, home);
    const ring::topology& at = rig.fabric.stops();
    const std::vector<unsigned> writers = {10, 11, 12, 13, 14};
    for (const unsigned w : writers) ASSERT_TRUE(rig.tiles[w]->access(line, true, 1, 0));
    rig.finish();
    base::cycle_t before = 0;
    for (std::size_t i = 0; i < writers.size(); ++i) {
        const unsigned w = writers[i];
        const base::cycle_t got = rig.first(message_kind::data_m, w).clock;
        if (i > 0) {
            const unsigned last = writers[i - 1];
            // Its done, then the forward to it. The acknowledgement (the owner's before, or the
            // controller's) left before the data it was sent with arrived.
            const base::cycle_t done =
                before + fabric_rig::done_cycles + way(rig, at.tile(last), at.tile(home));
            const base::cycle_t forward = done + 50 + way(rig, at.tile(home), at.tile(last));
            EXPECT_EQ(rig.first(message_kind::fwd_get_m, last).clock, forward) << w;
            EXPECT_EQ(got,
                      forward + fabric_rig::answer_cycles + way(rig, at.tile(last), at.tile(w)));
        }
        before = got;
    }
    for (const unsigned w : writers) EXPECT_EQ(rig.value(line)[w], 1);
}

// A slice that takes a message every 7 clocks, asked for six lines in one clock by six tiles at the
// same distance or nearer: what it sends leaves 7 clocks apart.
TEST(memory_fabric, a_slice_takes_one_message_at_a_time) {
    uncore_parameters p = plain();
    p.directory_interval = 7;
    fabric_rig rig(p, 60);
    rig.answering = false;
    const unsigned home = 30, owner = 31;
    std::vector<line_t> lines;
    for (line_t l = 0; lines.size() < 6; ++l) {
        l = line_at(rig, home, l);
        lines.push_back(l);
    }
    // By hand: the evictions of lines the slice knows nothing of are acknowledged at once.
    for (const line_t l : lines) {
        message m;
        m.kind = message_kind::put_clean;
        m.line = l;
        m.source = m.requester = owner;
        m.destination = home;
        rig.fabric.send(m, 0);
    }
    rig.finish();
    ASSERT_EQ(rig.log.size(), 6u);
    // Two address rings: two messages arrive in each of the clocks 2 (a hop of 1 and 1), 3 and 4.
    // The slice takes them at 2, 9, 16, ... and the answers leave 50 later and take 2.
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(rig.log[i].clock, 2 + 7 * i + 50 + 2) << i;
    const slice_counts n = rig.fabric.slice(home).counted();
    EXPECT_EQ(n.messages, 6u);
    // 0 + 7 + 13 + 20 + 26 + 33: begun at 2 + 7 i, arrived at 2 + i / 2.
    EXPECT_EQ(n.waited, 99u);
}

// An eviction the home slice knows nothing of is acknowledged at once. Nothing is quicker: 1 clock
// to the slice of the same tile, 50 there, 1 back.
TEST(memory_fabric, lookahead_is_the_shortest_way_to_a_consequence) {
    fabric_rig rig(plain(), 60);
    rig.answering = false;
    message m;
    m.kind = message_kind::put_clean;
    m.line = line_at(rig, 9);
    m.source = m.requester = m.destination = 9;
    rig.fabric.send(m, 100);
    EXPECT_EQ(rig.fabric.lookahead(), 52u);
    EXPECT_EQ(rig.fabric.next_event(), 100u);
    EXPECT_EQ(rig.fabric.next_delivery(), 101u);  // a message may be local
    rig.finish();
    EXPECT_EQ(rig.first(message_kind::put_ack, 9).clock, 152u);
}

// More reads than a controller's queue holds wait at its stop, in order of arrival: the answers
// come as from a controller that is offered the first waiting read in every clock.
TEST(memory_fabric, requests_wait_for_a_full_controller) {
    uncore_parameters p = plain();
    p.controllers = 1;
    p.memory.organisation.read_queue = 3;
    fabric_rig rig(p, 8);
    rig.answering = false;
    constexpr line_t lines = 160;
    const auto line = [](std::uint64_t n) { return n * n * 37 % 4099; };
    const coherence::node_t asking = 2, answered = 6;
    for (std::uint64_t n = 0; n < lines; ++n) {
        message m;
        m.kind = message_kind::mem_read_e;
        m.line = line(n);
        m.source = asking;
        m.requester = answered;
        m.destination = coherence::first_controller;
        rig.fabric.send(m, 0);
    }
    std::size_t most = 0;
    while (rig.fabric.next_event() != base::never) {
        rig.fabric.run(rig.fabric.next_event());
        most = std::max(most, rig.fabric.controller(0).waiting());
    }
    EXPECT_EQ(rig.fabric.controller(0).waiting(), 0u);
    EXPECT_EQ(rig.fabric.controller(0).logic().counts().reads, lines);

    const ring::topology& at = rig.fabric.stops();
    const base::cycle_t first = way(rig, at.tile(asking), at.controller(0));
    memory::controller reference(p.memory, fabric_rig::core_hz);
    std::vector<memory::controller::completion> done;
    std::uint64_t next = 0;
    std::size_t waiting = 0;
    for (base::cycle_t t = first; done.size() < lines; ++t) {
        // Two address rings: two arrive in each clock.
        const std::uint64_t here = std::min<std::uint64_t>(lines, 2 * (t - first + 1));
        while (next < here && reference.submit(line(next), false, t, next)) ++next;
        reference.run(t, done);
        waiting = std::max<std::size_t>(waiting, here - next);
    }
    EXPECT_EQ(most, waiting);
    EXPECT_GT(waiting, 100u);
    std::vector<arrival> data;
    for (const arrival& a : rig.log)
        if (a.kind == message_kind::data_e) data.push_back(a);
    ASSERT_EQ(data.size(), lines);
    for (std::size_t i = 0; i < lines; ++i) {
        EXPECT_EQ(data[i].line, line(done[i].id)) << i;
        EXPECT_EQ(data[i].clock, done[i].clock + way(rig, at.controller(0), at.tile(answered)))
            << i;
    }
}

TEST(memory_fabric, agent_at_the_sbox_reads_and_writes) {
    fabric_rig rig(plain(), 60);
    const line_t line = line_at(rig, 20);
    ASSERT_TRUE(rig.tiles[5]->access(line, true, 0x11, 0));
    rig.finish();
    message m;
    m.kind = message_kind::write_once;
    m.line = line;
    m.mask = 2;
    m.data[1] = 0x22;
    m.source = m.requester = coherence::first_agent;
    m.destination = 20;
    rig.fabric.send(m, rig.fabric.now());
    rig.finish();
    m.kind = message_kind::read_once;
    rig.fabric.send(m, rig.fabric.now());
    rig.finish();
    ASSERT_EQ(rig.log.size(), 4u);
    EXPECT_EQ(rig.log[1].kind, message_kind::recall);
    EXPECT_EQ(rig.log[2].kind, message_kind::write_done);
    EXPECT_EQ(rig.log[3].kind, message_kind::data_once);
    EXPECT_EQ(rig.log[3].tile, unsigned{coherence::first_agent});
    EXPECT_EQ(rig.log[3].data[5], 0x11);
    EXPECT_EQ(rig.log[3].data[1], 0x22);
}

TEST(memory_fabric, refuses_what_has_no_way) {
    fabric_rig rig(plain(), 4);
    message good;
    good.kind = message_kind::get_s;
    good.source = good.requester = 1;
    good.destination = 2;
    EXPECT_TRUE(rig.fabric.has_way(good));
    std::vector<message> bad(6, good);
    bad[0].destination = 4;                            // no such tile
    bad[1].source = 4;                                 // nor this
    bad[2].requester = 63;                             // nor this
    bad[3].destination = coherence::first_controller;  // a controller has no directory
    bad[4].kind = message_kind::count;                 // no such message
    bad[5].kind = message_kind::mem_read_e;            // a tile has no memory
    for (const message& m : bad) {
        EXPECT_FALSE(rig.fabric.has_way(m));
        rig.fabric.send(m, 0);
    }
    EXPECT_EQ(rig.errors.size(), bad.size());
    EXPECT_EQ(rig.fabric.under_way(), 0u);
    rig.fabric.run(9);
    EXPECT_THROW(rig.fabric.send(good, 9), std::logic_error);
    EXPECT_NO_THROW(rig.fabric.send(good, 10));
}

TEST(memory_fabric, refuses_impossible_parameters) {
    const auto why = [](auto change) {
        uncore_parameters p;
        change(p);
        if (!impossible(p).empty()) {
            EXPECT_THROW(fabric_rig(p, 4), std::invalid_argument);
        }
        return impossible(p);
    };
    using parameters = uncore_parameters;
    EXPECT_EQ(why([](parameters&) {}), "");
    EXPECT_NE(why([](parameters& p) { p.controllers = 0; }), "");
    EXPECT_NE(why([](parameters& p) { p.controllers = 65; }), "");
    EXPECT_NE(why([](parameters& p) { p.directory_cycles = 0; }), "");
    EXPECT_NE(why([](parameters& p) { p.directory_interval = 0; }), "");
    EXPECT_NE(why([](parameters& p) { p.ring.data_rings = 0; }), "");
    EXPECT_NE(why([](parameters& p) { p.hash.block_lines = 3; }), "");
    EXPECT_NE(why([](parameters& p) { p.memory.organisation.banks = 5; }), "");
    EXPECT_THROW(fabric_rig({}, 0), std::invalid_argument);
    EXPECT_THROW(fabric_rig({}, 65), std::invalid_argument);
}

}  // namespace
}  // namespace knc::card::test

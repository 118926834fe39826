// Messages between platform and monitor: there and back, and what is no message.
#include <knc/monitor/protocol.h>

#include <gtest/gtest.h>

namespace knc::monitor {
namespace {

const platform_shape shape{3, 2, 1'100'000'000, 123};

TEST(protocol, shape_there_and_back) {
    const auto s = decode_shape(encode(shape));
    ASSERT_TRUE(s);
    EXPECT_EQ(s->tiles, 3u);
    EXPECT_EQ(s->controllers, 2u);
    EXPECT_EQ(s->clock_hz, 1'100'000'000u);
    EXPECT_EQ(s->ring_slots, 123u);
}

TEST(protocol, another_version_is_refused) {
    for (const std::size_t n : {0u, 1u}) {  // version, number of events
        words w = encode(shape);
        ++w[n];
        EXPECT_FALSE(decode_shape(w));
    }
    for (const std::size_t n : {2u, 3u, 9u}) {  // more tiles, controllers, IDs than there can be
        words w = encode(shape);
        w[n] = 1 << 20;
        EXPECT_FALSE(decode_shape(w));
    }
    words short_one = encode(shape);
    short_one.pop_back();
    EXPECT_FALSE(decode_shape(short_one));
    EXPECT_FALSE(decode_shape({}));
}

TEST(protocol, snapshot_there_and_back) {
    snapshot s = start_of(shape);
    s.cycle = 77;
    s.ring_busy = 88;
    s.bus = {99, 111};
    std::uint64_t n = 0;
    for (thread_counts& t : s.threads) {
        // Cells of other monitoring units are no part of a snapshot.
        for (std::size_t e = 0; e < base::event_count; ++e) t.events[e] = ++n;
        t.awake = ++n;
        t.rmid = ++n;
        t.l3_lines = ++n;
        t.online = n % 2 == 0;
    }
    for (controller_counts& c : s.controllers) c = {++n, ++n};
    const auto back = decode_snapshot(encode(s, shape), shape, true);
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->ended);
    EXPECT_EQ(back->cycle, 77u);
    EXPECT_EQ(back->ring_busy, 88u);
    EXPECT_EQ(back->bus.reads, 99u);
    EXPECT_EQ(back->bus.writes, 111u);
    ASSERT_EQ(back->threads.size(), 12u);
    for (std::size_t t = 0; t < 12; ++t) {
        EXPECT_EQ(back->threads[t].events, s.threads[t].events);
        EXPECT_EQ(back->threads[t].awake, s.threads[t].awake);
        EXPECT_EQ(back->threads[t].rmid, s.threads[t].rmid);
        EXPECT_EQ(back->threads[t].l3_lines, s.threads[t].l3_lines);
        EXPECT_EQ(back->threads[t].online, s.threads[t].online);
    }
    EXPECT_EQ(back->controllers[1].writes, s.controllers[1].writes);
}

// A platform with another PMU tells what it counts beside, and snapshots have that and no more.
TEST(protocol, events_of_another_pmu) {
    platform_shape p = shape;
    p.registers = pmu::front_end_kind::perfmon;
    p.events.set(base::llc_misses);
    p.l3_lines = 4096;
    p.bandwidth_ids = 3;
    p.bus = true;
    const auto back = decode_shape(encode(p));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->registers, p.registers);
    EXPECT_EQ(back->events, p.events);
    EXPECT_EQ(back->l3_lines, 4096u);
    EXPECT_EQ(back->bandwidth_ids, 3u);
    EXPECT_TRUE(back->bus);
    snapshot s = start_of(p);
    s.threads[2].events[base::llc_misses] = 5;
    s.threads[2].events[base::llc_references] = 6;
    s.traffic = {11, 12, 13};
    const words w = encode(s, p);
    EXPECT_EQ(w.size(), encode(start_of(shape), shape).size() + p.threads() + 3);
    const auto counted = decode_snapshot(w, p, false);
    ASSERT_TRUE(counted);
    EXPECT_EQ(counted->threads[2].events[base::llc_misses], 5u);
    EXPECT_EQ(counted->threads[2].events[base::llc_references], 0u);
    EXPECT_EQ(counted->traffic, s.traffic);
    words unknown = encode(p);
    unknown[6] = 77;  // a PMU of a later version
    EXPECT_FALSE(decode_shape(unknown));
}

TEST(protocol, a_snapshot_of_another_size_is_refused) {
    words w = encode(start_of(shape), shape);
    w.push_back(0);
    EXPECT_FALSE(decode_snapshot(w, shape, false));
    EXPECT_FALSE(decode_snapshot({}, shape, false));
}

}  // namespace
}  // namespace knc::monitor

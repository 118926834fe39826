// The data cache of a Pentium: states, write buffers, order, what leaves.
#include <random>

#include "rig.h"

namespace knc::pentium::test {
namespace {

constexpr cycle_t fill_first = 6, fill = 6 + 3 * 2, write = 3, write_back = 3 + 3 * 2;

TEST(bus, begins_with_a_clock_of_its_own) {
    parameters p = quick();
    p.bus_ratio = 3;
    rig r(p);
    // Asked for in clock 100: from 102 on, which is a multiple of 3.
    EXPECT_EQ(r.line.read(1, 100).end, 102u + 6 * 3);
    EXPECT_EQ(r.line.read(4, 100).first, 120u + 6 * 3);
    EXPECT_EQ(r.line.free_from(), 120u + (6 + 3 * 2) * 3);
    EXPECT_TRUE(r.line.busy(119));
    EXPECT_FALSE(r.line.busy(r.line.free_from()));
    r.line.write(1, 200);
    EXPECT_FALSE(r.line.busy(200));
    EXPECT_TRUE(r.line.busy(201));
}

TEST(data_cache, a_read_needs_the_first_part_of_its_line) {
    rig r;
    const outcome o = r.data.line_for_load(0, 5, charge::load, 100);
    EXPECT_EQ(o.retry_at(), 101 + fill_first);
    EXPECT_EQ(r.busy, fill);
    // The 64 bytes that contain the line.
    EXPECT_EQ(r.data.line_for_load(0, 5, charge::load, o.retry_at()).line(), &r.memory[128]);
    // Another instruction waits for the rest.
    r.data.completed(0, o.retry_at());
    const outcome rest = r.data.line_for_load(0, 5, charge::load, o.retry_at());
    EXPECT_EQ(rest.retry_at(), 101 + fill);
    EXPECT_TRUE(r.data.line_for_load(0, 5, charge::load, rest.retry_at()).is_hit());
    EXPECT_EQ(r.count(base::data_read_miss), 1u);
    EXPECT_EQ(r.busy, fill);
    // Its neighbour in the 64 bytes is another line.
    EXPECT_FALSE(r.data.line_for_load(0, 4, charge::load, 500).is_hit());
}

TEST(data_cache, walks_are_not_counted) {
    rig r;
    EXPECT_FALSE(r.data.line_for_load(0, 5, charge::walk, 100).is_hit());
    EXPECT_EQ(r.count(base::data_read_miss), 0u);
}

TEST(data_cache, an_instruction_keeps_what_it_has_fetched) {
    parameters p = quick();
    p.l1d = {256, 2, cache::replacement::lru};  // four sets
    rig r(p);
    // Lines of one set, more than it has ways: each is there when it was fetched.
    cycle_t now = 100;
    for (int turn = 0; turn < 2; ++turn)
        for (line_t l = 0; l < 20; l += 4) {
            const outcome o = r.data.line_for_load(0, l, charge::load, now);
            EXPECT_TRUE(turn == 0 || o.is_hit()) << l;
            if (!o.is_hit()) now = o.retry_at();
        }
    EXPECT_EQ(r.count(base::data_read_miss), 5u);
    r.data.completed(0, now);
    EXPECT_FALSE(r.data.line_for_load(0, 0, charge::load, now + 100).is_hit());
}

TEST(data_cache, a_write_that_misses_does_not_bring_its_line) {
    rig r;
    EXPECT_EQ(r.store(33), 0u);
    EXPECT_EQ(r.memory[33], 1);
    EXPECT_EQ(r.heard(), "1 at 33; ");
    EXPECT_EQ(r.busy, write);
    EXPECT_FALSE(r.data.drained(0));
    r.data.process_due_events(103);
    EXPECT_EQ(r.heard(), "");
    EXPECT_EQ(r.data.next_event(), 104u);
    r.data.process_due_events(104);
    EXPECT_EQ(r.heard(), "performed; wake 0 at 104; ");
    EXPECT_TRUE(r.data.drained(0));
    EXPECT_EQ(r.data.next_event(), base::never);
    EXPECT_FALSE(r.data.line_for_load(0, 1, charge::load, 200).is_hit());
}

TEST(data_cache, four_writes_wait_at_most) {
    rig r;
    // One a clock, and three clocks on the bus for each.
    const cycle_t waits[] = {0, 0, 0, 0, 0, 2, 2, 2};
    for (const cycle_t w : waits) EXPECT_EQ(r.store(64), w);
    EXPECT_EQ(r.busy, 8 * write);
}

TEST(data_cache, a_write_over_a_boundary_of_eight_bytes_is_two) {
    rig r;
    r.store(62, 2);
    EXPECT_EQ(r.busy, write);
    r.now += 100;
    r.store(71, 2);
    EXPECT_EQ(r.busy, 3 * write);
}

TEST(data_cache, a_write_that_hits_waits_for_older_ones) {
    rig r;
    r.fetch(8);
    r.heard();
    const cycle_t before = r.busy;
    EXPECT_EQ(r.store(8 * 32), 0u);
    EXPECT_EQ(r.busy, before);
    r.store(0);
    EXPECT_EQ(r.store(8 * 32), write);
    EXPECT_EQ(r.heard(), "1 at 0; order; ");
}

TEST(data_cache, a_repeated_attempt_writes_once) {
    rig r;
    const std::uint64_t value = 7;
    for (cycle_t now = 100; now < 103; ++now) {
        EXPECT_TRUE(r.data.line_for_store(0, 1, 0, now).is_taken());
        r.data.buffer_store(0, 32, 8, &value, now);
    }
    EXPECT_EQ(r.busy, write);
    r.data.completed(0, 103);
    r.data.buffer_store(0, 32, 8, &value, 104);
    EXPECT_EQ(r.busy, 2 * write);
}

TEST(data_cache, an_instruction_waits_for_a_free_buffer_once) {
    rig r;
    const std::uint64_t value = 7;
    cycle_t now = 100;
    for (std::uint64_t n = 0; n < 8; ++n) {
        outcome o = r.data.line_for_store(0, 1 + n / 4, 0, now);
        if (!o.is_taken()) {
            EXPECT_EQ(n, 4u);
            now = o.retry_at();
            o = r.data.line_for_store(0, 1 + n / 4, 0, now);
        }
        ASSERT_TRUE(o.is_taken());
        r.data.buffer_store(0, 32 + 8 * n, 8, &value, now);
    }
    EXPECT_EQ(r.busy, 8 * write);
}

TEST(data_cache, modified_lines_are_written_back) {
    parameters p = quick();
    p.l1d = {256, 2, cache::replacement::lru};
    rig r(p);
    r.fetch(0);
    r.store(0);
    const cycle_t before = r.busy;
    r.fetch(4);
    EXPECT_EQ(r.busy, before + fill);
    r.fetch(8);
    EXPECT_EQ(r.busy, before + 2 * fill + write_back);
    EXPECT_EQ(r.count(base::data_cache_lines_written_back), 1u);
}

TEST(data_cache, inquiries) {
    rig r;
    r.fetch(3);
    r.store(3 * 32);
    cycle_t before = r.busy;
    r.data.inquire(4, false, r.now);
    EXPECT_EQ(r.count(base::p55c_snoop_hits), 0u);
    r.data.inquire(3, false, r.now);
    EXPECT_EQ(r.count(base::p55c_snoops), 2u);
    EXPECT_EQ(r.count(base::p55c_snoop_hits), 1u);
    EXPECT_EQ(r.busy, before + write_back);
    // It is shared: a write goes to memory, too, and makes it exclusive.
    r.now += 100;
    before = r.busy;
    r.store(3 * 32);
    EXPECT_EQ(r.busy, before + write);
    r.now += 100;
    r.store(3 * 32);
    EXPECT_EQ(r.busy, before + write);
    r.data.inquire(3, true, r.now);
    r.now += 100;
    EXPECT_FALSE(r.data.line_for_load(0, 3, charge::load, r.now).is_hit());
}

TEST(data_cache, a_locked_read_goes_to_memory) {
    rig r;
    r.fetch(3);
    r.store(3 * 32);
    const cycle_t before = r.busy;
    outcome o = r.data.line_for_update(0, 3, charge::locked, r.now);
    EXPECT_EQ(r.busy, before + write_back + fill_first);
    EXPECT_EQ(r.count(base::p55c_locked), 1u);
    r.now = o.retry_at();
    EXPECT_TRUE(r.data.line_for_update(0, 3, charge::locked, r.now).is_hit());
    EXPECT_TRUE(r.data.line_for_store(0, 3, 0, r.now).is_taken());
    EXPECT_EQ(r.count(base::p55c_locked), 1u);
}

TEST(data_cache, accesses_that_are_not_cached) {
    rig r;
    r.memory[40] = 9;
    r.data.uncached(0, 7, false, 40, 4, nullptr, 100);
    EXPECT_EQ(r.busy, fill_first);
    EXPECT_EQ(r.data.next_event(), 107u);
    r.data.process_due_events(107);
    EXPECT_EQ(r.heard(), "thread 0 ticket 7: 9 at 107; ");
    // A write ends when it has a buffer.
    const std::uint8_t byte = 5;
    r.data.uncached(0, 8, true, 40, 1, &byte, 110);
    EXPECT_EQ(r.memory[40], 5);
    EXPECT_EQ(r.data.next_event(), 111u);
    r.data.process_due_events(111);
    EXPECT_EQ(r.heard(), "1 at 40; thread 0 ticket 8: 0 at 111; ");
    EXPECT_EQ(r.busy, fill_first + write);
}

TEST(data_cache, flush) {
    rig r;
    r.fetch(3);
    r.fetch(4);
    r.store(3 * 32);
    const cycle_t before = r.busy;
    EXPECT_FALSE(r.data.flush(0, r.now));
    EXPECT_EQ(r.busy, before + write_back);
    r.data.process_due_events(r.data.next_event());
    EXPECT_TRUE(r.data.flush(0, r.line.free_from()));
    EXPECT_FALSE(r.data.line_for_load(0, 4, charge::load, r.line.free_from()).is_hit());
}

TEST(code_cache, fetches_lines) {
    rig r;
    outcome o = r.code.line_for_fetch(0, 5, true, 100);
    EXPECT_EQ(o.retry_at(), 101 + fill);
    EXPECT_FALSE(r.code.use_code(0, 5, 101 + fill - 1));
    EXPECT_EQ(r.code.code_at_hand(5, 101 + fill - 1), nullptr);
    EXPECT_TRUE(r.code.use_code(0, 5, 101 + fill));
    EXPECT_EQ(r.code.code_at_hand(5, 101 + fill), &r.memory[128]);
    EXPECT_EQ(r.count(base::code_cache_miss), 1u);
    EXPECT_TRUE(r.code.holds_code(5));
    EXPECT_FALSE(r.code.holds_code(4));
    // A store to the line, in the data cache or not, takes it away.
    r.now = 200;
    r.store(5 * 32);
    EXPECT_EQ(r.heard(), "1 at 160; code 5 lost; ");
    EXPECT_FALSE(r.code.holds_code(5));
}

TEST(code_cache, code_that_the_data_cache_has_modified) {
    rig r;
    r.fetch(3);
    r.store(3 * 32);
    const cycle_t before = r.busy;
    r.code.line_for_fetch(0, 3, true, r.now);
    EXPECT_EQ(r.busy, before + write_back + fill);
    EXPECT_EQ(r.count(base::data_cache_lines_written_back), 1u);
}

TEST(code_cache, code_that_may_not_be_cached) {
    rig r;
    const outcome o = r.code.line_for_fetch(0, 5, false, 100);
    EXPECT_EQ(o.retry_at(), 101 + 4 * fill_first);
    EXPECT_EQ(r.count(base::code_cache_miss), 0u);  // its caller counts
    EXPECT_TRUE(r.code.line_for_fetch(0, 5, false, o.retry_at()).is_hit());
    EXPECT_FALSE(r.code.holds_code(5));
    // The prefetch buffers hold two lines.
    r.code.line_for_fetch(0, 6, false, 200);
    EXPECT_TRUE(r.code.line_for_fetch(0, 5, false, 300).is_hit());
    r.code.line_for_fetch(0, 7, false, 300);
    EXPECT_FALSE(r.code.line_for_fetch(0, 5, false, 400).is_hit());
}

// Against tags of its own: the lines that are there, the misses, the write-backs.
TEST(data_cache, random_accesses) {
    constexpr unsigned seed = 77;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    parameters p = quick();
    p.l1d = {512, 4, cache::replacement::lru};  // four sets of four
    rig r(p);
    struct place {
        line_t line;
        bool modified;
    };
    std::vector<place> sets[4];  // the last one used is at the end
    std::uint64_t misses = 0, written_back = 0;
    for (int n = 0; n < 20'000; ++n) {
        const line_t line = random() % 40;
        auto& set = sets[line % 4];
        const auto at =
            std::find_if(set.begin(), set.end(), [line](const place& q) { return q.line == line; });
        const bool there = at != set.end();
        place mine{line, there && at->modified};
        if (random() % 3 == 0) {
            r.store(line * 32 + random() % 24, 8);
            mine.modified = true;
        } else {
            r.fetch(line);
            misses += !there;
        }
        r.now += 1 + random() % 20;
        if (there) set.erase(at);
        if (there || !mine.modified) set.push_back(mine);
        if (set.size() > 4) {
            written_back += set.front().modified;
            set.erase(set.begin());
        }
    }
    EXPECT_EQ(r.count(base::data_read_miss), misses);
    EXPECT_EQ(r.count(base::data_cache_lines_written_back), written_back);
}

}  // namespace
}  // namespace knc::pentium::test

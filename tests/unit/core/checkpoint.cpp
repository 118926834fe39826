// Rooms of a core that are loaded go on as those that were saved.
#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/picker.h>
#include <knc/core/skid.h>

namespace knc::core {
namespace {

template <class T>
void move_on(T& from, T& to) {
    base::memory_writer w;
    w(from);
    base::memory_reader r(w.content());
    r(to);
    EXPECT_TRUE(r.left().empty());
}

TEST(core_checkpoint, whose_turn_it_is) {
    picker a, b;
    for (unsigned t = 0; t < picker::threads; ++t) a.set_ready(t, 10);
    EXPECT_EQ(a.pick(10), 0u);
    EXPECT_EQ(a.pick(10), 1u);
    a.hold_stage(15);
    move_on(a, b);
    EXPECT_EQ(b.selected(), 1u);
    EXPECT_EQ(b.next_issue(), 15u);
    EXPECT_EQ(b.pick(15), 2u);
}

// A DELAY of 50 cycles in cycle 10, loaded in cycle 20; an event ends it in cycle 30.
TEST(core_checkpoint, delay) {
    base::ledger counts_a, counts_b;
    timeline time;
    picker picking_a, picking_b;
    cycle_accounting a{counts_a, time, picking_a}, b{counts_b, time, picking_b};
    a.reset();
    b.reset();
    time.move_to(10);
    picking_a.set_ready(0, 11);
    a.begin_delay(0, 50);
    time.move_to(20);
    move_on(picking_a, picking_b);
    move_on(a, b);
    EXPECT_EQ(picking_b.ready(0), 61u);
    EXPECT_TRUE(b.delayed(0));
    EXPECT_FALSE(b.delayed(1));
    time.move_to(30);
    b.end_delay(0);
    EXPECT_EQ(picking_b.ready(0), 30u);
    EXPECT_FALSE(b.delayed(0));
}

// One interrupt is measured, a second one is in event entry, a third one waits.
TEST(core_checkpoint, skid) {
    skid_meter a, b;
    a.requested(0x40, false, 100, 7, 110);
    a.taken(0x40, 9, 120);
    a.entered(true);
    a.issued(150);
    a.requested(0x41, false, 200, 20, 210);
    a.taken(0x41, 21, 220);
    a.requested(0x42, false, 230, 21, 240);
    move_on(a, b);
    EXPECT_TRUE(b.entering());
    b.entered(true);
    b.issued(260);
    b.taken(0x42, 30, 300);
    b.entered(true);
    b.issued(330);
    const skid_statistics& s = b.statistics();
    EXPECT_EQ(s.count, 3u);
    EXPECT_EQ(s.total.sum, 50u + 60 + 100);
    EXPECT_EQ(s.total.max, 100u);
    EXPECT_EQ(s.instructions.sum, 2u + 1 + 9);
    ASSERT_EQ(b.records().kept.size(), 3u);
    EXPECT_EQ(b.records().kept[0].handler, 150u);
    EXPECT_EQ(b.records().kept[2].overflow, 230u);
}

}  // namespace
}  // namespace knc::core

// A PMU that is loaded goes on as the one that was saved: counters, selections, overflows.
#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>

#include "fixture.h"

namespace pmu_test {

// The ledger first, as a tile does it.
void move_on(bench& from, bench& to) {
    base::memory_writer w;
    w(from.ledger.counts, from.ledger.at, from.registers);
    from.counters.serialize(w);
    base::memory_reader r(w.content());
    r(to.ledger.counts, to.ledger.at, to.registers);
    to.counters.serialize(r);
    EXPECT_TRUE(r.left().empty());
}

TEST(pmu_checkpoint, counters_go_on) {
    bench a(unaudited()), b(unaudited());
    a.registers.write(1, msr::cntr0, top - 9);
    a.registers.write(1, msr::evtsel0, instructions | usr | os | intr | en);
    a.registers.write(1, msr::ctrl, 1);
    a.raise(1, base::instructions_executed, 2);
    move_on(a, b);
    EXPECT_EQ(b.counters.settled(), a.counters.settled());
    EXPECT_EQ(b.counters.deadline(), a.counters.deadline());
    // 2 are counted, and 8 more reach the 10th: the counter is 0.
    for (int n = 0; n < 4; ++n) {
        EXPECT_TRUE(b.record.seen.empty());
        b.raise(1, base::instructions_executed, 2);
    }
    const pmu::thread_state s = b.registers.state(1);
    EXPECT_EQ(s.counter[0], 0u);
    EXPECT_EQ(s.status, 1u);
    EXPECT_EQ(s.overflows[0], 1u);
    EXPECT_EQ(b.record.seen, (pmis{{1, 5}}));
    // What it has counted is that of both.
    ASSERT_EQ(b.registers.history(1, 0).size(), 1u);
    EXPECT_EQ(b.registers.history(1, 0)[0].events, 10u);
}

// With edge detection, a clock counts if the one before did not: also the one before the
// checkpoint.
TEST(pmu_checkpoint, condition_of_the_clock_before) {
    bench a(unaudited()), b(unaudited());
    a.registers.write(0, msr::evtsel0, instructions | usr | os | edge | cmask(1) | en);
    a.registers.write(0, msr::ctrl, 1);
    a.raise(0, base::instructions_executed);
    move_on(a, b);
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.registers.state(0).counter[0], 1u);
    b.tick();
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.registers.state(0).counter[0], 2u);
}

TEST(pmu_checkpoint, time_stamp) {
    bench a(unaudited()), b(unaudited());
    a.tick(100);
    a.registers.write(0, msr::tsc, 5000);
    a.tick(10);
    move_on(a, b);
    EXPECT_EQ(b.registers.tsc(b.counters.settled()), 5010u);
}

}  // namespace pmu_test

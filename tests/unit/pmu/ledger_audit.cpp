// What the PMU relies on, and a source of events must not do: the audit says so.
#include <gtest/gtest.h>

#include <knc/pmu/ledger_audit.h>

#include "fixture.h"

namespace {

using namespace pmu_test;

struct audited : bench {
    audited() : bench(with_audit()) {}
    static pmu::parameters with_audit() {
        pmu::parameters p;
        p.audit = true;
        return p;
    }
    // The only error so far, or none.
    std::string error() const { return record.errors.empty() ? "" : record.errors.back(); }
};

TEST(ledger_audit, is_content_with_counts_within_their_bounds) {
    audited b;
    b.ledger.raise(1, base::data_read, 128);
    b.ledger.raise(1, base::instructions_executed, 2);
    b.ledger.raise_core(base::cpu_clk_unhalted);
    b.tick();
    // Ten clocks at once.
    b.ledger.raise(1, base::instructions_executed, 20);
    b.ledger.raise_core(base::cpu_clk_unhalted, 10);
    b.tick(10);
    EXPECT_EQ(b.error(), "");
}

TEST(ledger_audit, finds_a_count_that_is_taken_back) {
    audited b;
    b.ledger.raise(2, base::data_read, 3);
    b.tick();
    b.ledger.counts[2][base::supervisor][base::data_read] -= 1;
    b.tick();
    EXPECT_EQ(b.error(), "DATA_READ of thread 2 falls from 3 to 2");
    EXPECT_EQ(b.record.errors.size(), 1u);
}

// The count of one privilege falls, that of the other rises: the sum hides it.
TEST(ledger_audit, looks_at_each_privilege) {
    audited b;
    b.ledger.raise(0, base::data_write, 5);
    b.tick();
    b.ledger.counts[0][base::supervisor][base::data_write] -= 1;
    b.ledger.counts[0][base::user][base::data_write] += 1;
    b.tick();
    EXPECT_EQ(b.error(), "DATA_WRITE of thread 0 falls from 5 to 4");
}

TEST(ledger_audit, finds_more_events_than_a_clock_may_have) {
    audited b;
    b.ledger.raise(3, base::instructions_executed, 3);
    b.tick();
    EXPECT_EQ(b.error(),
              "INSTRUCTIONS_EXECUTED of thread 3 rises by 3 in 1 clocks; its bound is 2 a clock");
    b.ledger.raise(3, base::instructions_executed, 21);
    b.tick(10);
    EXPECT_EQ(b.error(),
              "INSTRUCTIONS_EXECUTED of thread 3 rises by 21 in 10 clocks; its bound is 2 a clock");
}

// Bounds that depend on the machine are given with the machine.
TEST(ledger_audit, takes_the_bounds_it_is_given) {
    base::ledger ledger;
    base::event_bounds bounds = pmu::bounds_of_table();
    bounds[base::hwp_l2miss] = 1000;
    pmu::ledger_audit audit(ledger, bounds);
    ledger.raise_core(base::hwp_l2miss, 1000);
    EXPECT_EQ(audit.check(1), "");
    ledger.raise_core(base::hwp_l2miss, 1001);
    EXPECT_EQ(audit.check(1),
              "HWP_L2MISS of thread 3 rises by 1001 in 1 clocks; its bound is 1000 a clock");
}

// Without it, an event that falls would be an overflow: why nothing may be taken back.
TEST(ledger_audit, what_it_protects_from) {
    bench b(unaudited());
    b.arm(data_read | os | intr, 100);
    b.ledger.raise(0, base::data_read, 3);
    b.tick();
    b.ledger.counts[0][base::supervisor][base::data_read] -= 1;
    b.tick();
    EXPECT_EQ(b.record.seen, (pmis{{0, 2}}));
}

}  // namespace

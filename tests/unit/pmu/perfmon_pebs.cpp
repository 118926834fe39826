// Which instructions have a PEBS record, and what a record does to counters, status and PMI.
#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>
#include <knc/pmu/pebs.h>

#include "perfmon_fixture.h"

namespace pmu_test {
namespace {

namespace m = perfmon_msr;

struct pebs_bench : perfmon_bench {
    explicit pebs_bench(const pmu::parameters& p = perfmon_parameters()) : perfmon_bench(p) {}
    pmu::pebs_if& pebs = *registers.pebs();

    // An instruction retires in this cycle, and causes `e` also; nothing else happens in the cycle.
    bool instruction(base::event e = base::event_count, std::size_t thread = 0) {
        ledger.raise(thread, base::instructions_executed);
        if (e != base::event_count) ledger.raise(thread, e);
        const bool due = pebs.retired(thread, counters.settled());
        tick();
        return due;
    }
    // The record that is due is written; the counters start from `value`.
    pmu::pebs_request write_record(bool full = false, std::uint64_t value = 0,
                                   std::size_t thread = 0) {
        const pmu::pebs_request r = pebs.due(thread);
        std::array<std::uint64_t, 7> reset;
        reset.fill(value);
        pebs.recorded(thread, reset,
                      full ? pmu::pebs_outcome::threshold_reached : pmu::pebs_outcome::written);
        return r;
    }
};

TEST(perfmon_pebs, records_the_instruction_that_overflows) {
    pebs_bench b;
    b.write(m::ds_area, 0x1234);
    b.write(m::pebs_enable, general(1));
    b.arm(retired | os | intr, top48 - 2, 1);
    EXPECT_FALSE(b.instruction());
    EXPECT_FALSE(b.instruction());
    EXPECT_TRUE(b.instruction());
    // No status bit, no PMI in spite of INT.
    EXPECT_EQ(b.read(m::status), 0u);
    EXPECT_TRUE(b.record.seen.empty());
    const pmu::pebs_request r = b.write_record(false, top48 - 1);
    EXPECT_EQ(r.counters, general(1));
    EXPECT_EQ(r.area, 0x1234u);
    EXPECT_FALSE(r.adaptive);
    EXPECT_EQ(b.read(m::pmc + 1), top48 - 1);
    EXPECT_FALSE(b.instruction());
    EXPECT_TRUE(b.instruction());
}

TEST(perfmon_pebs, the_overflow_is_known_before_the_cycle_ends) {
    pebs_bench b;
    b.write(m::pebs_enable, fixed(0));
    b.arm_fixed(0, 1, top48);
    // Two instructions of one cycle: the first one overflows, the second one is not recorded.
    b.ledger.raise(0, base::instructions_executed);
    EXPECT_TRUE(b.pebs.retired(0, b.counters.settled()));
    EXPECT_EQ(b.pebs.due(0).counters, fixed(0));
    b.tick();
    b.write_record();
    EXPECT_FALSE(b.instruction());
    EXPECT_EQ(b.read(m::fixed), 1u);
}

TEST(perfmon_pebs, an_instruction_without_the_event_is_not_recorded) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0));
    b.arm(0x20D1 | os, top48);
    for (int n = 0; n < 10; ++n) EXPECT_FALSE(b.instruction(base::loads_l3_hit));
    EXPECT_TRUE(b.instruction(base::loads_l3_miss));
}

TEST(perfmon_pebs, next_records_the_next_one_with_the_event) {
    pmu::parameters p = perfmon_parameters();
    p.perfmon.pebs_arm = pmu::pebs_arm::next;
    pebs_bench b(p);
    b.write(m::pebs_enable, general(0));
    b.arm(branch | os, top48);
    EXPECT_FALSE(b.instruction(base::branches));
    EXPECT_FALSE(b.instruction());
    EXPECT_TRUE(b.instruction(base::branches));
    b.write_record(false, top48);
    EXPECT_FALSE(b.instruction());
    EXPECT_FALSE(b.instruction(base::branches));
    EXPECT_TRUE(b.instruction(base::branches));
}

// A WRMSR that causes the event is recorded, whatever it writes; the value that it writes is no
// event.
TEST(perfmon_pebs, next_may_be_a_wrmsr) {
    struct counts_itself final : pmu::acceptance {
        pebs_bench& b;
        explicit counts_itself(pebs_bench& x) : b(x) {}
        void accepted() override { b.raise(0, base::instructions_executed); }
    };
    pmu::parameters p = perfmon_parameters();
    p.perfmon.pebs_arm = pmu::pebs_arm::next;
    for (const std::uint32_t msr : {m::ctrl, m::a_pmc, m::pebs_config}) {
        pebs_bench b(p);
        b.write(m::pebs_enable, general(0));
        b.arm(retired | os, top48);
        EXPECT_FALSE(b.instruction());
        counts_itself c(b);
        const base::cycle_t last = b.counters.settled();
        EXPECT_TRUE(b.registers.write(0, msr, 0, c));
        EXPECT_TRUE(b.pebs.retired(0, last)) << std::hex << msr;
    }
    pebs_bench b(p);
    b.write(m::pebs_enable, general(0));
    b.arm(branch | os, top48);
    EXPECT_FALSE(b.instruction(base::branches));
    b.write(m::a_pmc, 77);
    EXPECT_FALSE(b.instruction());
    EXPECT_TRUE(b.instruction(base::branches));
}

// Cycles have no instruction; with a condition on cycles or on other threads, no event has.
TEST(perfmon_pebs, otherwise_the_first_to_retire_after_the_cycle) {
    const std::uint64_t cmask1 = 1u << 24;
    struct row {
        std::uint64_t select;
        base::event cause;
    };
    const row rows[] = {{core_cycles, base::unhalted_core_cycles},
                        {reference, base::unhalted_reference_cycles},
                        {llc_miss, base::llc_misses},
                        {branch | cmask1, base::branches},
                        {branch | edge, base::branches},
                        {branch | any, base::branches}};
    for (const auto arm : {pmu::pebs_arm::same, pmu::pebs_arm::next}) {
        for (const row& r : rows) {
            pmu::parameters p = perfmon_parameters();
            p.perfmon.pebs_arm = arm;
            pebs_bench b(p);
            b.write(m::pebs_enable, general(0));
            b.arm(r.select | os, top48);
            // The instruction of that cycle is not recorded, cycles without one change nothing.
            EXPECT_FALSE(b.instruction(r.cause)) << std::hex << r.select;
            b.tick(5);
            EXPECT_LE(b.pebs.watch_from(0), b.counters.settled());
            EXPECT_TRUE(b.instruction()) << std::hex << r.select;
            EXPECT_EQ(b.write_record().counters, general(0));
            EXPECT_FALSE(b.instruction());
        }
    }
}

// An instruction that retires in the cycle of the overflow is not after it, also if the PMU has
// been settled before.
TEST(perfmon_pebs, not_the_instruction_of_the_same_cycle) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0));
    b.arm(core_cycles | os, top48);
    const base::cycle_t last = b.counters.settled();
    b.raise(0, base::unhalted_core_cycles);
    EXPECT_FALSE(b.pebs.retired(0, last));
    EXPECT_TRUE(b.pebs.retired(0, last + 1));
}

// An instruction that acts in its last cycle is settled before it retires.
TEST(perfmon_pebs, settled_before_it_retires) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0));
    b.arm(retired | os, top48);
    const base::cycle_t last = b.counters.settled();
    b.raise(0, base::instructions_executed);
    EXPECT_TRUE(b.pebs.retired(0, last));
}

TEST(perfmon_pebs, several_counters_make_one_record) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0) | general(2) | fixed(0));
    b.write(m::pebs_config, 0x0300'000F);
    b.arm(retired | os, top48);
    b.arm(branch | os | std::uint64_t{1} << 34, top48, 2);
    b.arm_fixed(0, 1, top48 - 1);
    EXPECT_TRUE(b.instruction(base::branches));
    pmu::pebs_request r = b.write_record();
    EXPECT_EQ(r.counters, general(0) | general(2));
    EXPECT_TRUE(r.adaptive);  // one of them is
    EXPECT_EQ(r.config, 0x0300'000Fu);
    EXPECT_TRUE(b.instruction());
    r = b.write_record();
    EXPECT_EQ(r.counters, fixed(0));
    EXPECT_FALSE(r.adaptive);
    EXPECT_EQ(r.config, 0u);
}

TEST(perfmon_pebs, adaptive_bits) {
    for (unsigned n = 0; n < 7; ++n) {
        for (unsigned asks = 0; asks < 7; ++asks) {
            pebs_bench b;
            const std::uint64_t bit = n < 4 ? general(n) : fixed(n - 4);
            b.write(m::pebs_enable, bit);
            b.write(m::pebs_config, 1);
            if (n < 4)
                b.arm(core_cycles | os, top48, n);
            else
                b.arm_fixed(n - 4, 1, top48);
            if (asks < 4)
                b.write(m::evtsel + asks, b.read(m::evtsel + asks) | std::uint64_t{1} << 34);
            else
                b.write(m::fixed_ctrl,
                        b.read(m::fixed_ctrl) | std::uint64_t{1} << (32 + 4 * (asks - 4)));
            b.ledger.raise(0, base::unhalted_core_cycles);
            b.ledger.raise(0, base::instructions_executed);
            b.tick();
            ASSERT_TRUE(b.instruction());
            EXPECT_EQ(b.pebs.due(0).adaptive, n == asks) << n << ' ' << asks;
            EXPECT_EQ(b.pebs.due(0).counters, bit);
        }
    }
}

TEST(perfmon_pebs, the_threshold_sends_one_pmi) {
    for (const auto mode : {pmu::perfmon_pmi::pulse, pmu::perfmon_pmi::line}) {
        pmu::parameters p = perfmon_parameters();
        p.perfmon.pmi = mode;
        pebs_bench b(p);
        b.write(m::pebs_enable, general(3));
        b.arm(retired | os, top48, 3);  // without INT
        ASSERT_TRUE(b.instruction());
        b.write_record(true, top48);
        EXPECT_EQ(b.read(m::status), std::uint64_t{1} << 62);
        EXPECT_EQ(b.record.seen.size(), 1u);
        ASSERT_TRUE(b.instruction());
        b.write_record(true, top48);
        EXPECT_EQ(b.record.seen.size(), 1u);
        b.write(m::ovf, std::uint64_t{1} << 62);
        EXPECT_EQ(b.read(m::status), 0u);
        ASSERT_TRUE(b.instruction());
        b.write_record(true, top48);
        EXPECT_EQ(b.record.seen.size(), 2u);
    }
}

TEST(perfmon_pebs, the_threshold_freezes) {
    pebs_bench b;
    b.write(m::debugctl, 1u << 12);
    b.write(m::pebs_enable, general(0));
    b.arm(retired | os, top48);
    ASSERT_TRUE(b.instruction());
    b.write_record(true, 5);
    EXPECT_EQ(b.read(m::ctrl), 0u);
    EXPECT_FALSE(b.instruction());
    EXPECT_EQ(b.read(m::pmc), 5u);
}

TEST(perfmon_pebs, enable_is_asked_at_the_overflow_and_at_the_record) {
    pebs_bench b;
    // Cleared before: an ordinary overflow.
    b.write(m::pebs_enable, general(0));
    b.arm(core_cycles | os | intr, top48 - 1);
    b.write(m::pebs_enable, 0);
    b.raise(0, base::unhalted_core_cycles, 1);
    b.raise(0, base::unhalted_core_cycles, 1);
    EXPECT_EQ(b.read(m::status), general(0));
    EXPECT_EQ(b.record.seen.size(), 1u);
    EXPECT_FALSE(b.instruction());
    // Cleared while armed: none.
    b.write(m::ovf, general(0));
    b.write(m::pebs_enable, general(0));
    b.arm(core_cycles | os, top48);
    b.raise(0, base::unhalted_core_cycles);
    b.write(m::pebs_enable, 0);
    b.write(m::pebs_enable, general(0));
    EXPECT_FALSE(b.instruction());
    EXPECT_EQ(b.read(m::status), 0u);
}

TEST(perfmon_pebs, held_until_released) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0) | general(1));
    b.arm(retired | os, top48);
    b.arm(branch | os, top48, 1);
    ASSERT_TRUE(b.instruction());
    b.pebs.hold(0);
    EXPECT_EQ(b.pebs.watch_from(0), base::never);
    EXPECT_FALSE(b.instruction());
    EXPECT_FALSE(b.instruction(base::branches));  // arms the other counter meanwhile
    b.pebs.release(0);
    EXPECT_LE(b.pebs.watch_from(0), b.counters.settled());
    EXPECT_TRUE(b.instruction());
    EXPECT_EQ(b.pebs.due(0).counters, general(0) | general(1));
}

// A handler that does not return gives the record up.
TEST(perfmon_pebs, clearing_the_enable_bit_ends_holding) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0));
    b.arm(retired | os, top48);
    ASSERT_TRUE(b.instruction());
    b.pebs.hold(0);
    b.write(m::pebs_enable, 0);
    b.write(m::pebs_enable, general(0));
    EXPECT_FALSE(b.instruction());
    b.write(m::a_pmc, top48);
    EXPECT_TRUE(b.instruction());
}

TEST(perfmon_pebs, threads_have_their_own) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0), 2);
    b.arm(retired | os, top48, 0, 2);
    b.arm(retired | os, top48, 0, 1);
    EXPECT_FALSE(b.instruction(base::event_count, 1));
    EXPECT_EQ(b.read(m::status, 1), general(0));
    EXPECT_EQ(b.pebs.watch_from(1), base::never);
    EXPECT_TRUE(b.instruction(base::event_count, 2));
    EXPECT_EQ(b.read(m::status, 2), 0u);
}

// Nobody has to look before the counter can overflow: two instructions a cycle at most.
TEST(perfmon_pebs, watches_from_the_first_cycle_that_can_overflow) {
    pebs_bench b;
    EXPECT_EQ(b.pebs.watch_from(0), base::never);
    b.write(m::pebs_enable, general(0));
    EXPECT_EQ(b.pebs.watch_from(0), base::never);  // it does not count
    b.arm(retired | os, top48 - 99);
    const base::cycle_t now = b.counters.settled();
    EXPECT_EQ(b.pebs.watch_from(0), now + 49);
    b.write(m::a_pmc, top48 - 1);
    EXPECT_EQ(b.pebs.watch_from(0), now);
}

TEST(perfmon_pebs, branch_stepping) {
    pebs_bench b;
    EXPECT_FALSE(b.pebs.steps_branches(0));
    b.write(m::debugctl, 0x1002);
    EXPECT_TRUE(b.pebs.steps_branches(0));
    EXPECT_FALSE(b.pebs.steps_branches(1));
    b.pebs.stepped(0);
    EXPECT_EQ(b.read(m::debugctl), 0x1000u);
}

TEST(perfmon_pebs, reset_ends_it) {
    pebs_bench b;
    b.write(m::pebs_enable, general(0));
    b.arm(core_cycles | os, top48);
    b.raise(0, base::unhalted_core_cycles);
    b.registers.reset();
    EXPECT_EQ(b.pebs.watch_from(0), base::never);
    EXPECT_FALSE(b.instruction());
}

TEST(perfmon_pebs, checkpoint) {
    pebs_bench before;
    before.write(m::pebs_enable, general(0));
    before.write(m::pebs_config, 3);
    before.write(m::ds_area, 0x5000);
    before.arm(core_cycles | os | std::uint64_t{1} << 34, top48);
    before.raise(0, base::unhalted_core_cycles);
    base::memory_writer w;
    w(before.ledger.counts, before.ledger.at, before.registers);
    before.counters.serialize(w);
    pebs_bench after;
    base::memory_reader r(w.content());
    r(after.ledger.counts, after.ledger.at, after.registers);
    after.counters.serialize(r);
    EXPECT_TRUE(after.pebs.retired(0, after.counters.settled()));
    EXPECT_EQ(after.pebs.due(0).area, 0x5000u);
    EXPECT_EQ(after.pebs.due(0).config, 3u);
}

}  // namespace
}  // namespace pmu_test

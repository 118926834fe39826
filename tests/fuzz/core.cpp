// Random code on the threads of a core, twice: once in long stretches, once in short ones of
// random length. Nothing ends the program, and both must come to the same.
#include <iostream>
#include <memory>

#include <gtest/gtest.h>

#include "core_case.h"

namespace knc::card::test {
namespace {

using isa::test::source;

constexpr base::cycle_t clocks_of_case = 40'000;

// Relations of the events of a Pentium that hold of any program (docs/p55c.md).
void check_pentium(const base::ledger& l) {
    const auto total = [&l](base::event e) { return l.total(0, e); };
    const auto at_most = [&](base::event part, base::event whole) {
        EXPECT_LE(total(part), total(whole)) << part << ' ' << whole;
    };
    at_most(base::vpu_data_read, base::data_read);
    at_most(base::vpu_data_read_miss, base::data_read_miss);
    at_most(base::vpu_data_write, base::data_write);
    at_most(base::p55c_mmx_write_misses, base::p55c_data_write_misses);
    at_most(base::p55c_mmx_misaligned, base::p55c_misaligned);
    at_most(base::p55c_mmx_read_wait, base::p55c_read_wait);
    at_most(base::p55c_mmx_full_wait, base::p55c_full_wait);
    at_most(base::p55c_mmx_order_wait, base::p55c_order_wait);
    at_most(base::p55c_btb_hits, base::p55c_taken_or_hit);
    at_most(base::p55c_taken_or_hit, base::p55c_branches);
    at_most(base::p55c_taken, base::p55c_branches);
    at_most(base::p55c_wrong_in_wb, base::p55c_wrong_branches);
    at_most(base::p55c_saturated, base::p55c_saturating);
    at_most(base::p55c_mmx_v, base::instructions_executed_v_pipe);
    at_most(base::unhalted_core_cycles, base::cpu_clk_unhalted);
    // Others than these are returns that fault.
    EXPECT_LE(total(base::p55c_returns_predicted), total(base::p55c_returns));
    EXPECT_EQ(total(base::data_read_miss_or_write_miss),
              total(base::data_read_miss) + total(base::p55c_data_write_misses));
}

void check_ledger(const core_case& c) {
    const base::ledger& l = c.unit.cpu().counts();
    const base::cycle_t now = c.unit.cpu().now();
    if (c.is_pentium()) check_pentium(l);
    for (std::size_t t = 0; t < c.threads(); ++t) {
        const auto total = [&](base::event e) { return l.total(t, e); };
        EXPECT_EQ(total(base::instructions_executed), c.unit.cpu().instructions(t));
        EXPECT_EQ(total(base::data_read_or_write),
                  total(base::data_read) + total(base::data_write));
        EXPECT_LE(total(base::branches), total(base::instructions_executed));
        EXPECT_LE(total(base::cpu_clk_unhalted), now);
        // A thread issues in every second clock, a Pentium in each; two instructions at most.
        EXPECT_LE(total(base::instructions_executed), (now + 1) * (c.is_pentium() ? 2 : 1));
        const isa::state& s = c.unit.cpu().state(t);
        EXPECT_EQ(s.r[isa::no_register], 0u);
        const std::uint64_t ip = s.r[isa::rip];
        const auto sign = static_cast<std::int64_t>(ip) >> 47;
        if (s.long_mode()) {
            EXPECT_TRUE(sign == 0 || sign == -1) << std::hex << ip;
        } else {
            EXPECT_EQ(ip >> 32, 0u);
        }
    }
}

void check_equal(core_case& a, core_case& b) {
    for (std::size_t t = 0; t < a.threads(); ++t) {
        const isa::state &x = a.unit.cpu().state(t), &y = b.unit.cpu().state(t);
        EXPECT_EQ(x.r, y.r) << "thread " << t;
        EXPECT_EQ(x.rflags(), y.rflags()) << "thread " << t;
        EXPECT_EQ(x.cr0, y.cr0) << "thread " << t;
        for (std::size_t n = 0; n < x.vector.zmm.size(); ++n)
            EXPECT_EQ(x.vector.zmm[n].bytes, y.vector.zmm[n].bytes) << "thread " << t;
        EXPECT_EQ(x.vector.k, y.vector.k) << "thread " << t;
        EXPECT_EQ(x.mxcsr, y.mxcsr) << "thread " << t;
        for (std::size_t n = 0; n < x.x87.physical.size(); ++n)
            EXPECT_EQ(x.x87.physical[n].significand, y.x87.physical[n].significand)
                << "thread " << t;
        EXPECT_EQ(x.x87.used, y.x87.used) << "thread " << t;
        EXPECT_EQ(x.x87.status, y.x87.status) << "thread " << t;
        EXPECT_EQ(a.unit.cpu().running(t), b.unit.cpu().running(t)) << "thread " << t;
        EXPECT_EQ(a.unit.cpu().counts().counts[t], b.unit.cpu().counts().counts[t])
            << "thread " << t;
        EXPECT_EQ(a.unit.pmu().state(t).counter, b.unit.pmu().state(t).counter) << "thread " << t;
    }
    EXPECT_EQ(std::memcmp(a.memory.data(), b.memory.data(), rig::memory_size), 0);
    EXPECT_EQ(a.remarks, b.remarks);
    EXPECT_EQ(a.stops, b.stops);
    EXPECT_EQ(a.accesses, b.accesses);
}

void fuzz(const parameters& setting) {
    const auto [first, count] = isa::test::seeds_of(150);
    // A SystemC kernel takes modules only before it starts.
    std::vector<std::unique_ptr<core_case>> cases;
    for (std::uint64_t n = 0; n < 2 * count; ++n)
        cases.push_back(std::make_unique<core_case>(("case" + std::to_string(n)).c_str(), setting));
    for (auto& c : cases) c->elaborate();
    std::uint64_t instructions = 0, vector_instructions = 0, accesses = 0, overflows = 0;
    for (std::uint64_t n = 0; n < count && !testing::Test::HasFailure(); ++n) {
        SCOPED_TRACE("KNC_SEED=" + std::to_string(first + n) + " KNC_CASES=1");
        std::unique_ptr<core_case> a = std::move(cases[2 * n]), b = std::move(cases[2 * n + 1]);
        a->prepare(first + n);
        b->prepare(first + n);
        source s(first + n);
        a->pass(clocks_of_case, [] { return base::cycle_t{1000}; });
        b->pass(clocks_of_case, [&] { return base::cycle_t{1} + s.below(s.chance(50) ? 4 : 300); });
        check_ledger(*a);
        check_equal(*a, *b);
        instructions += a->unit.cpu().instructions();
        for (std::size_t t = 0; t < a->threads(); ++t) {
            for (const base::event e :
                 {base::vpu_instructions_executed, base::p55c_mmx_u, base::p55c_mmx_v})
                vector_instructions += a->unit.cpu().counts().total(t, e);
            for (const std::uint64_t o : a->unit.pmu().state(t).overflows) overflows += o;
        }
        accesses += a->accesses;
    }
    std::cout << instructions << " instructions, " << vector_instructions
              << " of the vector unit or MMX, " << accesses << " device accesses, " << overflows
              << " overflows\n";
    // The machines did not just stop.
    if (count >= 10) {
        EXPECT_GT(instructions, 500 * count);
        EXPECT_GT(vector_instructions, count);
        EXPECT_GT(accesses, 0u);
        if (setting.pmu.front_end != pmu::front_end_kind::knc) {
            EXPECT_GT(overflows, count / 2);
        }
    }
}

parameters of(isa::profile p, pmu::front_end_kind k = pmu::front_end_kind::knc) {
    parameters setting;
    setting.profile = p;
    setting.pmu.front_end = k;
    return setting;
}

TEST(core, profile_knc) {
    fuzz(of(isa::profile::knc));
}
TEST(core, profile_compat) {
    fuzz(of(isa::profile::compat));
}
TEST(core, perfmon) {
    fuzz(of(isa::profile::compat, pmu::front_end_kind::perfmon));
}
// With its caches on their bus, and with ideal memory; all PM pins lead to an interrupt.
parameters pentium(bool caches) {
    parameters p = of(isa::profile::p55c, pmu::front_end_kind::p55c);
    p.caches = caches;
    p.tiles = 1;
    p.core.threads = 1;
    p.core.issue_interval = 1;
    p.cache.l1d = p.cache.l1i = {16384, 4, cache::replacement::tree_plru};
    p.pmu.p55c.pm_to = pmu::pm_target::intr;
    return p;
}
TEST(core, p55c) {
    fuzz(pentium(true));
}
TEST(core, p55c_with_ideal_memory) {
    fuzz(pentium(false));
}

}  // namespace
}  // namespace knc::card::test

// Random code on the four threads of a core, twice: once in long stretches, once in short ones of
// random length. Nothing ends the program, and both must come to the same.
#include <iostream>
#include <memory>

#include <gtest/gtest.h>

#include "core_case.h"

namespace knc::card::test {
namespace {

using isa::test::source;

constexpr base::cycle_t clocks_of_case = 40'000;

void check_ledger(const core_case& c) {
    const base::ledger& l = c.unit.cpu().counts();
    const base::cycle_t now = c.unit.cpu().now();
    for (std::size_t t = 0; t < tile::threads; ++t) {
        const auto total = [&](base::event e) { return l.total(t, e); };
        EXPECT_EQ(total(base::instructions_executed), c.unit.cpu().instructions(t));
        EXPECT_EQ(total(base::data_read_or_write),
                  total(base::data_read) + total(base::data_write));
        EXPECT_LE(total(base::branches), total(base::instructions_executed));
        EXPECT_LE(total(base::cpu_clk_unhalted), now);
        // A thread issues in every second clock, two instructions at most.
        EXPECT_LE(total(base::instructions_executed), now + 1);
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
    for (std::size_t t = 0; t < tile::threads; ++t) {
        const isa::state &x = a.unit.cpu().state(t), &y = b.unit.cpu().state(t);
        EXPECT_EQ(x.r, y.r) << "thread " << t;
        EXPECT_EQ(x.rflags(), y.rflags()) << "thread " << t;
        EXPECT_EQ(x.cr0, y.cr0) << "thread " << t;
        for (std::size_t n = 0; n < x.vector.zmm.size(); ++n)
            EXPECT_EQ(x.vector.zmm[n].bytes, y.vector.zmm[n].bytes) << "thread " << t;
        EXPECT_EQ(x.vector.k, y.vector.k) << "thread " << t;
        EXPECT_EQ(x.mxcsr, y.mxcsr) << "thread " << t;
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

void fuzz(isa::profile p) {
    parameters setting;
    setting.profile = p;
    const auto [first, count] = isa::test::seeds_of(150);
    // A SystemC kernel takes modules only before it starts.
    std::vector<std::unique_ptr<core_case>> cases;
    for (std::uint64_t n = 0; n < 2 * count; ++n)
        cases.push_back(std::make_unique<core_case>(("case" + std::to_string(n)).c_str(), setting));
    for (auto& c : cases) c->elaborate();
    std::uint64_t instructions = 0, vector_instructions = 0, accesses = 0;
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
        for (std::size_t t = 0; t < tile::threads; ++t)
            vector_instructions += a->unit.cpu().counts().total(t, base::vpu_instructions_executed);
        accesses += a->accesses;
    }
    std::cout << instructions << " instructions, " << vector_instructions << " of the vector unit, "
              << accesses << " device accesses\n";
    // The machines did not just stop.
    if (count >= 10) {
        EXPECT_GT(instructions, 1000 * count);
        EXPECT_GT(vector_instructions, count);
        EXPECT_GT(accesses, 0u);
    }
}

TEST(core, profile_knc) {
    fuzz(isa::profile::knc);
}
TEST(core, profile_compat) {
    fuzz(isa::profile::compat);
}

}  // namespace
}  // namespace knc::card::test

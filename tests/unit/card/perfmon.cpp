// A tile whose PMU has the registers of architectural performance monitoring.
#include "rig.h"

namespace knc::card::test {
namespace {

parameters with_perfmon() {
    parameters p;
    p.profile = isa::profile::compat;
    p.pmu.front_end = pmu::front_end_kind::perfmon;
    return p;
}

constexpr std::uint32_t pmc = 0xC1, evtsel = 0x186, fixed = 0x309, fixed_ctrl = 0x38D, ctrl = 0x38F;
constexpr std::uint64_t os_en = 0x42'0000;

// Ten LOOPs, of which nine are taken.
KNC_PROGRAM(ten_rounds, "movl $10, %ecx\n1: loop 1b\nhlt");

TEST(perfmon_tile, counts_from_the_causes) {
    rig r(with_perfmon());
    r.start(0, 0x1000, ten_rounds);
    auto& p = r.unit.pmu();
    const std::uint64_t events[] = {0x00C4, 0x00C5, 0x003C, 0x013C};
    for (std::uint32_t n = 0; n < 4; ++n) ASSERT_TRUE(p.write(0, evtsel + n, os_en | events[n]));
    ASSERT_TRUE(p.write(0, fixed_ctrl, 0x111));
    ASSERT_TRUE(p.write(0, ctrl, 0x7'0000'000F));
    r.run(1000);
    const pmu::thread_state s = p.state(0);
    EXPECT_EQ(s.counter[0], 10u);
    // The first LOOP has no entry in the BTB and is taken, the last one is predicted to be taken.
    EXPECT_EQ(s.counter[1], 2u);
    EXPECT_EQ(r.count(0, base::branches_mispredicted), 1u);
    EXPECT_EQ(s.counter[4], 12u);  // MOV, ten LOOP, HLT
    // All clocks until the thread halts, and not the 1000.
    EXPECT_EQ(s.counter[2], r.count(0, base::unhalted_core_cycles));
    EXPECT_EQ(s.counter[2], r.count(0, base::cpu_clk_unhalted));
    EXPECT_LT(s.counter[2], 500u);
    EXPECT_EQ(s.counter[3], s.counter[2]);
    EXPECT_EQ(s.counter[5], s.counter[2]);
    EXPECT_EQ(s.counter[6], s.counter[2]);
    EXPECT_EQ(r.count(1, base::unhalted_core_cycles), 0u);
}

TEST(perfmon_tile, reference_clock) {
    parameters p = with_perfmon();
    p.pmu.perfmon.ref_divider = 8;
    rig r(p);
    r.start(0, 0x1000, ten_rounds);
    r.run(1000);
    const std::uint64_t clocks = r.count(0, base::unhalted_core_cycles);
    const std::uint64_t ticks = r.count(0, base::unhalted_reference_cycles);
    EXPECT_GE(8 * ticks + 7, clocks);
    EXPECT_LE(8 * ticks, clocks + 7);
}

TEST(perfmon_tile, signature) {
    EXPECT_EQ(signature({}), 0xb12u);
    parameters p = with_perfmon();
    EXPECT_EQ(signature(p), 0xf'06e2u);  // model FEH, family 6, stepping 2
    p.pmu.perfmon.model = 0x5a;
    p.stepping = 1;
    EXPECT_EQ(signature(p), 0x5'06a1u);
}

// A card of Knights Corner spends nothing on the cycles of threads.
TEST(perfmon_tile, knights_corner_has_neither_registers_nor_cells) {
    rig r;
    r.start(0, 0x1000, ten_rounds);
    EXPECT_FALSE(r.unit.pmu().write(0, ctrl, 1));
    EXPECT_FALSE(r.unit.pmu().write(0, pmc, 0));
    EXPECT_FALSE(r.unit.pmu().write(0, fixed, 0));
    r.run(1000);
    EXPECT_EQ(r.count(0, base::unhalted_core_cycles), 0u);
    EXPECT_GT(r.count(0, base::cpu_clk_unhalted), 0u);
}

}  // namespace
}  // namespace knc::card::test

// A core of a Pentium with MMX: one thread, the events that it causes, pins, quanta.
#include "rig.h"

namespace knc::card::test {
namespace {

parameters pentium(pmu::pm_target to = pmu::pm_target::none) {
    parameters p;
    p.caches = false;
    p.tiles = 1;
    p.profile = isa::profile::p55c;
    p.core.threads = 1;
    p.core.issue_interval = 1;
    p.pmu.front_end = pmu::front_end_kind::p55c;
    p.pmu.p55c.pm_to = to;
    return p;
}

constexpr std::uint32_t cesr = 0x11, ctr = 0x12;
constexpr std::uint64_t instructions = 0x16, any_level = 3 << 6, overflow_pin = 1 << 9;

KNC_PROGRAM(no_operations, "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nhlt");

// One thread issues in each clock: four pairs and HLT take five.
TEST(p55c_tile, issues_in_each_clock) {
    rig r(pentium());
    EXPECT_EQ(r.unit.thread_count(), 1u);
    r.start(0, 0x1000, no_operations);
    r.run(200);
    EXPECT_EQ(r.count(0, base::instructions_executed), 9u);
    EXPECT_EQ(r.count(0, base::instructions_executed_v_pipe), 4u);
    // The first fetch takes a clock of its own, if at all: without caches none.
    EXPECT_EQ(r.count(0, base::unhalted_core_cycles), 5u);
    for (std::size_t t = 1; t < tile::threads; ++t)
        EXPECT_EQ(r.unit.cpu().running(t), core::run_state::wait_for_sipi);
}

TEST(p55c_tile, shows_one_thread) {
    rig r(pentium());
    r.elaborate();
    base::signal_list list;
    r.unit.list_signals("tile0", list);
    bool pins = false;
    for (const base::signal& s : list) {
        EXPECT_EQ(s.name.find(".t1."), std::string::npos) << s.name;
        pins = pins || s.name == "tile0.pmu.t0.pm1";
    }
    EXPECT_TRUE(pins);
}

TEST(p55c_tile, has_no_vector_of_performance_interrupts) {
    rig r(pentium());
    r.elaborate();
    std::uint32_t v = 1;
    EXPECT_FALSE(r.unit.apic(0).read(0x340, v, 0));
    EXPECT_EQ(v, 0u);
    EXPECT_FALSE(r.unit.apic(0).write(0x340, 0x400, 0));
}

TEST(p55c_tile, impossible_cards) {
    parameters p = pentium();
    EXPECT_EQ(impossible(p), "");
    p.core.threads = 2;
    EXPECT_NE(impossible(p), "");
    p = pentium();
    p.tiles = 2;
    EXPECT_NE(impossible(p), "");
    p = pentium();
    p.profile = isa::profile::compat;
    EXPECT_NE(impossible(p), "");
    // The I/O APIC has inputs 0 to 25; 8 is the UART's, if there is one.
    EXPECT_EQ(impossible(pentium(pmu::to_io_apic(25))), "");
    EXPECT_NE(impossible(pentium(pmu::to_io_apic(26))), "");
    p = pentium(pmu::to_io_apic(8));
    EXPECT_NE(impossible(p), "");
    p.testdev_enable = false;
    EXPECT_EQ(impossible(p), "");
}

KNC_PROGRAM(six_nops, "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n1: jmp 1b");
// The handler of the NMI, at 0x3000, halts for good.
KNC_PROGRAM(halts, "hlt");

// An overflow in clock c raises the pin in the first bus clock after c + 5; NMI is taken there,
// however far the core runs at a time.
TEST(p55c_pins, nmi_in_every_quantum) {
    rig one("one", pentium(pmu::pm_target::nmi)), many("many", pentium(pmu::pm_target::nmi));
    base::cycle_t taken[2] = {};
    for (const base::cycle_t quantum : {1u, 1000u}) {
        rig& r = quantum == 1 ? one : many;
        // IDT at 0x4000: gate 2 to 0x3000, code segment 8 of a flat GDT at 0x5000.
        const auto put = [&](std::uint32_t at, std::uint64_t v) {
            std::memcpy(r.memory.data() + at, &v, sizeof v);
        };
        put(0x4010, 0x0000'8e00'0008'3000);
        put(0x5008, 0x00cf'9b00'0000'ffff);
        put(0x5010, 0x00cf'9300'0000'ffff);
        r.load(0x3000, halts);
        r.start(0, 0x1000, six_nops);
        isa::state& s = r.unit.cpu().context(0).s;
        s.gdtr = {0x5000, 0x17};
        s.idtr = {0x4000, 0x7ff};
        s.r[isa::rsp] = 0x8000;
        r.unit.apic(0).write(0x0f0, 0x1ff, 0);
        r.unit.apic(0).write(0x360, 0x400, 0);
        ASSERT_TRUE(r.unit.pmu().write(0, ctr, (std::uint64_t{1} << 40) - 4));
        ASSERT_TRUE(r.unit.pmu().write(0, cesr, instructions | any_level | overflow_pin));
        r.unit.cpu().notify();
        while (r.unit.cpu().now() < 500) r.unit.cpu().run(r.unit.cpu().now() + quantum);
        r.unit.cpu().settle();
        EXPECT_EQ(r.count(0, base::p55c_interrupts), 1u);
        EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
        taken[quantum == 1] = r.count(0, base::unhalted_core_cycles);
    }
    EXPECT_EQ(taken[0], taken[1]);
    // Clock 1 overflows, the pin rises in clock 6. The thread waits until clock 8 then, because the
    // jump in clock 5 refills the pipeline. The entry takes 40 clocks, HLT one.
    EXPECT_EQ(taken[0], 8u + 40 + 1);
}

}  // namespace
}  // namespace knc::card::test

// Which instructions and clocks of a thread count where.
#include <knc/core/profile.h>

#include <gtest/gtest.h>

#include <support/isa_machine.h>

namespace knc::core {
namespace {

struct no_machine : isa::test::isa_machine {
    no_machine() : isa_machine(isa::profile::knc, 0x1000) {}
};

// Pages of code; each has a cell for each level.
class pages final : public code_finder_if {
  public:
    profile_cell cells[4][2];
    unsigned asked = 0, forgotten = 0;

    stretch find(const code_location& at) override {
        ++asked;
        const std::uint64_t page = at.ip & ~0xfffull;
        return {page, 0x1000, &cells[at.paddr >> 12 & 3][at.level]};
    }
    void forget() override {
        ++forgotten;
        invalidate();
    }
    void code_marked(std::uint64_t) override {}
    void code_dropped(std::uint64_t) override { invalidate(); }
};

struct rig {
    pages finder;
    profile p{finder};
    no_machine machine;
    void retired(unsigned t, base::privilege level, std::uint64_t ip, std::uint64_t paddr,
                 base::cycle_t now) {
        p.retired(t, machine.c, level, ip, paddr, now);
    }
};

// A clock belongs to the instruction that retired last.
TEST(core_profile, clocks_last_until_the_next_instruction) {
    rig r;
    r.p.wakes(0, 10);
    r.retired(0, base::supervisor, 0x0000, 0x0000, 12);
    r.retired(0, base::supervisor, 0x0004, 0x0004, 20);
    r.retired(0, base::supervisor, 0x1000, 0x1000, 25);
    r.p.settle(40);
    EXPECT_EQ(r.finder.cells[0][base::supervisor].instructions, 2u);
    EXPECT_EQ(r.finder.cells[0][base::supervisor].clocks, 13u);  // 12 to 25
    EXPECT_EQ(r.finder.cells[1][base::supervisor].instructions, 1u);
    EXPECT_EQ(r.finder.cells[1][base::supervisor].clocks, 15u);
    // Thread 0 before its first instruction, and the other three, which never ran.
    EXPECT_EQ(r.p.stopped(), 12u + 3 * 40);
    EXPECT_EQ(r.finder.asked, 2u);
}

TEST(core_profile, halted_and_stopped_clocks_are_apart) {
    rig r;
    r.p.wakes(0, 0);
    r.retired(0, base::supervisor, 0x0000, 0x0000, 0);
    r.p.halts(0, 1);
    r.p.wakes(0, 11);
    r.retired(0, base::supervisor, 0x0004, 0x0004, 16);
    r.p.stops(0, 20);
    r.p.settle(100);
    // One clock of the HLT, and 5 to the instruction after the wake and 4 of that.
    EXPECT_EQ(r.finder.cells[0][base::supervisor].clocks, 1u + 5 + 4);
    EXPECT_EQ(r.finder.cells[0][base::supervisor].instructions, 2u);
    EXPECT_EQ(r.p.halted(), 10u);
    EXPECT_EQ(r.p.stopped(), 80u + 3 * 100);
}

// A HLT that an interrupt ends in its own clock.
TEST(core_profile, a_wake_in_the_clock_of_the_halt_loses_no_clock) {
    rig r;
    r.p.wakes(0, 0);
    r.retired(0, base::supervisor, 0x0000, 0x0000, 4);
    r.p.halts(0, 5);
    r.p.wakes(0, 4);
    r.retired(0, base::supervisor, 0x0004, 0x0004, 6);
    r.p.settle(8);
    EXPECT_EQ(r.finder.cells[0][base::supervisor].clocks + r.p.halted(), 4u);
    EXPECT_EQ(r.p.stopped(), 4u + 3 * 8);
}

// The finder is asked again at another level, for another physical page at the same address, and
// when code changed; not else.
TEST(core_profile, a_stretch_holds_as_long_as_it_is_the_same_code) {
    rig r;
    r.retired(0, base::user, 0x0000, 0x0000, 1);
    r.retired(0, base::user, 0x0ff0, 0x0ff0, 2);
    EXPECT_EQ(r.finder.asked, 1u);
    r.retired(0, base::supervisor, 0x0000, 0x0000, 3);
    EXPECT_EQ(r.finder.asked, 2u);
    r.retired(0, base::supervisor, 0x0000, 0x2000, 4);
    EXPECT_EQ(r.finder.asked, 3u);
    r.finder.code_dropped(2);
    r.retired(0, base::supervisor, 0x0000, 0x2000, 5);
    EXPECT_EQ(r.finder.asked, 4u);
    r.retired(1, base::supervisor, 0x0000, 0x2000, 6);  // threads are apart
    EXPECT_EQ(r.finder.asked, 5u);
    EXPECT_EQ(r.finder.cells[0][base::user].instructions, 2u);
    EXPECT_EQ(r.finder.cells[0][base::supervisor].instructions, 1u);
    EXPECT_EQ(r.finder.cells[2][base::supervisor].instructions, 3u);
}

TEST(core_profile, after_a_reset_no_thread_has_executed_anything) {
    rig r;
    r.p.wakes(0, 0);
    r.retired(0, base::user, 0x0000, 0x0000, 0);
    r.p.reset(10);
    EXPECT_EQ(r.finder.forgotten, 1u);
    r.p.wakes(0, 20);
    r.p.settle(30);
    EXPECT_EQ(r.finder.cells[0][base::user].clocks, 10u);
    EXPECT_EQ(r.p.stopped(), 20u + 3 * 30);
}

}  // namespace
}  // namespace knc::core

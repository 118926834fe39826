// Counts by the guest's counters, on a platform whose registers are a table and whose events have a
// constant rate.
#include <knc/monitor/msr_source.h>

#include <array>
#include <map>

#include <gtest/gtest.h>

#include <knc/monitor/quantity.h>
#include <knc/monitor/rows.h>
#include <knc/pmu/own_events.h>

namespace knc::monitor {
namespace {

// Counters of one core, as software programs them: event n of a code happens `rate` times a cycle.
class platform final : public source_if {
  public:
    explicit platform(pmu::front_end_kind kind) {
        shape_.tiles = 1;
        shape_.clock_hz = 1;
        shape_.registers = kind;
        if (kind == pmu::front_end_kind::p55c) {
            shape_.threads_per_core = 1;
            shape_.events.reset();
            for (const pmu::own_event& e : pmu::own_events(kind, false)) shape_.events.set(e.cell);
            shape_.events.set(base::cpu_clk_unhalted);
        }
        if (kind == pmu::front_end_kind::perfmon)
            for (const base::event e : {base::unhalted_core_cycles, base::llc_misses,
                                        base::llc_references, base::branch_misses_retired})
                shape_.events.set(e);
    }

    const platform_shape& shape() const override { return shape_; }
    snapshot read(std::uint64_t cycle, bool) override {
        const std::uint64_t passed = cycle > now_ ? cycle - now_ : 0;
        now_ += passed;
        for (auto& r : msr) {
            if (shape_.registers == pmu::front_end_kind::perfmon) count_perfmon(r, passed);
            if (shape_.registers == pmu::front_end_kind::knc) count_knc(r, passed);
            if (shape_.registers == pmu::front_end_kind::p55c) count_p55c(r, passed);
        }
        snapshot s = start_of(shape_);
        s.cycle = now_;
        return s;
    }
    snapshot read_at_mark(std::uint32_t) override { return start_of(shape_); }
    std::optional<std::uint64_t> read_msr(unsigned thread, std::uint32_t number) override {
        return msr[thread][number];
    }
    bool write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) override {
        msr[thread][number] = value;
        return true;
    }

    using register_file = std::map<std::uint32_t, std::uint64_t>;
    std::array<register_file, 4> msr;

  private:
    // The rate is the unit mask and the event select, as a sum.
    static std::uint64_t rate(std::uint64_t select) {
        const bool counts = (select >> 22 & 1) != 0 && (select >> 16 & 3) == 3;
        return counts ? (select & 0xff) + (select >> 8 & 0xff) : 0;
    }
    static void count_knc(register_file& r, std::uint64_t passed) {
        for (std::uint32_t c = 0; c < 2; ++c)
            if ((r[0x2f] >> c & 1) != 0 && r[0x2c] == 0) r[0x20 + c] += passed * rate(r[0x28 + c]);
    }
    static void count_perfmon(register_file& r, std::uint64_t passed) {
        for (std::uint32_t c = 0; c < 4; ++c)
            if ((r[0x38f] >> c & 1) != 0) r[0xc1 + c] += passed * rate(r[0x186 + c]);
        for (std::uint32_t c = 0; c < 3; ++c)
            if ((r[0x38f] >> (32 + c) & 1) != 0 && (r[0x38d] >> (4 * c) & 3) == 3)
                r[0x309 + c] += passed * (c + 1);
    }

    // The rate is the code, 1000 more on counter 1, and negative under the wrong kind of code: only
    // durations count clocks. The pins must be quiet.
    static void count_p55c(register_file& r, std::uint64_t passed) {
        for (std::uint32_t c = 0; c < 2; ++c) {
            const std::uint64_t field = r[0x11] >> 16 * c & 0x3ff, code = field & 0x3f;
            if ((field >> 6 & 3) == 0) continue;
            const bool duration = code == 0x30 || code == 0x1a;
            const bool right = (field >> 6 & 7) == (duration ? 7 : 3) && (field >> 9 & 1) == 1;
            r[0x12 + c] += right ? passed * (code + 1000 * c) : 1;
        }
    }

    platform_shape shape_;
    std::uint64_t now_ = 0;
};

TEST(msr_source, two_counters_of_knights_corner) {
    platform p(pmu::front_end_kind::knc);
    p.msr[1][0x21] = 77;
    {
        msr_source m(p, {base::data_read, base::data_write});
        ASSERT_TRUE(m.take());
        EXPECT_FALSE(m.multiplexes());
        const snapshot s = m.read(100, true);
        EXPECT_EQ(s.threads[3].events[base::data_read], 0u);     // 00/00
        EXPECT_EQ(s.threads[3].events[base::data_write], 100u);  // 01/00
        EXPECT_EQ(m.shape().events.count(), 2u);
    }
    EXPECT_EQ(p.msr[1][0x21], 77u);  // as before
    EXPECT_EQ(p.msr[1][0x28] | p.msr[1][0x29] | p.msr[1][0x2f], 0u);
}

TEST(msr_source, turns_of_knights_corner) {
    platform p(pmu::front_end_kind::knc);
    msr_source m(p, {base::data_write, base::data_page_walk, base::data_read_miss});
    ASSERT_TRUE(m.take());
    EXPECT_TRUE(m.multiplexes());
    const snapshot s = m.read(100, true);
    EXPECT_EQ(s.threads[0].events[base::data_write], 100u);      // 01: 50 in half of the time
    EXPECT_EQ(s.threads[0].events[base::data_page_walk], 200u);  // 02
    EXPECT_EQ(s.threads[0].events[base::data_read_miss], 300u);  // 03
}

TEST(msr_source, four_counters_and_the_fixed_ones) {
    platform p(pmu::front_end_kind::perfmon);
    for (auto& r : p.msr) r[0x38f] = 0xf;
    {
        msr_source m(p, {base::instructions_executed, base::llc_misses, base::llc_references,
                         base::branches, base::unhalted_core_cycles, base::branch_misses_retired});
        ASSERT_TRUE(m.take());
        EXPECT_FALSE(m.multiplexes());
        const snapshot s = m.read(10, true);
        for (const thread_counts& t : s.threads) {
            EXPECT_EQ(t.events[base::instructions_executed], 10u);  // fixed counter 0
            EXPECT_EQ(t.events[base::unhalted_core_cycles], 20u);   // fixed counter 1
            EXPECT_EQ(t.events[base::llc_misses], 10u * (0x2e + 0x41));
            EXPECT_EQ(t.events[base::llc_references], 10u * (0x2e + 0x4f));
            EXPECT_EQ(t.events[base::branches], 10u * 0xc4);
            EXPECT_EQ(t.events[base::branch_misses_retired], 10u * 0xc5);
        }
        // The second interval adds to the first.
        EXPECT_EQ(m.read(30, true).threads[0].events[base::instructions_executed], 30u);
    }
    EXPECT_EQ(p.msr[2][0x38f], 0xfu);
    EXPECT_EQ(p.msr[2][0x186] | p.msr[2][0x38d] | p.msr[2][0x309], 0u);
}

// Both counters in one register; an event may need one of them.
TEST(msr_source, two_counters_of_a_pentium) {
    platform p(pmu::front_end_kind::p55c);
    p.msr[0][0x11] = 0x16 | 1 << 9 | 4 << 22;  // an event, a pin, a CC that counts nothing
    p.msr[0][0x12] = 88;
    p.msr[0][0x13] = 99;
    {
        // 2B on counter 1, 16 on any, which is 0 then.
        msr_source m(p, {base::p55c_mmx_v, base::instructions_executed});
        ASSERT_TRUE(m.take());
        EXPECT_FALSE(m.multiplexes());
        const snapshot s = m.read(10, true);
        EXPECT_EQ(s.threads.size(), 1u);
        EXPECT_EQ(s.threads[0].events[base::p55c_mmx_v], 10u * (0x2b + 1000));
        EXPECT_EQ(s.threads[0].events[base::instructions_executed], 10u * 0x16);
    }
    EXPECT_EQ(p.msr[0][0x11], 0x16u | 1 << 9 | 4 << 22);
    EXPECT_EQ(p.msr[0][0x12], 88u);
    EXPECT_EQ(p.msr[0][0x13], 99u);
}

// Clocks are one event for the thread and for its core; it and a wait for data are durations. Both
// halves of 2B and of 30 cannot be at once: three groups.
TEST(msr_source, turns_of_a_pentium) {
    platform p(pmu::front_end_kind::p55c);
    msr_source m(p, {base::unhalted_core_cycles, base::cpu_clk_unhalted, base::p55c_read_wait,
                     base::p55c_mmx_u, base::p55c_emms});
    ASSERT_TRUE(m.take());
    EXPECT_TRUE(m.multiplexes());
    const snapshot s = m.read(30, true);
    const base::event_row& e = s.threads[0].events;
    EXPECT_EQ(e[base::unhalted_core_cycles], 30u * 0x30);  // in ten of the clocks
    EXPECT_EQ(e[base::cpu_clk_unhalted], 30u * 0x30);
    EXPECT_EQ(e[base::p55c_read_wait], 30u * (0x1a + 1000));  // beside it, on counter 1
    EXPECT_EQ(e[base::p55c_mmx_u], 30u * 0x2b);
    EXPECT_EQ(e[base::p55c_emms], 30u * 0x2d);
}

TEST(msr_source, counters_in_use_are_left_alone) {
    platform knc(pmu::front_end_kind::knc), perfmon(pmu::front_end_kind::perfmon);
    knc.msr[3][0x29] = 1 << 22;
    EXPECT_FALSE(msr_source(knc, {base::data_read}).take());
    EXPECT_EQ(knc.msr[0][0x28], 0u);
    perfmon.msr[0][0x189] = 1 << 22;
    EXPECT_FALSE(msr_source(perfmon, {base::branches}).take());
    perfmon.msr[0][0x189] = 0;
    perfmon.msr[1][0x38d] = 0x200;  // fixed counter 2
    EXPECT_FALSE(msr_source(perfmon, {base::branches}).take());
    perfmon.msr[1][0x38d] = 0;
    EXPECT_TRUE(msr_source(perfmon, {base::branches}).take());
    platform p55c(pmu::front_end_kind::p55c);
    for (unsigned cc = 0; cc < 8; ++cc)
        for (const unsigned half : {0u, 16u}) {
            p55c.msr[0][0x11] = std::uint64_t{cc} << 6 << half;
            EXPECT_EQ(msr_source(p55c, {base::data_read}).take(), cc % 4 == 0) << cc;
        }
}

TEST(msr_source, events_that_counters_know) {
    const platform knc(pmu::front_end_kind::knc), perfmon(pmu::front_end_kind::perfmon);
    EXPECT_TRUE(msr_source::can_count(knc.shape(), base::l2_read_miss));
    EXPECT_FALSE(msr_source::can_count(knc.shape(), base::llc_misses));
    EXPECT_FALSE(msr_source::can_count(perfmon.shape(), base::l2_read_miss));
    EXPECT_TRUE(msr_source::can_count(perfmon.shape(), base::llc_misses));
    EXPECT_FALSE(msr_source::can_count(perfmon.shape(), base::loads_l3_hit));  // no L3
    EXPECT_FALSE(msr_source::can_count(knc.shape(), quantity::tsc));
    const platform p55c(pmu::front_end_kind::p55c);
    EXPECT_TRUE(msr_source::can_count(p55c.shape(), base::cpu_clk_unhalted));
    EXPECT_TRUE(msr_source::can_count(p55c.shape(), base::p55c_emms));
    EXPECT_FALSE(msr_source::can_count(p55c.shape(), base::l2_read_miss));
    EXPECT_FALSE(msr_source::can_count(p55c.shape(), base::p55c_locked));  // of the SDM alone
}

}  // namespace
}  // namespace knc::monitor

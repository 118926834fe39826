// Timing parameters in command clocks, and the two clocks.
#include <knc/memory/controller_clock.h>
#include <knc/memory/gddr5_timing.h>

#include <stdexcept>

#include <gtest/gtest.h>

namespace knc::memory::test {
namespace {

__extension__ using wide = unsigned __int128;

// 5 GT/s: CK = 1.25 GHz = 800 ps.
TEST(gddr5_timing, rounds_times_up_to_whole_command_cycles) {
    const gddr5_timing t{gddr5_parameters{}};
    EXPECT_EQ(t.ck_hz, 1'250'000'000u);
    EXPECT_EQ(t.rcdrd, 18u);   // 14 ns = 17.5 CK
    EXPECT_EQ(t.rcdwr, 13u);   // 10 ns = 12.5
    EXPECT_EQ(t.rp, 15u);      // 12 ns = 15
    EXPECT_EQ(t.ras, 35u);     // 28 ns = 35
    EXPECT_EQ(t.rc, 50u);      // 40 ns = 50
    EXPECT_EQ(t.rrd, 7u);      // 5.5 ns = 6.875
    EXPECT_EQ(t.faw, 29u);     // 23 ns = 28.75
    EXPECT_EQ(t.cl, 15u);      // 12 ns = 15
    EXPECT_EQ(t.rfc, 82u);     // 65 ns = 81.25
    EXPECT_EQ(t.refi, 4875u);  // 3.9 us = 4875
}

// 5.5 GT/s: CK = 1.375 GHz. The interval of refreshes is rounded down: 3.9 us = 5362.5 CK.
TEST(gddr5_timing, follows_the_data_rate) {
    gddr5_parameters p;
    p.data_rate_mtps = 5500;
    const gddr5_timing t{p};
    EXPECT_EQ(t.ck_hz, 1'375'000'000u);
    EXPECT_EQ(t.rcdrd, 20u);  // 14 ns = 19.25 CK
    EXPECT_EQ(t.rp, 17u);     // 12 ns = 16.5
    EXPECT_EQ(t.refi, 5362u);
}

TEST(gddr5_timing, distances_between_reading_writing_and_closing) {
    const gddr5_timing t{gddr5_parameters{}};
    // Read data end CL + 2 = 17 CK after RD; write data begin WL = 4 after WR, 2 idle CK later.
    EXPECT_EQ(t.read_to_write, 15u);
    // Write data end WL + 2 = 6 CK after WR; tWTR is 5 ns = 6.25, tWR 12 ns = 15.
    EXPECT_EQ(t.write_to_read, 13u);
    EXPECT_EQ(t.write_to_precharge, 21u);
}

// With a late first write data there is room on the pins at once; column commands still keep their
// distance.
TEST(gddr5_timing, a_long_write_latency_leaves_the_distance_of_column_commands) {
    gddr5_parameters p;
    p.wl_ck = 40;
    EXPECT_EQ(gddr5_timing{p}.read_to_write, 2u);
}

// A short write latency and a short tWTR allow RD 2 CK after WR; column commands still keep their
// distance.
TEST(gddr5_timing, a_short_write_leaves_the_distance_of_column_commands) {
    gddr5_parameters p;
    p.wl_ck = 0;
    p.t_wtr_ps = 0;
    EXPECT_EQ(gddr5_timing{p}.write_to_read, 2u);
    p.ccd_ck = 6;
    EXPECT_EQ(gddr5_timing{p}.write_to_read, 6u);
}

TEST(gddr5_timing, refuses_what_cannot_work) {
    gddr5_parameters p;
    p.data_rate_mtps = 0;
    EXPECT_THROW(gddr5_timing{p}, std::invalid_argument);
    p = {};
    p.ccd_ck = 1;
    EXPECT_THROW(gddr5_timing{p}, std::invalid_argument);
    // Closing a bank that was just activated takes tRAS + tRP = 50 CK, the refresh 82: the next may
    // be due 133 CK (106.4 ns) after it, not 132.
    p = {};
    p.t_refi_ps = 106'400;
    EXPECT_NO_THROW(gddr5_timing{p});
    p.t_refi_ps = 106'399;
    EXPECT_THROW(gddr5_timing{p}, std::invalid_argument);
    p.refresh = false;
    EXPECT_NO_THROW(gddr5_timing{p});
}

// 1.1 GHz and 1.25 GHz: 22 core clocks are 25 CK.
TEST(controller_clock, a_clock_that_does_not_begin_too_early) {
    const controller_clock c{1'100'000'000, 1'250'000'000};
    EXPECT_EQ(c.ck(0), 0u);
    EXPECT_EQ(c.ck(1), 2u);  // 1.136
    EXPECT_EQ(c.ck(22), 25u);
    EXPECT_EQ(c.core(1), 1u);  // 0.88
    EXPECT_EQ(c.core(25), 22u);
    EXPECT_EQ(c.core_after(0), 1u);
    EXPECT_EQ(c.core_after(24), 22u);  // 21.12
    EXPECT_EQ(c.core_after(25), 23u);  // 22 begins together with CK 25, not after it
}

// The first clock of `to` Hz that does not begin before clock `n` of one of `from` Hz.
bool is_first_not_before(std::uint64_t k, std::uint64_t to, std::uint64_t n, std::uint64_t from) {
    const bool late_enough = wide{k} * from >= wide{n} * to;
    return late_enough && (k == 0 || wide{k - 1} * from < wide{n} * to);
}

// Against the definition, at the beginning of time and after 11 simulated days (10^15 clocks), and
// for the largest frequencies, which have no common divisor.
TEST(controller_clock, is_exact) {
    struct pair {
        std::uint64_t core, ck, start;
    };
    for (const pair p :
         {pair{1'053'000'000, 1'250'000'000, 0}, pair{1'238'000'000, 1'375'000'000, 0},
          pair{1'053'000'000, 1'250'000'000, 1'000'000'000'000'000},
          pair{9'999'999'967, 1'750'000'000, 1'000'000'000'000'000}, pair{3, 7, 0},
          pair{1'000'000, 1, 0}}) {
        const controller_clock c{p.core, p.ck};
        for (std::uint64_t n = p.start; n < p.start + 3'000; ++n) {
            ASSERT_TRUE(is_first_not_before(c.ck(n), p.ck, n, p.core)) << n;
            ASSERT_TRUE(is_first_not_before(c.core(n), p.core, n, p.ck)) << n;
            const base::cycle_t after = c.core_after(n);
            ASSERT_GT(wide{after} * p.ck, wide{n} * p.core) << n;
            ASSERT_LE(wide{after - 1} * p.ck, wide{n} * p.core) << n;
        }
    }
}

}  // namespace
}  // namespace knc::memory::test

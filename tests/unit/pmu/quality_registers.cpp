// The registers of cache monitoring: bits, errors, unavailable data, units, scope.
#include <knc/pmu/quality_registers.h>

#include <gtest/gtest.h>

#include <knc/pmu/rmids.h>

namespace knc::pmu {
namespace {

using q = quality_registers;

struct some_cache final : monitored_cache_if {
    std::uint64_t lines(std::uint32_t rmid) const override { return 1000 + rmid; }
    std::uint64_t traffic(std::uint32_t rmid) const override { return 0x1'000'0000 + rmid; }
    bool seen(std::uint32_t rmid) const override { return rmid != 9; }
};

cmt_parameters of(std::uint32_t rmids, std::uint32_t l3_rmids) {
    cmt_parameters p;
    p.enable = true;
    p.rmids = rmids;
    p.l3_rmids = l3_rmids;
    return p;
}

std::uint64_t select(std::uint64_t event, std::uint64_t rmid) {
    return event | rmid << q::first_rmid_bit;
}

std::uint64_t ctr(const q& r, base::cycle_t now = 0, std::size_t thread = 0) {
    std::uint64_t value = 0;
    EXPECT_TRUE(r.read(thread, q::ctr, now, value));
    return value;
}

std::uint64_t sample(q& r, std::uint64_t event, std::uint64_t rmid) {
    EXPECT_TRUE(r.write(0, q::evtsel, 0, select(event, rmid)));
    return ctr(r);
}

constexpr std::uint64_t error = std::uint64_t{1} << 63, unavailable = std::uint64_t{1} << 62;

TEST(quality_registers, bits_of_the_selection) {
    const some_cache c;
    // 11 RMIDs need 4 bits, so 11 to 15 can be selected though they do not exist.
    q r(of(11, 7), 2, c);
    for (unsigned b = 0; b < 64; ++b) {
        const bool exists = b < 8 || (b >= 32 && b < 36);
        EXPECT_EQ(r.write(0, q::evtsel, 0, std::uint64_t{1} << b), exists) << b;
        EXPECT_FALSE(r.write(0, q::ctr, 0, std::uint64_t{1} << b)) << b;
    }
    std::uint64_t value = 0;
    EXPECT_TRUE(r.read(1, q::evtsel, 0, value));
    EXPECT_EQ(value, std::uint64_t{1} << 35);  // the last that was accepted
    EXPECT_FALSE(r.read(0, q::evtsel - 1, 0, value));
    r.reset();
    EXPECT_TRUE(r.read(1, q::evtsel, 0, value));
    EXPECT_EQ(value, 0u);
}

TEST(quality_registers, what_is_not_supported_is_an_error) {
    const some_cache c;
    q r(of(11, 7), 1, c);
    for (std::uint64_t event = 0; event < 256; ++event)
        EXPECT_EQ(sample(r, event, 6), event == 1 ? 1006 : error) << event;
    for (std::uint64_t rmid = 7; rmid < 16; ++rmid) EXPECT_EQ(sample(r, 1, rmid), error) << rmid;
    cmt_parameters p = of(16, 16);
    p.bandwidth = true;
    p.bandwidth_bits = 24;
    q all(p, 1, c);
    // 0x10000003 lines of 64 bytes, in units of 64, modulo 2^24.
    EXPECT_EQ(sample(all, 2, 3), 3u);
    EXPECT_EQ(sample(all, 3, 3), 3u);
    EXPECT_EQ(sample(all, 4, 3), error);
    // An ID that has had no request has an occupancy, but no traffic.
    EXPECT_EQ(sample(all, 2, 9), unavailable);
    EXPECT_EQ(sample(all, 1, 9), 1009u);
}

TEST(quality_registers, data_are_rounded_down) {
    const some_cache c;
    cmt_parameters p = of(64, 64);
    p.upscale = 32768;  // 512 lines
    q r(p, 1, c);
    EXPECT_EQ(sample(r, 1, 23), 1u);  // 1023 lines
    EXPECT_EQ(sample(r, 1, 24), 2u);  // 1024
}

TEST(quality_registers, a_selection_has_no_data_for_a_time) {
    const some_cache c;
    cmt_parameters p = of(4, 4);
    p.unavailable_clocks = 10;
    q r(p, 1, c);
    ASSERT_TRUE(r.write(0, q::evtsel, 100, select(1, 2)));
    EXPECT_EQ(ctr(r, 109), unavailable);
    EXPECT_EQ(ctr(r, 110), 1002u);
    // An error is no matter of time, and is never both.
    ASSERT_TRUE(r.write(0, q::evtsel, 200, select(0, 2)));
    EXPECT_EQ(ctr(r, 201), error);
}

TEST(quality_registers, one_selection_or_one_of_each_thread) {
    const some_cache c;
    for (const select_scope s : {select_scope::package, select_scope::thread}) {
        cmt_parameters p = of(4, 4);
        p.select_scope = s;
        q r(p, 2, c);
        ASSERT_TRUE(r.write(0, q::evtsel, 0, select(1, 1)));
        ASSERT_TRUE(r.write(1, q::evtsel, 0, select(1, 2)));
        EXPECT_EQ(ctr(r, 0, 0), s == select_scope::package ? 1002u : 1001u);
        EXPECT_EQ(ctr(r, 0, 1), 1002u);
    }
}

TEST(quality_registers, number_of_ids) {
    // At least twice the threads, a power of two, at most 1024.
    EXPECT_EQ(resolved({}, 8).rmids, 16u);
    EXPECT_EQ(resolved({}, 5).rmids, 16u);
    EXPECT_EQ(resolved({}, 244).rmids, 512u);
    EXPECT_EQ(resolved({}, 1000).rmids, 1024u);
    EXPECT_EQ(resolved({}, 8).l3_rmids, 16u);
    EXPECT_EQ(resolved(of(11, 7), 8).l3_rmids, 7u);
    EXPECT_EQ(rmid_bits(1), 0u);
    EXPECT_EQ(rmid_bits(11), 4u);
    EXPECT_EQ(rmid_bits(16), 4u);
}

}  // namespace
}  // namespace knc::pmu

// What cards tell of themselves, against registers read from real ones.
#include <knc/sbox/identity.h>

#include <gtest/gtest.h>

namespace knc::sbox::test {
namespace {

// Read from a 3120A: see identity.h.
TEST(identity, of_a_3120a_is_what_was_read_from_one) {
    const identity card;  // 57 cores, 1.1 GHz, 6 GB, 12 channels
    EXPECT_EQ(scratchpad(card, 2), 0x0400'01c1u);
    EXPECT_EQ(scratchpad(card, 4), 0x2800'e6cfu);
    EXPECT_EQ(core_frequency(card), 0x8001'0416u);
    EXPECT_EQ(current_ratio(card), 0x0416'0416u);
    // 6 GB are 6'291'456 KB, from bit 3 on.
    EXPECT_EQ(scratchpad(card, 0), 6'291'456u << 3);
    // Family 0xB, model 1, stepping 2, from bit 4 on.
    EXPECT_EQ(scratchpad(card, 13), 0xb120u);
}

std::uint64_t hz(const core_ratio& r) {
    return 4'000'000'000ull * r.feedback / (r.reference * r.forward);
}

// The clocks of the products are what this generator makes: 1052.6 MHz is sold as 1053, 1238.1 as
// 1238.
TEST(identity, clock_ratios) {
    const core_ratio slow = core_ratio_of(1'053'000'000);
    EXPECT_EQ(slow.reference, 19u);
    EXPECT_EQ(slow.feedback, 10u);
    EXPECT_EQ(slow.forward, 2u);
    EXPECT_EQ(hz(slow), 1'052'631'578u);
    EXPECT_EQ(slow.code(), 2u << 9 | 10u << 1);  // divide by 2: code 2
    const core_ratio fast = core_ratio_of(1'238'000'000);
    EXPECT_EQ(fast.reference, 21u);
    EXPECT_EQ(fast.feedback, 13u);
    EXPECT_EQ(fast.forward, 2u);
    EXPECT_EQ(hz(fast), 1'238'095'238u);
    // Reference 20 makes 1 GHz in other ways too, and others make it with 10 and 40 parts.
    const core_ratio giga = core_ratio_of(1'000'000'000);
    EXPECT_EQ(giga.reference, 20u);
    EXPECT_EQ(giga.feedback * 2, giga.forward * 10);
    EXPECT_EQ(core_ratio_of(2'000'000'000).code() >> 9, 3u);  // divide by 1: code 3
    // Out of reach: as near as can be, 4000 / 31 * 8 / 4.
    EXPECT_EQ(hz(core_ratio_of(1'000'000)), 258'064'516u);
}

// Half the data rate: 5000 MT/s are 2500 MHz = 100 MHz * 50 / 2, code 3 divides by 2.
TEST(identity, memory_ratios) {
    EXPECT_EQ(memory_ratio_code(5'000), 3u << 9 | 50u << 1);
    EXPECT_EQ(memory_ratio_code(5'500), 3u << 9 | 55u << 1);
    EXPECT_EQ(memory_ratio_code(1'000), 2u << 9 | 20u << 1);  // 500 MHz = 100 * 20 / 4
    EXPECT_EQ(memory_ratio_code(20'000), 0u);
    EXPECT_EQ(scratchpad(identity{}, 9), (3u << 9 | 50u << 1) << 16);
}

TEST(identity, fields_of_scratchpad_4) {
    identity card;
    card.cores = 61;
    card.channels = 16;
    card.clock_hz = 1'238'000'000;
    EXPECT_EQ(scratchpad(card, 4), 21u << 25 | 61u << 10 | 15u << 6 | 0xfu);
    card.channels = 40;  // more than the field holds
    card.l2_bytes = 256u << 10;
    EXPECT_EQ(scratchpad(card, 4), 21u << 25 | 61u << 10 | 15u << 6 | 3u << 4 | 0xfu);
}

}  // namespace
}  // namespace knc::sbox::test

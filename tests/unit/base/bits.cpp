// Bit field helpers.
#include <knc/base/bits.h>

#include <gtest/gtest.h>

namespace knc::base {
namespace {

TEST(bits, mask_covers_both_ends_of_its_range) {
    EXPECT_EQ(mask(0), 0u);
    EXPECT_EQ(mask(40), 0xFF'FFFF'FFFFu);
    EXPECT_EQ(mask(64), ~0ull);
}

TEST(bits, a_field_is_taken_and_put_back) {
    EXPECT_EQ(bits(0xABCD, 15, 8), 0xABu);
    EXPECT_EQ(bits(~0ull, 63, 0), ~0ull);
    EXPECT_EQ(insert(0xABCD, 15, 8, 0x12), 0x12CDu);
    EXPECT_EQ(insert(0, 3, 0, 0xFF), 0xFu);  // what does not fit the field is cut off
    EXPECT_EQ(insert(0, 63, 0, ~0ull), ~0ull);
}

TEST(bits, sign_extension) {
    EXPECT_EQ(sign_extend(0x80, 8), -128);
    EXPECT_EQ(sign_extend(0x17F, 8), 127);  // bits above the field are ignored
    EXPECT_EQ(sign_extend(~0ull, 64), -1);
    EXPECT_EQ(sign_extend(1, 1), -1);
}

}  // namespace
}  // namespace knc::base

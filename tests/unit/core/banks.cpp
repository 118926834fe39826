// Bank conflicts against all bytes of both accesses, looked at one by one.
#include <knc/core/banks.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

bool some_bank_serves_two_words(std::uint64_t banks, std::uint64_t width, const data_access& u,
                                const data_access& v) {
    for (std::uint64_t a = u.la; a < u.la + u.size; ++a)
        for (std::uint64_t b = v.la; b < v.la + v.size; ++b)
            if (a / width != b / width && a / width % banks == b / width % banks) return true;
    return false;
}

TEST(banks, agree_with_a_look_at_every_byte) {
    constexpr std::uint32_t sizes[] = {1, 2, 4, 8, 10, 16};
    unsigned conflicts = 0, others = 0;
    for (const std::uint32_t banks : {1u, 2u, 3u, 8u, 16u})
        for (const std::uint32_t width : {1u, 4u, 8u, 32u})
            for (const std::uint32_t u_size : sizes)
                for (const std::uint32_t v_size : sizes)
                    for (std::uint64_t u = 0; u < 33; ++u)
                        for (std::uint64_t v = 0; v < 80; v += 1 + (u + v) % 3) {
                            const data_access a{0x1000 + u, u_size}, b{0x1000 + v, v_size};
                            const bool expected = some_bank_serves_two_words(banks, width, a, b);
                            (expected ? conflicts : others)++;
                            ASSERT_EQ(banks_conflict(banks, width, a, b), expected)
                                << banks << " of " << width << ": " << u << '+' << u_size << ", "
                                << v << '+' << v_size;
                            ASSERT_EQ(banks_conflict(banks, width, b, a), expected);
                        }
    EXPECT_GT(conflicts, 100'000u);
    EXPECT_GT(others, 100'000u);
}

TEST(banks, at_the_end_of_the_address_space) {
    const std::uint64_t top = ~std::uint64_t{0} - 7;
    EXPECT_FALSE(banks_conflict(8, 4, {top, 8}, {top, 8}));
    EXPECT_TRUE(banks_conflict(8, 4, {top, 8}, {top - 32, 4}));
    EXPECT_FALSE(banks_conflict(8, 4, {top, 8}, {top - 24, 4}));
}

}  // namespace
}  // namespace knc::core::test

// Bank conflicts against all bytes of both accesses, looked at one by one.
#include <knc/core/banks.h>

#include <random>

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

// Of a vector instruction: random masks, whole lines, runs of bytes and single ones.
TEST(banks, of_some_bytes_agree_with_a_look_at_every_byte) {
    std::mt19937_64 random(1);
    unsigned conflicts = 0, others = 0;
    for (unsigned n = 0; n < 20'000; ++n) {
        const std::uint32_t banks = 1u << random() % 5, width = 1u << random() % 6;
        isa::vector_bytes u{0x1000 + random() % 64, 0};
        switch (random() % 4) {
            case 0:
                u.which = ~std::uint64_t{0};
                break;
            case 1:
                u.which = ~std::uint64_t{0} >> random() % 64;
                break;
            case 2:
                u.which = (random() & random() & random() & random()) | 1;
                break;
            default:
                u.which = 1 | std::uint64_t{0xf} << random() % 61;
        }
        const data_access v{0x1000 + random() % 128, 1u << random() % 4};
        bool expected = false;
        for (unsigned byte = 0; byte < 64; ++byte)
            expected |= (u.which >> byte & 1) != 0 &&
                        some_bank_serves_two_words(banks, width, {u.la + byte, 1}, v);
        (expected ? conflicts : others)++;
        ASSERT_EQ(vector_banks_conflict(banks, width, u, v), expected)
            << banks << " of " << width << ": " << u.la << ", " << std::hex << u.which << "; "
            << v.la << '+' << v.size;
    }
    EXPECT_GT(conflicts, 2000u);
    EXPECT_GT(others, 2000u);
}

TEST(banks, at_the_end_of_the_address_space) {
    const std::uint64_t top = ~std::uint64_t{0} - 7;
    EXPECT_FALSE(banks_conflict(8, 4, {top, 8}, {top, 8}));
    EXPECT_TRUE(banks_conflict(8, 4, {top, 8}, {top - 32, 4}));
    EXPECT_FALSE(banks_conflict(8, 4, {top, 8}, {top - 24, 4}));
}

}  // namespace
}  // namespace knc::core::test

// Where lines live.
#include <knc/memory/gddr5_layout.h>

#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <gtest/gtest.h>

namespace knc::memory::test {
namespace {

// In lockstep: 8 lines of bank group 0, 8 of group 1, ...; a row of 128 lines in each of the four
// banks, then the next four, and after the 16 banks the next row, whose banks the row number
// scatters.
TEST(gddr5_layout, fills_four_rows_of_different_groups_in_turn) {
    const gddr5_layout layout{1, 16, 4, 128, 8};
    for (std::uint64_t line = 0; line < 2 * 16 * 128; ++line) {
        const gddr5_place p = layout(line);
        ASSERT_EQ(p.channel, 0u);
        ASSERT_EQ(p.row, line / 2048);
        const std::uint64_t group = line / 8 % 4, four = line / 512 % 4;
        ASSERT_EQ(p.bank, (four * 4 + group) ^ p.row) << line;
    }
}

TEST(gddr5_layout, every_row_of_every_bank_holds_its_lines) {
    for (const std::uint32_t channels : {1u, 2u}) {
        const std::uint32_t lines_per_row = 128 / channels;
        const gddr5_layout layout{channels, 16, 4, lines_per_row, 8};
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, unsigned> lines;
        for (std::uint64_t line = 0; line < 64 * 2048; ++line) {
            const gddr5_place p = layout(line);
            ++lines[{p.channel, p.bank, p.row}];
        }
        EXPECT_EQ(lines.size(), channels * 16u * 64u);
        for (const auto& [place, n] : lines) ASSERT_EQ(n, lines_per_row);
    }
}

// Lines 2048 apart are in successive rows: of 16 different banks, not of one.
TEST(gddr5_layout, rows_scatter_the_banks) {
    const gddr5_layout layout{1, 16, 4, 128, 8};
    std::set<std::uint32_t> banks;
    for (std::uint64_t i = 0; i < 16; ++i) banks.insert(layout(i * 2048).bank);
    EXPECT_EQ(banks.size(), 16u);
}

TEST(gddr5_layout, refuses_what_is_no_power_of_two) {
    EXPECT_NO_THROW((gddr5_layout{2, 4, 4, 8, 8}));
    EXPECT_THROW((gddr5_layout{3, 16, 4, 128, 8}), std::invalid_argument);
    EXPECT_THROW((gddr5_layout{1, 0, 4, 128, 8}), std::invalid_argument);
    EXPECT_THROW((gddr5_layout{1, 16, 32, 128, 8}), std::invalid_argument);
    EXPECT_THROW((gddr5_layout{1, 16, 4, 96, 8}), std::invalid_argument);
    EXPECT_THROW((gddr5_layout{1, 16, 4, 128, 256}), std::invalid_argument);
}

}  // namespace
}  // namespace knc::memory::test

// Register tables: what is found where, reserved bits, reset values.
#include <knc/base/register_table.h>

#include <gtest/gtest.h>

namespace knc::base {
namespace {

struct device {};
struct machine {
    std::uint32_t size;
};
using row = register_row<std::uint32_t, device, machine>;

constexpr auto rw = register_access::read_write;

std::uint32_t tenfold(const machine& m, unsigned index) {
    return 10 * m.size + index;
}

// "low" and "high" interleave; nothing is at 0x18 and from 0x40 on.
constexpr row rows[] = {
    {0x10, "one", rw, 0x0f, 7, {}, ""},
    {0x14, "two", rw, 0xff, tenfold, {}, "", 1},
    {0x20, "low", rw, 0xff, 0, {}, "", 4, 8},
    {0x24, "high", rw, 0xff, tenfold, {}, "", 3, 8},
};
constexpr register_table<row> table{rows};

TEST(register_table, finds_each_register_and_nothing_else) {
    struct known {
        std::uint32_t address;
        const char* name;
        unsigned index;
    };
    constexpr known all[] = {{0x10, "one", 0},  {0x14, "two", 0},  {0x20, "low", 0},
                             {0x24, "high", 0}, {0x28, "low", 1},  {0x2c, "high", 1},
                             {0x30, "low", 2},  {0x34, "high", 2}, {0x38, "low", 3}};
    for (std::uint32_t address = 0; address < 0x100; ++address) {
        const row::place p = table.find(address);
        const known* k = nullptr;
        for (const known& x : all)
            if (x.address == address) k = &x;
        ASSERT_EQ(static_cast<bool>(p), k != nullptr) << std::hex << address;
        if (k == nullptr) continue;
        EXPECT_STREQ(p.row->name, k->name) << std::hex << address;
        EXPECT_EQ(p.index, k->index) << std::hex << address;
        EXPECT_EQ(p.address(), address);
    }
    // No register is below the first or where only low bits of the address agree.
    EXPECT_FALSE(table.find(0xffff'ffff));
    EXPECT_FALSE(table.find(0x1'0010));
}

TEST(register_table, a_write_changes_writable_bits_only) {
    const row::place p = table.find(0x10);
    EXPECT_EQ(p.merged(0xab, 0xcd), 0xadu);
    EXPECT_EQ(p.merged(0, 0xffff'ffff), 0x0fu);
}

TEST(register_table, reset_values_are_constants_or_depend_on_the_machine) {
    const machine m{3};
    EXPECT_EQ(table.find(0x10).row->reset(), 7u);
    EXPECT_EQ(table.find(0x10).row->reset(m, 5), 7u);
    EXPECT_EQ(table.find(0x34).row->reset(m, 2), 32u);
    EXPECT_TRUE(table.find(0x34).row->reset == tenfold);
    EXPECT_FALSE(table.find(0x20).row->reset == tenfold);
}

TEST(register_table, rows_must_be_in_order) {
    EXPECT_TRUE(in_order(rows));
    constexpr row twice[] = {{0x10, "one", rw, 0, 0, {}, ""}, {0x10, "again", rw, 0, 0, {}, ""}};
    EXPECT_FALSE(in_order(twice));
    constexpr row back[] = {{0x10, "one", rw, 0, 0, {}, ""}, {0x0c, "before", rw, 0, 0, {}, ""}};
    EXPECT_FALSE(in_order(back));
}

}  // namespace
}  // namespace knc::base

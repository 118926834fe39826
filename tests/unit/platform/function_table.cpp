// Functions by address: sizes, names, nesting.
#include <platform/function_table.h>

#include <gtest/gtest.h>

namespace platform {
namespace {

// Code at [0x1000, 0x2000) with these symbols, in the order of their addresses.
image with(std::vector<symbol> symbols) {
    image i;
    i.segments = {{0x1000, 0x1000, 0x1000, 0, 0x1000, true}};
    i.symbols = std::move(symbols);
    return i;
}

std::string name_at(const function_table& t, std::uint64_t address) {
    const function* f = t.find(address);
    return f == nullptr ? "-" : f->name;
}

TEST(function_table, a_function_has_its_size_and_no_more) {
    const function_table t{with({{0x1010, 0x10, "f", true}, {0x1030, 0x10, "data", false}})};
    EXPECT_EQ(name_at(t, 0x100f), "-");
    EXPECT_EQ(name_at(t, 0x1010), "f");
    EXPECT_EQ(name_at(t, 0x101f), "f");
    EXPECT_EQ(name_at(t, 0x1020), "-");
    EXPECT_EQ(name_at(t, 0x1030), "-");
    // The stretch without a function ends nowhere: nothing follows.
    const function_table::stretch s = t.at(0x1020);
    EXPECT_EQ(s.low, 0x1020u);
    EXPECT_EQ(s.high, ~0ull);
    EXPECT_EQ(s.function, function_table::none);
}

TEST(function_table, a_label_in_assembly_goes_to_the_next_one_or_the_end_of_the_code) {
    const function_table t{with({{0x1000, 0, "begin", false, true},
                                 {0x1100, 0x10, "f", true},
                                 {0x1108, 0, "inside", false, true},
                                 {0x1200, 0, "last", false, true},
                                 {0x3000, 0, "elsewhere", false, true}})};
    EXPECT_EQ(name_at(t, 0x10ff), "begin");
    EXPECT_EQ(name_at(t, 0x110f), "f");  // a label inside a function divides nothing
    EXPECT_EQ(name_at(t, 0x1110), "-");
    EXPECT_EQ(name_at(t, 0x1fff), "last");
    EXPECT_EQ(name_at(t, 0x2000), "-");
    EXPECT_EQ(name_at(t, 0x3000), "-");  // in no code
}

TEST(function_table, an_inner_function_interrupts_the_outer_one) {
    const function_table t{with({{0x1000, 0x100, "outer", true},
                                 {0x1020, 0x10, "inner", true},
                                 {0x10f0, 0x20, "over_the_end", true}})};
    EXPECT_EQ(name_at(t, 0x101f), "outer");
    EXPECT_EQ(name_at(t, 0x1020), "inner");
    EXPECT_EQ(name_at(t, 0x1030), "outer");
    EXPECT_EQ(t.at(0x1020).high, 0x1030u);
    EXPECT_EQ(name_at(t, 0x10ef), "outer");
    EXPECT_EQ(name_at(t, 0x10f0), "over_the_end");
    EXPECT_EQ(name_at(t, 0x110f), "over_the_end");
    EXPECT_EQ(name_at(t, 0x1110), "-");
}

// Of the names of one address: a sized one, a function, the lowest rank, the alphabet.
TEST(function_table, one_of_several_names_is_used) {
    EXPECT_EQ(
        name_at(function_table{with({{0x1000, 0, "a", true}, {0x1000, 4, "b", true}})}, 0x1000),
        "b");
    EXPECT_EQ(name_at(function_table{with({{0x1000, 4, "a", false, true}, {0x1000, 4, "b", true}})},
                      0x1000),
              "b");
    EXPECT_EQ(name_at(function_table{with(
                          {{0x1000, 4, "a", true, false, 2}, {0x1000, 4, "b", true, false, 1}})},
                      0x1000),
              "b");
    EXPECT_EQ(
        name_at(function_table{with({{0x1000, 4, "b", true}, {0x1000, 4, "a", true}})}, 0x1000),
        "a");
}

// A symbol that would wrap around the address space is left out.
TEST(function_table, trusts_no_size) {
    const function_table t{with({{0x1000, 4, "f", true}, {0x1010, ~0ull, "endless", true}})};
    EXPECT_EQ(name_at(t, 0x1000), "f");
    EXPECT_EQ(name_at(t, 0x1010), "-");
}

}  // namespace
}  // namespace platform

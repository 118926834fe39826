// Parameters no core can have.
#include <knc/core/parameters.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

TEST(parameters, defaults_are_possible) {
    EXPECT_EQ(impossible({}), "");
}

TEST(parameters, names_what_is_not) {
    const auto with = [](auto change) {
        parameters p;
        change(p);
        return impossible(p);
    };
    EXPECT_EQ(with([](parameters& p) { p.banks = 0; }), "banks: 0");
    EXPECT_EQ(with([](parameters& p) { p.agi_cycles = 0; }), "agi_cycles: 0");
    EXPECT_EQ(with([](parameters& p) { p.branch.conditional_cycles_v = 0; }),
              "branch.conditional_cycles_v: 0");
    EXPECT_EQ(with([](parameters& p) { p.fetch_bytes = 24; }),
              "fetch_bytes: 24: a power of two is wanted");
    EXPECT_EQ(with([](parameters& p) { p.branch.set_shift = 64; }),
              "branch.set_shift: 64: an address has 64 bits");
    const char* const rule = ": powers of two are wanted, not more ways than entries";
    EXPECT_EQ(with([](parameters& p) { p.branch.entries = 96; }),
              std::string("branch: 96 entries, 4 ways") + rule);
    EXPECT_EQ(with([](parameters& p) { p.tlb.data_2m.ways = 16; }),
              std::string("tlb.data_2m: 8 entries, 16 ways") + rule);
    EXPECT_EQ(with([](parameters& p) { p.tlb.code.entries = 0; }),
              std::string("tlb.code: 0 entries, 4 ways") + rule);
    EXPECT_EQ(with([](parameters& p) { p.tlb.second.ways = 0; }),
              std::string("tlb.second: 64 entries, 0 ways") + rule);
    // Direct-mapped and fully associative.
    EXPECT_EQ(with([](parameters& p) { p.tlb.data_4k = {64, 1}; }), "");
    EXPECT_EQ(with([](parameters& p) { p.tlb.data_64k = {32, 32}; }), "");
}

}  // namespace
}  // namespace knc::core::test

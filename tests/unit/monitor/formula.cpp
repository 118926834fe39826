// Formulas of metrics: what they mean and what is refused.
#include <knc/monitor/formula.h>

#include <stdexcept>

#include <gtest/gtest.h>

namespace knc::monitor {
namespace {

row card_with(std::initializer_list<std::pair<std::size_t, std::uint64_t>> counts) {
    row r;
    for (const auto& [q, n] : counts) {
        r.count[q] = n;
        r.has.set(q);
    }
    return r;
}

TEST(formula, adds_and_subtracts_with_factors) {
    const formula f{"CPU_CLK_UNHALTED - 3*DATA_READ + TSC - 10"};
    const row r = card_with({{base::cpu_clk_unhalted, 100}, {base::data_read, 20}, {tsc, 7}});
    EXPECT_EQ(f.of(r), 100 - 60 + 7 - 10);
    EXPECT_EQ(formula{"1"}.of(row{}), 1);
}

TEST(formula, has_no_value_without_one_of_its_counts) {
    EXPECT_FALSE(formula{"DATA_READ + TSC"}.of(card_with({{tsc, 7}})));
}

TEST(formula, refuses_what_it_does_not_know) {
    for (const char* text : {"", "DATA_READS", "DATA_READ +", "DATA_READ + ", "DATA_READ * TSC",
                             "DATA_READ  + TSC", "2x", "3*", "3*4", "+ TSC", "- TSC"})
        EXPECT_THROW(formula{text}, std::invalid_argument) << text;
}

TEST(quantity, has_a_name_of_its_own) {
    // Cells that only a Pentium's counters have are no quantities.
    for (std::size_t q = 0; q < quantity_count; ++q) {
        const std::string name = name_of(q);
        if (!name.empty()) {
            EXPECT_EQ(find_quantity(name), q);
        }
    }
    EXPECT_EQ(name_of(base::data_read), "DATA_READ");
    EXPECT_EQ(name_of(base::llc_misses), "LLC_MISSES");
    EXPECT_EQ(name_of(base::event_count), "");  // no event
    EXPECT_EQ(name_of(ring_slots), "RING_SLOTS");
    // Two units count it, under names of their own.
    EXPECT_EQ(find_quantity("INSTRUCTIONS_RETIRED"), base::instructions_executed);
    EXPECT_FALSE(find_quantity("data_read"));
    // A name may be of different events in different units.
    EXPECT_EQ(find_quantity("BRANCHES"), base::branches);
    EXPECT_EQ(find_quantity("BRANCHES", pmu::front_end_kind::p55c), base::p55c_branches);
    EXPECT_EQ(find_quantity("FLOPS", pmu::front_end_kind::p55c), base::p55c_flops);
    EXPECT_FALSE(find_quantity("FLOPS", pmu::front_end_kind::knc));
    EXPECT_EQ(find_quantity("TSC", pmu::front_end_kind::p55c), tsc);
}

}  // namespace
}  // namespace knc::monitor

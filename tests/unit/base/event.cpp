// Ground truth ledger and the event table it is made from.
#include <knc/base/event.h>

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace knc::base {
namespace {

struct row {
    std::string name;
    unsigned code, umask;
};
const row rows[] = {
#define KNC_EVENT(name, code, umask, ...) {#name, code, umask},
#include <knc/base/events.def>
#undef KNC_EVENT
};

// Table 1-6 of the PMU guide has 59 events; LIKWID knows two more.
TEST(events, are_61_with_distinct_names_and_selections) {
    EXPECT_EQ(std::size(rows), 61u);
    EXPECT_EQ(event_count, 61);
    std::set<std::string> names;
    std::set<std::pair<unsigned, unsigned>> selections;
    for (const row& r : rows) {
        EXPECT_TRUE(names.insert(r.name).second) << r.name;
        EXPECT_TRUE(selections.insert({r.code, r.umask}).second) << r.name;
    }
}

TEST(ledger, an_event_belongs_to_its_thread_and_its_privilege) {
    ledger l;
    l.at[1] = user;
    l.raise(1, branches, 3);
    l.at[1] = supervisor;
    l.raise(1, branches);
    EXPECT_EQ(l.counts[1][user][branches], 3u);
    EXPECT_EQ(l.counts[1][supervisor][branches], 1u);
    EXPECT_EQ(l.total(1, branches), 4u);
    EXPECT_EQ(l.total(0, branches), 0u);
}

TEST(ledger, an_event_without_thread_is_everyones_at_each_ones_privilege) {
    ledger l;
    l.at[2] = user;
    l.raise_core(snp_hit_l2, 5);
    EXPECT_EQ(l.counts[0][supervisor][snp_hit_l2], 5u);
    EXPECT_EQ(l.counts[2][user][snp_hit_l2], 5u);
    EXPECT_EQ(l.counts[2][supervisor][snp_hit_l2], 0u);
    EXPECT_EQ(l.total(3, snp_hit_l2), 5u);
}

}  // namespace
}  // namespace knc::base

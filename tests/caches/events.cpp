// No event of the caches without a kernel that makes it count and one, close to the first, that
// must not. (What the lines of the programs themselves raise is left out on both sides: harness.h.)

#include <algorithm>

#include <knc/pmu/event_table.h>

#include "harness.h"

namespace knc::caches {
namespace {

struct pair {
    base::event event;
    const char* counts;
    const char* does_not;
    const char* difference;
};

constexpr pair pairs[] = {
    {base::data_read_miss, "data.load", "prefetch0.ahead", "a prefetch before the load"},
    {base::data_write_miss, "data.store", "data.store_behind_load", "a load of the line before"},
    {base::data_read_miss_or_write_miss, "data.load", "prefetch0.ahead",
     "a prefetch before the load"},
    {base::data_cache_lines_written_back, "data.dirty_line_replaced", "data.clean_line_replaced",
     "a line that was only read"},
    {base::code_cache_miss, "code.another_line", "data.nothing", "no other line"},
    {base::l1_data_pf1, "prefetch0.ahead", "prefetchnta.ahead", "VPREFETCHNTA"},
    {base::l1_data_pf1_miss, "prefetch0.of_line_in_l2", "prefetch0.of_line_in_l1",
     "the L1 has the line"},
    {base::l1_data_pf1_drop, "prefetch0.of_line_under_way", "prefetch0.ahead", "one prefetch only"},
    {base::l1_data_hit_inflight_pf1, "prefetch0.late_for_load", "prefetch0.late_for_next_line",
     "a load of the next line"},
    {base::l1_data_pf2, "prefetch1.ahead", "prefetch2.ahead", "VPREFETCH2"},
    {base::l2_data_pf1_miss, "prefetch0.ahead", "prefetch0.of_line_in_l2", "the L2 has the line"},
    {base::l2_read_hit_e, "data.set_overfilled", "data.set_filled", "one line less"},
    {base::l2_read_hit_m, "data.clevict0_of_dirty_line", "data.clevict0_of_clean_line",
     "a line that was only read"},
    {base::l2_read_hit_s, "sharing.hit_on_s", "data.clevict0_of_clean_line", "no other tile"},
    {base::l2_read_miss, "data.load", "data.store", "a store"},
    {base::l2_write_hit, "data.write_hit_in_l2_on_e", "data.store_behind_load",
     "the L1 has the line"},
    {base::l2_victim_req_with_data, "data.clevict0_of_dirty_line", "data.clevict1_of_dirty_line",
     "the L2 gives up the line, too"},
    {base::snp_hitm_bunit, "sharing.write_back_7_clocks_ago", "sharing.write_back_8_clocks_ago",
     "the clock the write-back needs"},
    {base::snp_hit_l2, "sharing.load_load", "sharing.other_lines", "another line"},
    {base::snp_hitm_l2, "sharing.store_load", "sharing.load_load", "a line that was only read"},
    {base::l2_code_read_miss_cache_fill, "code.shared", "code.another_line", "no other tile"},
    {base::l2_data_read_miss_cache_fill, "sharing.load_load", "sharing.other_lines",
     "another line"},
    {base::l2_data_write_miss_cache_fill, "sharing.load_store", "sharing.upgrade",
     "the tile has a copy"},
    {base::l2_code_read_miss_mem_fill, "code.another_line", "data.load", "a load"},
    {base::l2_data_read_miss_mem_fill, "data.load", "code.another_line", "a fetch"},
    {base::l2_data_write_miss_mem_fill, "data.store", "data.store_behind_load",
     "a load of the line before"},
    {base::l2_data_pf2, "prefetch1.of_line_in_l2", "prefetch1.of_uncacheable_memory",
     "what the core may not cache"},
    {base::l2_data_pf2_drop, "prefetch1.of_line_under_way", "prefetch1.ahead", "one prefetch only"},
    {base::l2_data_pf2_miss, "prefetch1.ahead", "prefetch1.of_line_in_l2", "the L2 has the line"},
    {base::l2_data_hit_inflight_pf2, "prefetch1.late_for_load", "prefetch2.late_for_load",
     "VPREFETCH2"},
    {base::hwp_l2hit, "stream.line_in_l2", "stream.line_under_way", "a line that has not come yet"},
    {base::hwp_l2miss, "stream.two_misses", "stream.ends_with_page", "the end of a page"},
};

const kernel* find(const std::string& name) {
    const auto& all = kernel::all();
    const auto k = std::find_if(all.begin(), all.end(),
                                [&](const kernel* each) { return each->name() == name; });
    EXPECT_NE(k, all.end()) << name;
    return k != all.end() ? *k : nullptr;
}

TEST(events, each_has_a_kernel_that_counts_and_one_that_does_not) {
    for (std::size_t n = 0; n < base::event_count; ++n) {
        const auto e = static_cast<base::event>(n);
        const auto named = std::count_if(std::begin(pairs), std::end(pairs),
                                         [e](const pair& p) { return p.event == e; });
        EXPECT_EQ(named, watched(e) ? 1 : 0) << pmu::info(e).name;
    }
}

// What is expected of a kernel is what it is compared with when it runs.
TEST(events, the_kernels_expect_what_they_are_named_for) {
    for (const pair& p : pairs) {
        const kernel *counts = find(p.counts), *does_not = find(p.does_not);
        if (counts == nullptr || does_not == nullptr) continue;
        EXPECT_GT(counts->expected(p.event), 0u) << p.counts << ' ' << pmu::info(p.event).name;
        EXPECT_EQ(does_not->expected(p.event), 0u) << p.does_not << ' ' << pmu::info(p.event).name;
    }
}

TEST(events, kernels_have_names_of_their_own) {
    std::vector<std::string> names;
    for (const kernel* k : kernel::all()) names.push_back(k->name());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    EXPECT_GT(names.size(), 130u);
}

}  // namespace
}  // namespace knc::caches

// No event of the caches without a kernel that makes it count and one, close to the first, that
// must not. (What the lines of the programs themselves raise is left out on both sides: harness.h.)

#include <map>
#include <set>
#include <tuple>

#include <knc/pmu/event_table.h>
#include <support/event_pairs.h>

#include "harness.h"

namespace knc::caches {
namespace {

using knc::test::event_pair;

constexpr event_pair pairs[] = {
    {base::data_read, "data.load", "prefetch0.of_line_under_way", "prefetches of the line"},
    {base::data_write, "data.store", "prefetche0.of_line_under_way",
     "prefetches to write the line"},
    {base::data_read_or_write, "data.load_behind_store", "prefetch0.of_line_under_way",
     "prefetches of the line"},
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
    {base::l2_data_pf2, "prefetch1.of_line_in_l1", "prefetch1.of_uncacheable_memory",
     "what the core may not cache"},
    {base::l2_data_pf2_drop, "dropped.meet_streams", "prefetch1.of_line_under_way",
     "a request of the core's own"},
    {base::l2_data_pf2_miss, "prefetch1.ahead", "prefetch1.of_line_in_l2", "the L2 has the line"},
    {base::l2_data_hit_inflight_pf2, "prefetch1.late_for_load", "prefetch2.late_for_load",
     "VPREFETCH2"},
    {base::vpu_data_read, "vector_data.scalar_behind_load", "data.load", "a scalar load"},
    {base::vpu_data_write, "vector_store.some_lanes", "vector_store.no_lane", "an empty mask"},
    {base::vpu_data_read_miss, "vector_data.load", "vector_data.load_behind_scalar",
     "a load of the line before"},
    {base::vpu_data_write_miss, "vector_store.line", "vector_store.behind_load",
     "a load of the line before"},
    {base::hwp_l2hit, "stream.line_in_l2", "stream.line_under_way", "a line that has not come yet"},
    {base::hwp_l2miss, "stream.two_misses", "stream.ends_with_page", "the end of a page"},
};

TEST(events, each_has_a_kernel_that_counts_and_one_that_does_not) {
    for (std::size_t n = 0; n < base::event_count; ++n) {
        const auto e = static_cast<base::event>(n);
        const auto named = knc::test::entries_of(e, pairs);
        EXPECT_EQ(named, watched(e) ? 1 : 0) << pmu::info(e).name;
    }
}

// What is expected of a kernel is what it is compared with when it runs.
TEST(events, the_kernels_expect_what_they_are_named_for) {
    knc::test::expect_as_named<kernel>(pairs);
}

// Of a kernel, each event some thread is expected to raise has two counters, one of which
// overflows; no counter has two events.
TEST(events, counters_are_armed_for_all_that_is_expected) {
    std::size_t armed = 0;
    for (const kernel* k : kernel::all()) {
        SCOPED_TRACE(k->name());
        std::map<std::tuple<unsigned, base::event, bool>, unsigned> to_be_armed;
        for (unsigned tile = 0; tile < k->parameters().tiles; ++tile)
            for (std::size_t n = 0; n < base::event_count; ++n)
                for (unsigned t = 0; t < base::threads_per_core; ++t) {
                    const auto e = static_cast<base::event>(n);
                    if (!watched(e) || k->expected(tile, t, e) == 0) continue;
                    if (t != 0 && pmu::info(e).scope == pmu::event_scope::core) continue;
                    ++to_be_armed[{tile, e, false}];
                    ++to_be_armed[{tile, e, true}];
                }
        for (const armed_counters& run : k->runs()) {
            std::set<std::tuple<unsigned, unsigned, unsigned>> used;
            for (const armed_counter& c : run) {
                EXPECT_TRUE((used.insert({c.tile, c.thread, c.number}).second));
                EXPECT_NE((to_be_armed[{c.tile, c.event, c.start != 0}]--), 0u);
                ++armed;
            }
        }
        for (const auto& [what, left] : to_be_armed) EXPECT_EQ(left, 0u);
    }
    EXPECT_GT(armed, 1000u);
}

TEST(events, kernels_have_names_of_their_own) {
    knc::test::expect_own_names<kernel>(130);
}

}  // namespace
}  // namespace knc::caches

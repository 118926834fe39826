// No event of the P54C and vector units without a kernel that makes it count and one, close to the
// first, that must not.

#include <knc/pmu/event_table.h>
#include <support/event_pairs.h>

#include "harness.h"

namespace knc::kernels {
namespace {

using knc::test::event_pair;

constexpr event_pair pairs[] = {
    {base::data_read, "banks.load_alone", "interlock.lea_in_u",
     "an address that is formed and not read from"},
    {base::data_write, "read_modify_write.destination", "read_modify_write.comparison",
     "a memory operand that is read only"},
    {base::data_page_walk, "tlb.next_page", "tlb.same_page", "a page that is known"},
    {base::data_read_miss, "uncached.load", "uncached.store", "a write to the same memory"},
    {base::memory_accesses_in_both_pipes, "banks.next_word", "banks.load_and_lea",
     "a pair of which one forms an address only"},
    {base::bank_conflicts, "banks.same_line_same_bank", "banks.same_word",
     "the same word of the bank"},
    {base::code_read, "fetch.one_block", "fetch.blocks_of_a_page", "code that is there already"},
    {base::code_page_walk, "tlb.next_page_of_code", "tlb.known_page_of_code",
     "the second time in that page"},
    {base::code_cache_miss, "uncached.code", "uncached.other_code",
     "the same code with another page uncacheable"},
    {base::branches, "conditional.not_taken_without_entry", "microcode.bound",
     "an instruction that could leave the program for a handler and does not"},
    {base::pipeline_flushes, "jump.without_entry", "jump.with_entry", "a prediction"},
    {base::instructions_executed, "rates.singles", "fetch.nothing", "no instruction"},
    {base::instructions_executed_v_pipe, "pair.both_write_flags", "no_pair.second_of_a_chain",
     "a dependence"},
    {base::pipeline_agi_stalls, "interlock.base_in_u", "interlock.one_issue_between",
     "an issue in between"},
    {base::data_read_or_write, "uncached.store_to_next_page", "interlock.lea_in_u",
     "an address that is formed and not accessed"},
    {base::data_read_miss_or_write_miss, "uncached.store", "uncached.store_to_next_page",
     "the page behind the uncacheable one"},
    {base::cpu_clk_unhalted, "halt.until_an_interrupt", "fetch.nothing", "no clock"},
    {base::branches_mispredicted, "conditional.not_taken_with_entry",
     "conditional.taken_without_entry", "a miss of the buffer"},
    {base::microcode_cycles, "rates.division", "rates.lock",
     "as long an instruction without microcode"},
    {base::fe_stalled, "delay.of_1", "delay.of_none", "no clock to wait"},
    {base::exec_stage_cycles, "rates.singles", "fetch.nothing", "no instruction"},
    {base::long_data_page_walk, "tlb.first_touch", "tlb.next_page", "the second level knows it"},
    {base::long_code_page_walk, "tlb.other_region_of_code", "tlb.region_known_from_data",
     "the second level knows it"},
    {base::pipeline_sg_agi_stalls, "vector_sparse.index", "vector_sparse.destination",
     "a gather that waits for a register that forms no address"},
    {base::vpu_data_read, "vector_read.load", "vector_none.load", "a scalar load"},
    {base::vpu_data_write, "vector_write.partial_mask", "vector_write.empty_mask",
     "a store of no lane"},
    {base::vpu_data_read_miss, "vector_uncached.load", "vector_uncached.scalar_load",
     "a scalar load"},
    {base::vpu_stall_reg, "vector_distance.one_before_store", "vector_distance.two_before_store",
     "one more instruction in between"},
    {base::vpu_instructions_executed, "vector_elements.mask_move", "vector_none.prefetch_as_mvex",
     "an instruction without vector or mask register"},
    {base::vpu_instructions_executed_v_pipe, "vector_pair.mask_mask",
     "vector_no_pair.mask_written_twice", "a dependence"},
    {base::vpu_elements_active, "vector_elements.partial_mask", "vector_elements.empty_mask",
     "a mask of no lane"},
};

struct exemption {
    base::event event;
    const char* reason;
};

// The machine of these kernels has no caches; tests/caches has a whole card for each of its
// kernels, and asks the same of its events.
constexpr const char* caches = "an event of the caches: tests/caches/events.cpp";
constexpr exemption exempt[] = {
    {base::data_write_miss, caches},     {base::data_cache_lines_written_back, caches},
    {base::l1_data_pf1, caches},         {base::l1_data_pf1_miss, caches},
    {base::l1_data_pf1_drop, caches},    {base::l1_data_hit_inflight_pf1, caches},
    {base::l1_data_pf2, caches},         {base::l2_data_pf1_miss, caches},
    {base::vpu_data_write_miss, caches},
};

TEST(events, each_has_a_kernel_that_counts_and_one_that_does_not) {
    for (std::size_t n = 0; n < base::event_count; ++n) {
        const auto e = static_cast<base::event>(n);
        if (pmu::info(e).unit == pmu::event_unit::cri) continue;
        const auto named = knc::test::entries_of(e, pairs);
        const auto exempted = knc::test::entries_of(e, exempt);
        EXPECT_EQ(named + exempted, 1) << pmu::info(e).name;
    }
}

// What is expected of a kernel is what its suite compares it with.
TEST(events, the_kernels_expect_what_they_are_named_for) {
    knc::test::expect_as_named<kernel>(pairs);
}

// An event some kernel expects is not exempt any more.
TEST(events, exemptions_are_needed) {
    for (const exemption& x : exempt)
        for (const kernel* k : kernel::all())
            EXPECT_EQ(k->expected(x.event), 0u) << k->name() << ' ' << pmu::info(x.event).name;
}

TEST(events, kernels_have_names_of_their_own) {
    knc::test::expect_own_names<kernel>(500);
}

}  // namespace
}  // namespace knc::kernels

// Summaries that cores share: equal ones once, and what has been handed out stays.
#include <knc/isa/group_store.h>

#include <gtest/gtest.h>

namespace knc::isa::test {
namespace {

insn instruction(std::uint8_t length, std::int64_t imm, insn_pairing p) {
    insn i;
    i.length = length;
    i.imm = imm;
    i.pairing = p & 3u;
    return i;
}

static_group ready(std::uint8_t u_length) {
    static_group g;
    g.properties = static_group::ready;
    g.u_length = u_length;
    return g;
}

struct group_page_test : testing::Test {
    group_page page;
    group_page::contents mine, others;
};

TEST_F(group_page_test, equal_issues_are_there_once) {
    const insn u = instruction(3, 7, insn_paired), v = instruction(2, 8, insn_unknown);
    const std::uint16_t k = page.keep(0x100, u, &v, ready(3), mine);
    ASSERT_NE(k, 0u);
    EXPECT_EQ(page.keep(0x100, u, &v, ready(3), others), k);
    EXPECT_EQ(page.size(), 3u);  // the place of none, U and V
    EXPECT_EQ(mine.instructions, others.instructions);
    EXPECT_EQ(mine.instructions[k].imm, 7);
    EXPECT_EQ(mine.groups[k].u_length, 3u);
    EXPECT_EQ(mine.instructions[mine.groups[k].v].imm, 8);
}

// In V, it does not count what a core knows of the instruction as the first of an issue.
TEST_F(group_page_test, knowledge_of_one_core_makes_no_difference) {
    insn u = instruction(3, 7, insn_paired), v = instruction(2, 8, insn_unknown);
    const std::uint16_t k = page.keep(0x100, u, &v, ready(3), mine);
    u.flags |= insn_goes_on;
    v.flags |= insn_goes_on | insn_vector_partner;
    v.pairing = insn_alone;
    v.pair_cycles = 4;
    EXPECT_EQ(page.keep(0x100, u, &v, ready(3), mine), k);
}

TEST_F(group_page_test, other_issues_have_other_indices) {
    const insn u = instruction(3, 7, insn_paired), v = instruction(2, 8, insn_unknown);
    const std::uint16_t k = page.keep(0x100, u, &v, ready(3), mine);
    const insn other_v = instruction(2, 9, insn_unknown);
    const std::uint16_t after_other_v = page.keep(0x100, u, &other_v, ready(3), mine);
    EXPECT_NE(after_other_v, k);
    EXPECT_EQ(mine.instructions[mine.groups[after_other_v].v].imm, 9);
    EXPECT_EQ(mine.instructions[mine.groups[k].v].imm, 8);
    const insn alone = instruction(3, 7, insn_alone);
    const std::uint16_t by_itself = page.keep(0x100, alone, nullptr, ready(3), mine);
    EXPECT_NE(by_itself, k);
    EXPECT_EQ(mine.groups[by_itself].v, 0u);
    EXPECT_NE(page.keep(0x101, u, &v, ready(3), mine), k);
}

// The first indices lie in a storage that has become too small since.
TEST_F(group_page_test, what_was_handed_out_stays) {
    const insn first = instruction(1, -1, insn_alone);
    const std::uint16_t k = page.keep(0, first, nullptr, ready(1), mine);
    for (std::uint64_t n = 1; n < 4096; ++n)
        page.keep(n, instruction(1, static_cast<std::int64_t>(n), insn_alone), nullptr, ready(1),
                  others);
    EXPECT_NE(mine.instructions, others.instructions);
    EXPECT_EQ(mine.instructions[k].imm, -1);
    EXPECT_EQ(others.instructions[k].imm, -1);
    EXPECT_EQ(page.keep(0, first, nullptr, ready(1), mine), k);
    EXPECT_EQ(mine.instructions, others.instructions);
}

TEST_F(group_page_test, an_end_of_room_is_told) {
    std::uint16_t k = 1;
    std::int64_t n = 0;
    for (; k != 0 && n < 100'000; ++n)
        k = page.keep(5, instruction(1, n, insn_alone), nullptr, ready(1), mine);
    EXPECT_EQ(n, 1 << 14);  // 2^14 places, one of which stands for none
    EXPECT_EQ(page.keep(5, instruction(1, 0, insn_alone), nullptr, ready(1), mine), 1u);
    const insn v = instruction(2, -2, insn_unknown);
    EXPECT_EQ(page.keep(5, instruction(1, 0, insn_paired), &v, ready(1), mine), 0u);
}

TEST(group_store, a_written_page_begins_anew) {
    group_store store;
    const auto before = store.page(7);
    EXPECT_EQ(store.page(7), before);
    EXPECT_NE(store.page(8), before);
    store.drop(7);
    EXPECT_NE(store.page(7), before);
    const auto after = store.page(7);
    store.clear();
    EXPECT_NE(store.page(7), after);
}

}  // namespace
}  // namespace knc::isa::test

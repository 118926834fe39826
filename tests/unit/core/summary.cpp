// What the summary of an issue says, and which issues have none.
#include <knc/core/summary.h>

#include <gtest/gtest.h>

#include <knc/core/issue_rules.h>

#include "code.h"

namespace knc::core::test {
namespace {

using bytes = std::initializer_list<std::uint8_t>;
using group = isa::static_group;

constexpr std::uint64_t place = 0x40'0100;
constexpr std::uint64_t fetch_bytes = 32;

// As the fetch unit keeps it.
isa::insn prepared(bytes b) {
    isa::insn i = decode(b);
    set_issue_properties(i);
    return i;
}

// The summary of `u` at `la` and its successor `v`, after it has been decided whether they pair.
group summary(bytes u, bytes v, bool paired, std::uint64_t la = place) {
    isa::insn first = prepared(u);
    const isa::insn second = prepared(v);
    first.pairing = paired ? isa::insn_paired : isa::insn_alone;
    if (paired)
        first.pair_cycles =
            static_cast<std::uint8_t>(pair_cycles(classify(decode(u)), classify(decode(v))));
    return summarize(first, paired ? &second : nullptr, la, fetch_bytes);
}
group alone(bytes u) {
    return summary(u, {0x90}, false);
}

constexpr std::uint32_t bit(unsigned r) {
    return 1u << r;
}

TEST(summary, a_pair) {
    // add [rbx + 8], eax; mov ecx, [rdx]
    const group g = summary({0x01, 0x43, 8}, {0x8B, 0x0A}, true);
    EXPECT_EQ(g.properties,
              group::ready | group::both_access | group::u_several | group::v_in_block);
    EXPECT_EQ(g.address, bit(isa::rbx) | bit(isa::rdx));
    EXPECT_EQ(g.u_written, 0u);
    EXPECT_EQ(g.written, bit(isa::rcx));
    EXPECT_EQ(g.u_cycles, 3u);
    EXPECT_EQ(g.cycles, 3u);
    EXPECT_EQ(g.u_length, 3u);
    EXPECT_EQ(g.v_length, 2u);
}

TEST(summary, one_instruction) {
    const group g = alone({0x6B, 0xC1, 3});  // imul eax, ecx, 3
    EXPECT_EQ(g.properties, group::ready);
    EXPECT_EQ(g.u_written, bit(isa::rax));
    EXPECT_EQ(g.written, bit(isa::rax));
    EXPECT_EQ(g.u_cycles, 9u);
    EXPECT_EQ(g.cycles, 9u);
    EXPECT_EQ(g.u_length, 3u);
    EXPECT_EQ(g.v_length, 0u);
}

TEST(summary, branches) {
    EXPECT_EQ(summary({0x39, 0xC8}, {0x74, 0}, true).properties,  // cmp eax, ecx; jz
              group::ready | group::v_branch | group::v_in_block);
    EXPECT_EQ(alone({0x74, 0}).properties, group::ready | group::u_branch);
    EXPECT_EQ(alone({0xC3}).properties,  // ret
              group::ready | group::u_branch);
}

// The block of U's last byte is the one that the prefetch buffer has when V is fetched.
TEST(summary, block_of_the_second) {
    const auto in_block = [](std::uint64_t offset) {
        // mov eax, ecx; mov edx, ecx: two bytes each
        return summary({0x89, 0xC8}, {0x89, 0xCA}, true, place + offset).is(group::v_in_block);
    };
    EXPECT_TRUE(in_block(28));   // bytes 28-31
    EXPECT_FALSE(in_block(29));  // V's last byte is byte 32
    EXPECT_FALSE(in_block(30));
    EXPECT_TRUE(in_block(31));  // both end in the next block
}

// PUSH and POP form their address from the stack pointer, in a role of its own.
TEST(summary, stack) {
    const group g = summary({0x50}, {0x51}, true);  // push rax; push rcx
    EXPECT_EQ(g.address, isa::stack_register);
    EXPECT_EQ(g.written, 0u);
    EXPECT_TRUE(g.is(group::both_access));
}

TEST(summary, what_has_none) {
    EXPECT_FALSE(alone({0xF4}).is(group::ready));              // hlt
    EXPECT_FALSE(alone({0x0F, 0x31}).is(group::ready));        // rdtsc
    EXPECT_FALSE(alone({0xF0, 0x01, 0x03}).is(group::ready));  // lock add [rbx], eax
    EXPECT_FALSE(alone({0x87, 0x03}).is(group::ready));        // xchg [rbx], eax
    EXPECT_FALSE(alone({0xF3, 0xA4}).is(group::ready));        // rep movsb
    EXPECT_FALSE(alone({0xA4}).is(group::ready));              // movsb
    EXPECT_FALSE(alone({0x0F, 0x22, 0xD8}).is(group::ready));  // mov cr3, rax
    EXPECT_FALSE(alone({0x9D}).is(group::ready));              // popf
    EXPECT_FALSE(alone({0xFB}).is(group::ready));              // sti
    EXPECT_FALSE(alone({0x8E, 0xD0}).is(group::ready));        // mov ss, eax
    EXPECT_FALSE(alone({0x48, 0xCF}).is(group::ready));        // iretq
    EXPECT_FALSE(alone({0x0F, 0x05}).is(group::ready));        // syscall
    EXPECT_FALSE(alone({0xD9, 0xC0}).is(group::ready));        // fld st(0)
    EXPECT_FALSE(alone({0x0F, 0x0B}).is(group::ready));        // ud2
    EXPECT_FALSE(alone({0x0F, 0x44, 0xC1}).is(group::ready));  // a refused instruction
    EXPECT_FALSE(alone({0x0F, 0xA2}).is(group::ready));        // cpuid
    EXPECT_FALSE(alone({0xF7, 0xF1}).is(group::ready));        // div ecx: microcode
}

// The second instruction alone would have a summary.
TEST(summary, both_have_to_be_plain) {
    isa::insn vector = decode({0x62, 0xF1, 0x78, 0x08, 0x58, 0xC1});  // vaddps zmm0, zmm0, zmm1
    ASSERT_NE(vector.flags & isa::insn_vector, 0u);
    vector.pairing = isa::insn_paired;
    const isa::insn second = prepared({0x89, 0xC8});
    EXPECT_FALSE(summarize(vector, &second, place, fetch_bytes).is(group::ready));
    EXPECT_TRUE(summarize(second, nullptr, place, fetch_bytes).is(group::ready));
}

}  // namespace
}  // namespace knc::core::test

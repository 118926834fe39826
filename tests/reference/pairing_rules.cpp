// The rules as the reference reads them, and as the core has them, on every form of instruction.
#include <vector>

#include <gtest/gtest.h>

#include <knc/isa/decoder.h>

#include "dice.h"
#include "pairing.h"
#include "survey.h"

namespace knc::reference {
namespace {

std::vector<isa::insn> all_instructions() {
    std::vector<isa::insn> all;
    for (const isa::test::entry& e : isa::test::survey())
        for (const isa::test::sample& s : e.samples) {
            isa::insn i;
            const auto size = static_cast<unsigned>(s.bytes.size());
            if (isa::decode(isa::profile::compat, s.mode, s.bytes.data(), size, i) ==
                isa::decode_result::ok)
                all.push_back(i);
        }
    return all;
}

TEST(pairing_rules, model_and_reference_agree) {
    const std::vector<isa::insn> all = all_instructions();
    ASSERT_GT(all.size(), 1000u);
    std::vector<std::size_t> first, second;  // those that may issue to U, to V
    for (std::size_t n = 0; n < all.size(); ++n) {
        const core::issue_class c = core::classify(all[n]);
        const pipe_use use = use_of(all[n]);
        EXPECT_EQ(use.in_u, c.pipe == core::pipe::u || c.pipe == core::pipe::uv) << n;
        EXPECT_EQ(use.in_v, c.pipe == core::pipe::v || c.pipe == core::pipe::uv) << n;
        EXPECT_EQ(use.clocks, c.clocks) << n;
        EXPECT_EQ(use.modifies_memory, c.read_modify_write) << n;
        if (use.in_u) first.push_back(n);
        if (use.in_v) second.push_back(n);
    }
    ASSERT_GT(first.size(), 100u);
    ASSERT_GT(second.size(), 100u);
    dice d(1);
    unsigned paired = 0;
    constexpr unsigned trials = 300'000;
    for (unsigned k = 0; k < trials; ++k) {
        // Mostly two that the classes allow.
        const bool any = d.chance(10);
        const auto pick = [&](const std::vector<std::size_t>& of) {
            return any ? d.below(static_cast<unsigned>(all.size()))
                       : of[d.below(static_cast<unsigned>(of.size()))];
        };
        const isa::insn &u = all[pick(first)], &v = all[pick(second)];
        const core::issue_class a = core::classify(u), b = core::classify(v);
        const bool expected = pairs(u, v);
        ASSERT_EQ(core::may_pair(u, a, v, b), expected) << k;
        if (!expected) continue;
        ++paired;
        ASSERT_EQ(core::pair_cycles(a, b), clocks_together(u, v)) << k;
    }
    EXPECT_GT(paired, trials / 20);
}

}  // namespace
}  // namespace knc::reference

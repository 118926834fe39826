// The table of issue rules: complete, without dead lines, in step with the decoder and the page.
#include <knc/core/issue_rules.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include <Zydis/Mnemonic.h>

#include <knc/isa/decoder.h>

#include "survey.h"

namespace knc::core::test {
namespace {

constexpr isa::profile profiles[] = {isa::profile::knc, isa::profile::compat, isa::profile::p55c};

// Calls `visit` with each form of each instruction that can be decoded and executed.
template <class Visit>
void each_form(Visit visit) {
    std::vector<isa::test::entry> all = isa::test::survey();
    // To the survey a far return is one more near one.
    all.front().samples.push_back({isa::code_mode::bits64, {0xCB}});
    for (const isa::test::entry& e : all) {
        for (const isa::test::sample& s : e.samples) {
            for (const isa::profile p : profiles) {
                isa::insn i;
                isa::decode(p, s.mode, s.bytes.data(), static_cast<unsigned>(s.bytes.size()), i);
                constexpr std::uint32_t no_rule = isa::insn_refused | isa::insn_undefined;
                if ((i.flags & no_rule) != 0) continue;
                visit(i, e.mnemonic);
            }
        }
    }
}

TEST(issue_table, has_a_line_for_every_form) {
    const std::size_t everything_else = issue_rules() - 1;
    unsigned forms = 0;
    each_form([&](const isa::insn& i, const std::string& name) {
        const issue_class c = classify(i);
        EXPECT_NE(c.rule, everything_else) << name;
        EXPECT_GE(c.clocks, 1) << name;
        ++forms;
    });
    EXPECT_GT(forms,
              500u);  // three profiles times some 400 scalar mnemonics, most with several forms
}

TEST(issue_table, has_no_dead_line) {
    std::set<unsigned> used;
    each_form([&](const isa::insn& i, const std::string&) { used.insert(classify(i).rule); });
    for (std::size_t n = 0; n + 1 < issue_rules(); ++n)
        EXPECT_EQ(used.count(static_cast<unsigned>(n)), 1u)
            << issue_rule_at(n).mnemonics << ", " << issue_rule_at(n).form;
}

TEST(issue_table, names_mnemonics) {
    std::set<std::string> known;
    for (unsigned m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; ++m)
        known.insert(ZydisMnemonicGetString(static_cast<ZydisMnemonic>(m)));
    for (std::size_t n = 0; n < issue_rules(); ++n) {
        std::istringstream names(issue_rule_at(n).mnemonics);
        for (std::string name; names >> name;) EXPECT_EQ(known.count(name), 1u) << name;
    }
}

// The table decides what stalls the other threads; the decoder's own flag agrees with it, but for
// x87, of which it knows less.
TEST(issue_table, agrees_with_the_decoder_about_microcode) {
    each_form([&](const isa::insn& i, const std::string& name) {
        if ((i.flags & (isa::insn_not_executed | isa::insn_x87)) != 0) return;
        EXPECT_EQ(issue_rule_at(classify(i).rule).microcode, (i.flags & isa::insn_microcode) != 0)
            << name;
    });
}

TEST(issue_table, is_printed_in_the_documentation) {
    std::ifstream page(KNC_SOURCE "/docs/pipeline.md", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    const std::string table = issue_rules_page();
    if (text.find(table) == std::string::npos) {
        const std::string file = testing::TempDir() + "issue_rules.md";
        std::ofstream(file, std::ios::binary) << table;
        FAIL() << "docs/pipeline.md does not contain the present table, which is in " << file;
    }
}

}  // namespace
}  // namespace knc::core::test

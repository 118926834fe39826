// Random statements: each gives bytes, a message, or stays as it is.
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <knc_as/rewriter.h>

#include "assemble.h"

namespace knc_as::test {
namespace {

TEST(hostile, random_statements_do_no_harm) {
    const char* const words[] = {"vaddps",
                                 "kmov",
                                 "jkzd",
                                 "vgatherdps",
                                 "popcntl",
                                 "%zmm1",
                                 "zmm2",
                                 "%k1",
                                 "k2",
                                 "%rax",
                                 "rsp",
                                 "rip",
                                 "%eip",
                                 "%fs:",
                                 "gs:",
                                 "(",
                                 ")",
                                 "[",
                                 "]",
                                 "{",
                                 "}",
                                 ",",
                                 "+",
                                 "-",
                                 "*",
                                 "/",
                                 "%",
                                 "<<",
                                 ">>",
                                 "~",
                                 "$",
                                 "1",
                                 "64",
                                 "0x",
                                 "0b1",
                                 "1f",
                                 "99999999999999999999",
                                 ".",
                                 "a",
                                 "a.b$c",
                                 ":",
                                 ";",
                                 "#",
                                 "/*",
                                 "*/",
                                 "\"",
                                 "'",
                                 "\\",
                                 "=",
                                 " ",
                                 "\t",
                                 "{k1}",
                                 "{cdab}",
                                 "{1to16}",
                                 "{rn-sae}",
                                 "{vex3}",
                                 "ptr",
                                 "zmmword ptr",
                                 ".intel_syntax noprefix",
                                 ".att_syntax",
                                 "-9223372036854775808",
                                 "# 1 \"",
                                 "\n"};
    using statement = std::vector<std::string>;
    const statement right[] = {{"vaddps ", "64", "(", "%rax", ",", "%rbx", ",", "4", ")", "{1to16}",
                                ",", "%zmm2", ",", "%zmm1", "{", "%k1", "}"},
                               {"vaddps ", "%zmm1", "{", "k1", "}", ",", "%zmm2", ",", "[", "%rax",
                                "+", "4", "*", "%rbx", "+", "64", "]", "{1to16}"}};
    std::mt19937 random(20);  // the same statements in each run
    unsigned bytes = 0, messages = 0, same = 0;
    for (unsigned n = 0; n < 200'000; ++n) {
        rewriter r("file.s");
        if (n % 2 == 1) r.rewrite(".intel_syntax noprefix");
        statement parts = right[n % 2];
        for (auto left = random() % 5; left-- > 0;) {
            const std::size_t at = random() % parts.size();
            parts[at] = words[random() % std::size(words)];
            if (random() % 4 == 0) parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
        }
        std::string line;
        for (const std::string& part : parts) line += part;
        const std::string out = r.rewrite(line);
        if (!r.errors().empty())
            ++messages;
        else if (out != line)
            ++bytes;
        else
            ++same;
    }
    // A fifth has no change. Most of the others are wrong; without its mnemonic a statement is not
    // ours.
    EXPECT_GT(bytes, 40'000u);
    EXPECT_GT(messages, 80'000u);
    EXPECT_GT(same, 4'000u);
}

}  // namespace
}  // namespace knc_as::test

// What is said about statements that cannot be assembled, and where.
#include <gtest/gtest.h>

#include <knc_as/rewriter.h>

#include "assemble.h"

namespace knc_as::test {
namespace {

struct row {
    const char* line;
    const char* message;
};

TEST(messages, name_what_is_wrong) {
    constexpr const char* no_form =
        "no such form: operands or modifiers do not fit the instruction";
    const row rows[] = {
        // A swizzle works on the operand that memory could stand for: the third in Intel order.
        {"vaddps %zmm3, %zmm2{cdab}, %zmm1", no_form},
        {"vaddps (%rax){1to8}, %zmm2, %zmm1", no_form},
        {"vaddps (%rax), %zmm1", no_form},
        {"vaddps $5, %zmm1, %zmm1", no_form},
        {"vaddps", no_form},
        {"vaddps %rax, %zmm2, %zmm3", no_form},
        {"vaddps %zmm1{rn}{cdab}, %zmm2, %zmm3", no_form},
        {"vaddps (%rax,%rsp), %zmm2, %zmm3", no_form},
        {"vaddps (%rip,%rax), %zmm2, %zmm3", no_form},
        {"vgatherdps (%rax), %zmm1{%k1}", no_form},
        {"vmovaps (%rax){1to16}, %zmm1", no_form},
        {"kand (%rax), %k1", no_form},
        {"kmov %rax, %k1", no_form},
        // VEX has no room for modifiers.
        {"kand %k1, %k2{%k3}", no_form},
        {"vprefetch0 (%rax){%k1}", no_form},
        {"popcnt %eax, %ecx{%k1}", no_form},
        {"{vex} vaddps %zmm1, %zmm2, %zmm3", no_form},
        {"{mvex} kand %k1, %k2", no_form},
        {"{evex} vaddps %zmm1, %zmm2, %zmm3", "unknown prefix {evex}"},
        {"vaddps %zmm3{1to16}, %zmm2, %zmm1",
         "broadcast, conversion and {eh} belong to a memory operand"},
        {"vaddps (%rax){rn}, %zmm2, %zmm1", "swizzle, rounding and {sae} belong to a register"},
        {"vaddps %zmm3{%k1}, %zmm2, %zmm1", "the mask belongs to the destination"},
        {"vaddps %zmm3, %zmm2, %zmm1{%k0}", "{k0} is no mask: leave it out"},
        {"vaddps {%k1}, %zmm2, %zmm1", "masks and swizzles belong to an operand"},
        {"vaddps (%rax){foo}, %zmm2, %zmm1", "unknown modifier {foo}"},
        {"vaddps %zmm3, %zmm2, %zmm1{z}", "unknown modifier {z}"},
        {"vaddps %zmm3{cdab}{badc}, %zmm2, %zmm1", "two modifiers of one kind"},
        {"vaddps %zmm3{rn}, {rz}, %zmm2, %zmm1", "two modifiers of one kind"},
        {"vaddps {rn}, {rz}, %zmm3, %zmm2, %zmm1", "two modifiers of one kind"},
        {"vaddps (%rax{1to16}), %zmm2, %zmm1", "braces stand behind an operand"},
        {"vaddps %zmm1{cdab, %zmm2, %zmm3", "a brace is not closed"},
        {"vaddps (%rax), %ymm2, %zmm1", "'%ymm2' is no register of a vector or mask instruction"},
        {"vaddps %zmm32, %zmm1, %zmm1", "'%zmm32' is no register of a vector or mask instruction"},
        {"vaddps (%rax,%foo), %zmm1, %zmm1", "'%foo' is no register"},
        {"vaddps (%rax,%rbx,3), %zmm1, %zmm1", "a scale is 1, 2, 4 or 8"},
        {"vaddps (%rax,%rbx,1,2), %zmm1, %zmm1", "too many registers in an address"},
        {"vaddps (%rax, %zmm2, %zmm1", "cannot read '(%rax, %zmm2, %zmm1'"},
        {"vaddps 8)(%rax), %zmm2, %zmm1", "cannot read '8)(%rax), %zmm2, %zmm1'"},
        {"vaddps 1/0(%rax), %zmm2, %zmm1", "division by zero in '1/0'"},
        {"vaddps %zmm1,, %zmm2", "an operand is missing"},
        {"vaddps %zmm1,%zmm1,%zmm1,%zmm1,%zmm1", "too many operands"},
        {"vaddps 0x80000000(%rax), %zmm2, %zmm1", "a displacement has 32 bits with sign"},
        {"vaddps 0x10000000000000000(%rax), %zmm2, %zmm1",
         "'0x10000000000000000' has more than 64 bits"},
        {"vaddps %ds:(%rax), %zmm2, %zmm1", "64-bit code has the segments fs and gs only"},
        {"vaddps a@GOTPCREL(%rip), %zmm2, %zmm1", "cannot read 'a@GOTPCREL'"},
        {"vaddps .+8(%rip), %zmm2, %zmm1", "'.' has another value in bytes: name a label"},
        {"vaddps \\a, %zmm2, %zmm1",
         "no arguments of assembler macros here: use a macro of the C preprocessor"},
        {"vcmpps $256, %zmm1, %zmm1, %k1", "an immediate has 8 bits"},
        {"vcmpps $-129, %zmm1, %zmm1, %k1", "an immediate has 8 bits"},
        {"vcmpps $a, %zmm1, %zmm1, %k1", "an immediate must be a number"},
        {"tzcntl %rax, %rbx", "the suffix of the mnemonic does not fit a register"},
    };
    for (const row& r : rows) {
        const std::string wanted = std::string("file.s:1: knc-as: ") + r.message + ": " + r.line;
        EXPECT_EQ(message_about(r.line), wanted);
    }
}

TEST(messages, name_file_and_line_of_the_source) {
    rewriter r("temporary.s");
    const char* const lines[] = {
        "vaddps",                  // before any marker: line 1 of the input
        "# 1 \"/src/file.S\"",     //
        "nop",                     // 1
        "nop; vaddps; vsubps",     // 2, both
        "# 12 \"header.h\" 1",     //
        "label: vaddps",           // 12
        "# 40 \"/src/file.S\" 2",  //
        "/* vaddps",               // 40: a comment
        "vaddps */ vaddps",        // 41
        "# 0 \"\" 2",              // the compiler's own lines again
        "vaddps",                  // line 11 of the input
    };
    for (const char* line : lines) r.rewrite(line);
    std::vector<std::string> places;
    for (const std::string& e : r.errors()) places.push_back(e.substr(0, e.find(": knc-as")));
    const std::vector<std::string> wanted = {"temporary.s:1", "/src/file.S:2",  "/src/file.S:2",
                                             "header.h:12",   "/src/file.S:41", "temporary.s:11"};
    EXPECT_EQ(places, wanted);
}

TEST(messages, modes_without_the_vector_unit) {
    rewriter r("file.s");
    r.rewrite(".code32; vaddps %zmm1, %zmm2, %zmm3");
    ASSERT_EQ(r.errors().size(), 1u);
    EXPECT_EQ(r.errors()[0],
              "file.s:1: knc-as: this instruction needs 64-bit code: vaddps %zmm1, %zmm2, %zmm3");
    r.rewrite(".code64; vaddps %zmm1, %zmm2, %zmm3");
    EXPECT_EQ(r.errors().size(), 1u);
}

}  // namespace
}  // namespace knc_as::test

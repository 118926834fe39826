// Sources as a whole: what changes, what stays.
#include <gtest/gtest.h>

#include <knc_as/rewriter.h>

#include "assemble.h"

namespace knc_as::test {
namespace {

std::string rewritten(const std::string& line) {
    rewriter r("file.s");
    const std::string out = r.rewrite(line);
    EXPECT_TRUE(r.errors().empty()) << r.errors()[0];
    return out;
}

TEST(source, other_lines_stay_as_they_are) {
    for (const char* line :
         {"", "\t.text", "f:\tmov %eax, (%rbx) # vaddps", "  kandw %k1, %k2, %k3 ; nop",
          "\t.ascii \"; vaddps \\\"; vaddps\"", "\tmovb $';', %al",
          "movb $'\\'', %al; movb $'\"', %al", "# vaddps", "/ vaddps", "/* vaddps */ nop",
          "delay = 5", "delay: nop", "call delay", ".macro vaddps a", "rep; nop",
          "lock/addl $0,(%rsp)", "{vex3} vandps %xmm1, %xmm2, %xmm3"}) {
        EXPECT_EQ(rewritten(line), line);
    }
}

TEST(source, lines_with_instructions_of_the_card) {
    EXPECT_EQ(rewritten("a: 1: kand %k1, %k2 # c"),
              "a: 1:\t.byte 0xc5,0xf8,0x41,0xd1 /* kand %k1, %k2 */ # c");
    EXPECT_EQ(rewritten("nop;KAND %k1,%k2;nop"),
              "nop;\t.byte 0xc5,0xf8,0x41,0xd1 /* KAND %k1,%k2 */ ;nop");
    EXPECT_EQ(rewritten("kand /* a; */ %k1, %k2 /* b"),
              "\t.byte 0xc5,0xf8,0x41,0xd1 /* kand   %k1, %k2 */ /* b");
    // Relative to the end of the instruction: 4 bytes of displacement, and an immediate behind
    // them.
    EXPECT_EQ(rewritten("jkzd a+8, %k1"),
              "\t.byte 0xc5,0xf0,0x84; .long (a+8) - . - 4 /* jkzd a+8, %k1 */ ");
    EXPECT_EQ(rewritten("jknzd 1f, %k0"),
              "\t.byte 0xc5,0xf8,0x85; .long (1f) - . - 4 /* jknzd 1f, %k0 */ ");
    EXPECT_EQ(rewritten("vcmpps $1, a(%rip), %zmm2, %k2"),
              "\t.byte 0x62,0xf1,0x68,0x08,0xc2,0x15; .long (a) - . - 5; .byte 0x01 "
              "/* vcmpps $1, a(%rip), %zmm2, %k2 */ ");
    EXPECT_EQ(rewritten("vmovaps a+64(,%rcx,4), %zmm2"),
              "\t.byte 0x62,0xf1,0x78,0x08,0x28,0x14,0x8d; .reloc ., R_X86_64_32S, a+64; .long 0 "
              "/* vmovaps a+64(,%rcx,4), %zmm2 */ ");
}

TEST(source, comments_over_several_lines) {
    rewriter r("file.s");
    EXPECT_EQ(r.rewrite("/* kand"), "/* kand");
    EXPECT_EQ(r.rewrite("kand %k1, %k2"), "kand %k1, %k2");
    EXPECT_EQ(r.rewrite("*/kand %k1, %k2"), "*/\t.byte 0xc5,0xf8,0x41,0xd1 /* kand %k1, %k2 */ ");
}

TEST(source, the_directives_choose_the_syntax) {
    rewriter r("file.s");
    constexpr const char* bytes = "\t.byte 0x62,0xf1,0x68,0x08,0x58,0xcb /* ";
    const auto rest = [](const std::string& line) { return line + " */ "; };
    const auto check = [&](const char* line) { EXPECT_EQ(r.rewrite(line), bytes + rest(line)); };
    check("vaddps %zmm3, %zmm2, %zmm1");
    r.rewrite(".intel_syntax noprefix");
    check("vaddps zmm1, zmm2, zmm3");
    check("vaddps %zmm1, %zmm2, %zmm3");
    r.rewrite(" .att_syntax noprefix");
    check("vaddps zmm3, zmm2, zmm1");
    EXPECT_EQ(r.rewrite("nop; .att_syntax; vaddps %zmm3, %zmm2, %zmm1"),
              "nop; .att_syntax;" + (bytes + rest("vaddps %zmm3, %zmm2, %zmm1")));
    r.rewrite(".intel_syntax");
    check("vaddps %zmm1, %zmm2, %zmm3");
    EXPECT_TRUE(r.errors().empty());
    r.rewrite("vaddps zmm1, zmm2, zmm3");
    EXPECT_EQ(r.errors().size(), 1u);
}

// The same address in all its spellings.
TEST(source, addresses_in_intel_syntax) {
    const auto intel = [](const char* operand) {
        return hex(assembled(std::string("vmovaps zmm1, ") + operand, language::intel));
    };
    for (const char* operand : {"[rax+rbx*4+64]", "[rax + 4*rbx + 32*2]", "64[rax][rbx*4]",
                                "zmmword ptr [rbx*4+rax+0x40]", "ZMMWORD PTR 64[RAX+RBX*4]",
                                "[64+rax+rbx*4]", "[rax+rbx*(2+2)+128-64]", "[rax+rbx*4- -64]"})
        EXPECT_EQ(intel(operand), "62 F1 78 08 28 4C 98 01") << operand;
    EXPECT_EQ(intel("[rax+rsp]"), intel("[rsp+rax]"));
    EXPECT_EQ(intel("[rsp+rax]"), "62 F1 78 08 28 0C 04");
    EXPECT_EQ(intel("fs:[64]"), "64 62 F1 78 08 28 0C 25 40 00 00 00");
    EXPECT_EQ(
        rewritten(".intel_syntax noprefix; vmovaps zmm1, zmmword ptr a[rip+8]"),
        ".intel_syntax noprefix;\t.byte 0x62,0xf1,0x78,0x08,0x28,0x0d; .long (+(a)+(8)) - . - 4 "
        "/* vmovaps zmm1, zmmword ptr a[rip+8] */ ");
    for (const char* operand :
         {"[rax-rbx]", "[rax+rbx+rcx]", "[rax*3]", "[rax*2+rbx*2]", "[rax", "rax]"}) {
        rewriter r("file.s");
        r.rewrite(".intel_syntax noprefix");
        r.rewrite(std::string("vmovaps zmm1, ") + operand);
        EXPECT_EQ(r.errors().size(), 1u) << operand;
    }
}

}  // namespace
}  // namespace knc_as::test

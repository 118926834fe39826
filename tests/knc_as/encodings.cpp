// Each line of encodings.table.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "assemble.h"

namespace knc_as::test {
namespace {

struct line {
    std::string bytes, text;
    bool other = false;
};

std::string trimmed(const std::string& s) {
    const auto first = s.find_first_not_of(' ');
    return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

std::vector<line> table() {
    std::ifstream in(KNC_SOURCE "/tests/knc_as/encodings.table");
    std::vector<line> all;
    for (std::string text; std::getline(in, text);) {
        if (text.empty() || text[0] == '#') continue;
        std::istringstream fields(text);
        std::string encoding, bytes, sample, other;
        std::getline(fields, encoding, '|');
        std::getline(fields, bytes, '|');
        std::getline(fields, sample, '|');
        std::getline(fields, other, '|');
        all.push_back({trimmed(bytes), trimmed(sample), trimmed(other) == "other"});
    }
    return all;
}

// The table's bytes have the prefix C4, which {vex3} asks for.
TEST(encodings, of_the_table_byte_for_byte) {
    unsigned exact = 0, other = 0;
    for (const line& l : table()) {
        const bytes b = assembled("{vex3} " + l.text, language::intel);
        decoded d;
        if (l.other) {
            // One of two encodings is enough; both must be the instruction.
            bytes theirs = from_hex(l.bytes);
            ASSERT_TRUE(decode(theirs, d));
            EXPECT_EQ(text_of(d, language::intel), l.text);
            ++other;
        } else {
            EXPECT_EQ(hex(b), l.bytes) << l.text;
            ++exact;
        }
        ASSERT_TRUE(decode(b, d));
        EXPECT_EQ(text_of(d, language::intel), l.text);
    }
    EXPECT_EQ(exact, 49u);
    EXPECT_EQ(other, 14u);
}

// Without it, C5 where it can say the same: a byte less.
TEST(encodings, the_shortest_is_chosen) {
    const auto att = [](const char* text) { return hex(assembled(text, language::att)); };
    EXPECT_EQ(att("kand %k1, %k2"), "C5 F8 41 D1");
    EXPECT_EQ(att("{vex} kand %k1, %k2"), "C5 F8 41 D1");
    EXPECT_EQ(att("{vex3} kand %k1, %k2"), "C4 E1 78 41 D1");
    // W = 1 and the registers 8 to 15 in ModRM.rm need C4.
    EXPECT_EQ(att("delay %rax"), "C4 E1 FA AE F0");
    EXPECT_EQ(att("delay %r8d"), "C4 C1 7A AE F0");
    // Prefetches have both prefixes. MVEX scales an 8-bit displacement by 64: 16 x 64 = 0x400.
    EXPECT_EQ(att("vprefetch0 0x40(%rdi)"), "C5 F8 18 4F 40");
    EXPECT_EQ(att("vprefetch0 0x400(%rdi)"), "62 F1 78 08 18 4F 10");
    EXPECT_EQ(att("{vex} vprefetch0 0x400(%rdi)"), "C5 F8 18 8F 00 04 00 00");
    EXPECT_EQ(att("{mvex} vprefetch0 0x40(%rdi)"), "62 F1 78 08 18 4F 01");
    EXPECT_EQ(att("vprefetch0 (%rdi){eh}"), "62 F1 78 88 18 0F");
}

// MVEX: 62, R X B R' mmmm, W vvvv 0 pp, E SSS V' kkk, opcode, ModRM; R X B R' vvvv V' are inverted.
TEST(encodings, of_mvex_by_hand) {
    const auto att = [](const char* text) { return hex(assembled(text, language::att)); };
    // zmm1 = ModRM.reg 1, zmm2 = vvvv 1101, zmm3 = ModRM.rm 3; map 0F; k1.
    EXPECT_EQ(att("vaddps %zmm3, %zmm2, %zmm1{%k1}"), "62 F1 68 09 58 CB");
    // zmm17: R' = 0; zmm26: V' = 0, vvvv 0101; zmm31: B = 0 and X = 0.
    EXPECT_EQ(att("vaddps %zmm31, %zmm26, %zmm17"), "62 81 28 00 58 CF");
    // SSS: cdab 1, badc 2, dacb 3, aaaa 4 .. dddd 7.
    EXPECT_EQ(att("vaddps %zmm3{cdab}, %zmm2, %zmm1"), "62 F1 68 18 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{badc}, %zmm2, %zmm1"), "62 F1 68 28 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{dacb}, %zmm2, %zmm1"), "62 F1 68 38 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{aaaa}, %zmm2, %zmm1"), "62 F1 68 48 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{bbbb}, %zmm2, %zmm1"), "62 F1 68 58 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{cccc}, %zmm2, %zmm1"), "62 F1 68 68 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{dddd}, %zmm2, %zmm1"), "62 F1 68 78 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{dcba}, %zmm2, %zmm1"), "62 F1 68 08 58 CB");
    // E with a register: SSS 0 to 3 round to nearest, down, up, to zero; 4 to 7 without exceptions
    // too.
    EXPECT_EQ(att("vaddps %zmm3{rn}, %zmm2, %zmm1"), "62 F1 68 88 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{rd}, %zmm2, %zmm1"), "62 F1 68 98 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{ru}, %zmm2, %zmm1"), "62 F1 68 A8 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{rz}, %zmm2, %zmm1"), "62 F1 68 B8 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{rn-sae}, %zmm2, %zmm1"), "62 F1 68 C8 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{rd-sae}, %zmm2, %zmm1"), "62 F1 68 D8 58 CB");
    EXPECT_EQ(att("vaddps {ru-sae}, %zmm3, %zmm2, %zmm1"), "62 F1 68 E8 58 CB");
    EXPECT_EQ(att("vaddps %zmm3{rz-sae}, %zmm2, %zmm1"), "62 F1 68 F8 58 CB");
    // SSS with memory: 1to16 1, 4to16 2, float16 3, uint8 4, uint16 6, sint16 7 for floating point;
    // E is the hint.
    EXPECT_EQ(att("vaddps (%rax){1to16}, %zmm2, %zmm1"), "62 F1 68 18 58 08");
    EXPECT_EQ(att("vaddps (%rax){4to16}, %zmm2, %zmm1"), "62 F1 68 28 58 08");
    EXPECT_EQ(att("vaddps (%rax){float16}, %zmm2, %zmm1"), "62 F1 68 38 58 08");
    EXPECT_EQ(att("vaddps (%rax){uint8}, %zmm2, %zmm1"), "62 F1 68 48 58 08");
    EXPECT_EQ(att("vaddps (%rax){uint16}, %zmm2, %zmm1"), "62 F1 68 68 58 08");
    EXPECT_EQ(att("vaddps (%rax){sint16}, %zmm2, %zmm1"), "62 F1 68 78 58 08");
    EXPECT_EQ(att("vpaddd (%rax){sint8}, %zmm2, %zmm1"), "62 F1 69 58 FE 08");
    EXPECT_EQ(att("vaddpd (%rax){1to8}, %zmm2, %zmm1"), "62 F1 E9 18 58 08");
    EXPECT_EQ(att("vaddpd (%rax){4to8}{eh}, %zmm2, %zmm1"), "62 F1 E9 A8 58 08");
    // 8-bit displacements count units of what is loaded: 64, 4, 16 and 32 bytes.
    EXPECT_EQ(att("vaddps 64(%rax), %zmm2, %zmm1"), "62 F1 68 08 58 48 01");
    EXPECT_EQ(att("vaddps 4*3(%rax){1to16}, %zmm2, %zmm1"), "62 F1 68 18 58 48 03");
    EXPECT_EQ(att("vaddps -0x10(%rax){4to16}, %zmm2, %zmm1"), "62 F1 68 28 58 48 FF");
    EXPECT_EQ(att("vaddps (32<<1)(%rax){float16}, %zmm2, %zmm1"), "62 F1 68 38 58 48 02");
    EXPECT_EQ(att("vaddps 65(%rax), %zmm2, %zmm1"), "62 F1 68 08 58 88 41 00 00 00");
    // Addresses.
    EXPECT_EQ(att("vaddps 8*8(%r12,%rbx,8), %zmm2, %zmm1"), "62 D1 68 08 58 4C DC 01");
    EXPECT_EQ(att("vaddps 64(,%rbx,2), %zmm2, %zmm1"), "62 F1 68 08 58 0C 5D 40 00 00 00");
    EXPECT_EQ(att("vaddps 64, %zmm2, %zmm1"), "62 F1 68 08 58 0C 25 40 00 00 00");
    EXPECT_EQ(att("vaddps 64(%rip), %zmm2, %zmm1"), "62 F1 68 08 58 0D 40 00 00 00");
    EXPECT_EQ(att("vaddps %gs:64(%eax), %zmm2, %zmm1"), "65 67 62 F1 68 08 58 48 01");
    // Predicates in the name.
    EXPECT_EQ(att("vcmpnltps %zmm3, %zmm2, %k1{%k2}"), "62 F1 68 0A C2 CB 05");
    EXPECT_EQ(att("vpcmpleud %zmm3, %zmm2, %k1"), "62 F3 69 08 1E CB 02");
    EXPECT_EQ(att("vpcmpltd %zmm3, %zmm2, %k1"), "62 F2 69 08 74 CB");
}

}  // namespace
}  // namespace knc_as::test

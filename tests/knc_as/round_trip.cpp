// Every encoding of the card's own instructions that the decoder knows: decoded, printed in both
// syntaxes, assembled again.
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "assemble.h"

namespace knc_as::test {
namespace {

constexpr unsigned longest = 15;

// Values of the bits that name registers and masks, not inverted. `extended`: R, X, B and R'.
struct fields {
    bool extended;
    unsigned vvvv;
    bool v5;  // V', bit 4 of vvvv or of a vector of indices
    unsigned mask;
};
// Instructions with two operands have vvvv = 0, those with three any.
constexpr fields mvex_fields[] = {{false, 0, false, 0}, {false, 0, false, 3}, {true, 0, false, 5},
                                  {true, 0, true, 5},   {false, 2, false, 0}, {true, 13, true, 5}};
constexpr fields vex_fields[] = {
    {false, 0, false, 0}, {false, 5, false, 0}, {true, 0, false, 0}, {true, 5, false, 0}};

// What follows the opcode, with reg = 0, and an immediate that those instructions use that have
// one. The displacement with 32 bits fits no form with 8.
struct tail {
    bytes modrm_on;
    unsigned x_b;  // bits X (0x40) and B (0x20) of the prefix that name a register here
};
const tail mvex_register = {{0xC3, 0x01}, 0x60};  // 3
const tail vex_register = {{0xC3, 0x01}, 0x20};
const tail memory[] = {
    {{0x00, 0x01}, 0x20},                                // [rax]
    {{0x44, 0xB2, 0xFD, 0x01}, 0x60},                    // [rdx+rsi*4-3 units]
    {{0x83, 0x78, 0x56, 0x34, 0x12, 0x01}, 0x20},        // [rbx+0x12345678]
    {{0x05, 0x78, 0x56, 0x34, 0x12, 0x01}, 0},           // [rip+0x12345678]
    {{0x04, 0xB5, 0x78, 0x56, 0x34, 0x12, 0x01}, 0x40},  // [rsi*4+0x12345678]
};

using visitor = std::function<void(const bytes&)>;

// `head` up to the opcode, bits of registers in its second byte still those of low registers.
void each_reg(bytes head, bool extended, const tail& t, const visitor& visit) {
    if (extended && head[0] != 0xC5) head[1] = static_cast<std::uint8_t>(head[1] & ~t.x_b);
    const std::size_t modrm = head.size();
    head.insert(head.end(), t.modrm_on.begin(), t.modrm_on.end());
    head.resize(longest);
    for (unsigned reg = 0; reg < 8; ++reg) {
        head[modrm] = static_cast<std::uint8_t>(t.modrm_on[0] | reg << 3);
        visit(head);
    }
}

void each_opcode(const bytes& prefix, bool extended, const visitor& visit) {
    bytes head = prefix;
    head.push_back(0);
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        head.back() = static_cast<std::uint8_t>(opcode);
        each_reg(head, extended, prefix[0] == 0x62 ? mvex_register : vex_register, visit);
        for (const tail& t : memory) each_reg(head, extended, t, visit);
    }
}

std::uint8_t byte(unsigned v) {
    return static_cast<std::uint8_t>(v);
}

void each_mvex(const visitor& visit) {
    for (unsigned map = 1; map < 4; ++map)
        for (unsigned w_pp = 0; w_pp < 8; ++w_pp)
            for (unsigned e_sss = 0; e_sss < 16; ++e_sss)
                for (const fields& f : mvex_fields)
                    each_opcode({0x62, byte((f.extended ? 0x60 : 0xF0) | map),
                                 byte((w_pp & 4) << 5 | (~f.vvvv & 15) << 3 | (w_pp & 3)),
                                 byte(e_sss << 4 | (f.v5 ? 0 : 8) | f.mask)},
                                f.extended, visit);
}

void each_vex(const visitor& visit) {
    for (unsigned w_l_pp = 0; w_l_pp < 16; ++w_l_pp)
        for (const fields& f : vex_fields) {
            const unsigned last = (~f.vvvv & 15) << 3 | (w_l_pp & 7);
            for (unsigned map = 0; map < 4; ++map)
                each_opcode(
                    {0xC4, byte((f.extended ? 0x60 : 0xE0) | map), byte((w_l_pp & 8) << 4 | last)},
                    f.extended, visit);
            if (w_l_pp < 8)
                each_opcode({0xC5, byte((f.extended ? 0 : 0x80) | last)}, f.extended, visit);
        }
}

bool is_card_own(const decoded& d) {
    return d.insn.meta.isa_set >= ZYDIS_ISA_SET_KNCE &&
           d.insn.meta.isa_set <= ZYDIS_ISA_SET_KNC_PF_HINT;
}

std::string prefix_of(const bytes& b) {
    return b[0] == 0x62 ? "{mvex} " : b[0] == 0xC4 ? "{vex3} " : "{vex} ";
}

// The fields in which `again` differs from `b`, though both decode to the same text: bits that mean
// nothing to the instruction.
std::string difference(const bytes& b, const bytes& again) {
    if (b[0] == 0xC4 && (b[1] & 3) == 0) return "branch with 8 bits";
    if (b.size() != again.size()) return "length";
    struct field {
        std::uint8_t first;  // byte of the prefix
        std::size_t at;
        int bits;
        const char* name;
    };
    static const field fields_of_prefixes[] = {
        {0x62, 1, 0xF0, "register bits"},
        {0x62, 2, 0x80, "W"},
        {0x62, 3, 0xF0, "E and SSS"},
        {0x62, 3, 0x07, "mask"},
        {0xC4, 1, 0xE0, "register bits"},
        {0xC4, 2, 0x80, "W"},
        {0xC4, 2, 0x04, "L"},
        {0xC5, 1, 0x80, "register bits"},
        {0xC5, 1, 0x04, "L"},
    };
    bytes rest = again;
    std::string names;
    for (const field& f : fields_of_prefixes) {
        if (b[0] != f.first || ((b[f.at] ^ again[f.at]) & f.bits) == 0) continue;
        names += (names.empty() ? "" : ", ") + std::string(f.name);
        rest[f.at] = static_cast<std::uint8_t>((rest[f.at] & ~f.bits) | (b[f.at] & f.bits));
    }
    return rest == b ? names : "more";
}

TEST(round_trip, of_every_encoding) {
    std::map<std::string, unsigned> count;
    std::set<std::string> mnemonics;
    const auto check = [&](bytes b) {
        decoded d, e;
        if (!decode(b, d) || !is_card_own(d)) return;
        b.resize(d.insn.length);
        mnemonics.insert(ZydisMnemonicGetString(d.insn.mnemonic));
        const std::string intel = text_of(d, language::intel), att = text_of(d, language::att);
        const bytes again = assembled(prefix_of(b) + intel, language::intel);
        ASSERT_EQ(hex(again), hex(assembled(prefix_of(b) + att, language::att))) << intel;
        ASSERT_TRUE(decode(again, e));
        ASSERT_EQ(text_of(e, language::intel), intel);
        ++count[again == b ? "same bytes" : difference(b, again)];
    };
    each_vex(check);
    each_mvex(check);
    // The sum is all encodings that were walked. Where a bit means nothing, the assembler leaves it
    // clear: E and SSS at a register whose instruction has neither swizzle nor rounding of that
    // number, W and the mask of prefetches and evictions, L of branches, X without an index, R
    // without a register in ModRM.reg. It does not know how far a label is, so it makes branches
    // with 32 bits.
    const std::map<std::string, unsigned> wanted = {
        {"same bytes", 316808},
        {"E and SSS", 16113},
        {"L", 384},
        {"W", 150},
        {"mask", 100},
        {"W, mask", 100},
        {"register bits", 1616},
        {"register bits, E and SSS", 9},
        {"register bits, L", 384},
        {"register bits, W", 50},
        {"register bits, mask", 100},
        {"register bits, W, mask", 100},
        {"branch with 8 bits", 768},
    };
    EXPECT_EQ(count, wanted);
    // All that Zydis 4.0 lists in the sets KNCE to KNC_PF_HINT.
    EXPECT_EQ(mnemonics.size(), 193u);
}

}  // namespace
}  // namespace knc_as::test

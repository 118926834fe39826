// Which x87 opcodes there are, and how the pipeline sees them.
#include <gtest/gtest.h>

#include <knc/isa/zydis_decoder.h>

#include "x87_machine.h"

namespace knc::isa::test {
namespace {

// Every opcode of D8 .. DF in every mode is executed, refused by the profile or undefined; none is
// one the model does not know.
TEST(x87_decode, every_opcode_has_an_answer) {
    unsigned executed = 0, refused = 0, undefined = 0;
    for (const code_mode mode : {code_mode::bits16, code_mode::bits32, code_mode::bits64})
        for (unsigned opcode = 0xD8; opcode <= 0xDF; ++opcode)
            for (unsigned modrm = 0; modrm < 256; ++modrm) {
                x87_machine t(mode);
                t.c.s.r[rbp] = t.c.s.r[rsi] = t.c.s.r[rdi] = x87_machine::operand;
                for (const unsigned r : {rax, rcx, rdx, rsp}) t.c.s.r[r] = x87_machine::operand;
                std::uint8_t bytes[15] = {static_cast<std::uint8_t>(opcode),
                                          static_cast<std::uint8_t>(modrm)};
                // A displacement or SIB byte of zeros; RIP-relative addresses reach RAM too.
                const status s = t.run(bytes, sizeof bytes);
                EXPECT_FALSE(s == status::fault && t.c.fault.unsupported) << t.c.message;
                EXPECT_TRUE(s == status::ok || t.c.fault.vector == vector_ud)
                    << std::hex << opcode << ' ' << modrm;
                if (s == status::ok) {
                    ++executed;
                } else {
                    ++(t.refusals.empty() ? undefined : refused);
                }
            }
    // Per mode, refused: FCMOVcc 64, FCOMI and its relatives 32, FISTTP 3 forms of 24 memory bytes.
    EXPECT_EQ(refused, 3u * (64 + 32 + 3 * 24));
    // Undefined: of memory forms D9 /1, DB /4, DB /6, DD /5; of register forms D9 D1-D7, E2, E3,
    // E6, E7, EF (12); DA E0-FF but E9 (31); DB E5-E7, F8-FF (11); DD F0-FF (16); DE D8-DF but D9
    // (7); DF E1-E7, F8-FF (15).
    EXPECT_EQ(undefined, 3u * (4 * 24 + 12 + 31 + 11 + 16 + 7 + 15));
    EXPECT_EQ(executed, 3u * 2048 - refused - undefined);
}

TEST(x87_decode, flags_for_the_pipeline) {
    constexpr std::uint32_t all =
        insn_x87 | insn_microcode | insn_reads | insn_writes | insn_branch | insn_serializing;
    struct {
        std::initializer_list<std::uint8_t> bytes;
        std::uint32_t flags;
    } const cases[] = {
        {{0xD8, 0xC1}, insn_x87},                                      // fadd st0, st1
        {{0xD8, 0x03}, insn_x87 | insn_reads},                         // fadd dword [rbx]
        {{0xDB, 0x3B}, insn_x87 | insn_writes},                        // fstp tword [rbx]
        {{0x9B}, insn_x87},                                            // fwait
        {{0xD9, 0xFE}, insn_x87 | insn_microcode},                     // fsin
        {{0xDD, 0x33}, insn_x87 | insn_microcode | insn_writes},       // fnsave
        {{0x0F, 0xAE, 0x0B}, insn_x87 | insn_microcode | insn_reads},  // fxrstor
        {{0x0F, 0xAE, 0x13}, insn_reads},                              // ldmxcsr
    };
    for (const auto& k : cases) {
        insn i;
        ASSERT_EQ(decode(profile::knc, code_mode::bits64, k.bytes.begin(),
                         static_cast<unsigned>(k.bytes.size()), i),
                  decode_result::ok);
        EXPECT_EQ(i.flags & all, k.flags) << std::hex << unsigned{*k.bytes.begin()};
    }
}

// What CPUID's CMOV says of a processor with an x87 unit, in profile compat.
TEST(x87_decode, compat_compares_into_eflags_and_moves_by_them) {
    x87_machine t(code_mode::bits64, profile::compat);
    t.push(x87_machine::number(2));
    t.push(x87_machine::number(1));
    t.c.s.set_rflags(flag_of | flag_sf | flag_af | 2);
    ASSERT_EQ(t.run({0xDB, 0xF1}), status::ok);  // fcomi st0, st1: 1 < 2
    EXPECT_EQ(t.c.s.arithmetic.get(), flag_cf);
    ASSERT_EQ(t.run({0xDB, 0xC1}), status::ok);  // fcmovnb st0, st1
    EXPECT_EQ(t.x().st(0), x87_machine::number(1));
    ASSERT_EQ(t.run({0xDA, 0xC1}), status::ok);  // fcmovb st0, st1
    EXPECT_EQ(t.x().st(0), x87_machine::number(2));
    ASSERT_EQ(t.run({0xDF, 0xE9}), status::ok);  // fucomip st0, st1: equal
    EXPECT_EQ(t.c.s.arithmetic.get(), flag_zf);
    EXPECT_EQ(t.x().top(), 7u);
}

}  // namespace
}  // namespace knc::isa::test

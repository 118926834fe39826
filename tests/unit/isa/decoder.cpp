// The decoder: lengths, operands, static properties, what is undefined.
#include <vector>

#include <gtest/gtest.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

using code = std::vector<std::uint8_t>;

insn decoded(code_mode m, const code& b, profile p = profile::compat) {
    insn i;
    EXPECT_EQ(decode(p, m, b.data(), static_cast<unsigned>(b.size()), i), decode_result::ok);
    return i;
}

TEST(decoder, fills_the_operands_of_a_memory_form) {
    // mov ecx, fs:[rbx + r9*4 - 0x10]
    const insn i = decoded(code_mode::bits64, {0x64, 0x42, 0x8B, 0x4C, 0x8B, 0xF0});
    EXPECT_EQ(i.length, 6);
    EXPECT_EQ(i.size, 4);
    EXPECT_EQ(i.reg, 8 * rcx);
    EXPECT_EQ(i.base, rbx);
    EXPECT_EQ(i.index, r9);
    EXPECT_EQ(i.scale, 2);  // factor 4
    EXPECT_EQ(i.disp, -0x10);
    EXPECT_EQ(i.seg, fs);
    EXPECT_EQ(i.address_size, 8);
    EXPECT_EQ(i.flags & (insn_reads | insn_writes), insn_reads);
}

TEST(decoder, rip_relative_counts_from_the_next_instruction) {
    const insn i = decoded(code_mode::bits64, {0x48, 0x8D, 0x05, 0x00, 0x01, 0x00, 0x00});
    EXPECT_EQ(i.base, rip);
    EXPECT_EQ(i.index, no_register);
    EXPECT_EQ(i.disp, 0x100);
    EXPECT_EQ(i.flags & (insn_reads | insn_writes), 0u);  // LEA accesses nothing
}

// SIB base 5 with mod 0 is "no base" whether or not REX.B would make it R13, for all address sizes.
TEST(decoder, no_base_wins_over_rex_b) {
    for (const code& b : {code{0x41, 0x8B, 0x04, 0x25, 0x00, 0x00, 0x00, 0x10},
                          code{0x67, 0x41, 0x8B, 0x04, 0x25, 0x00, 0x00, 0x00, 0x10}}) {
        const insn i = decoded(code_mode::bits64, b);
        EXPECT_EQ(i.base, no_register);
        EXPECT_EQ(i.disp, 0x1000'0000);
    }
}

TEST(decoder, sixteen_bit_addressing) {
    // mov ax, [bp + si + 2]: the default segment of BP is SS
    const insn i = decoded(code_mode::bits16, {0x8B, 0x42, 0x02});
    EXPECT_EQ(i.base, rbp);
    EXPECT_EQ(i.index, rsi);
    EXPECT_EQ(i.seg, ss);
    EXPECT_EQ(i.address_size, 2);
    EXPECT_EQ(i.size, 2);
}

TEST(decoder, high_byte_registers_and_rex) {
    EXPECT_EQ(decoded(code_mode::bits64, {0x88, 0xE0}).rm, 8 * rax + 1);    // mov al, ah
    EXPECT_EQ(decoded(code_mode::bits64, {0x40, 0x88, 0xE0}).rm, 8 * rsp);  // mov al, spl
    EXPECT_EQ(decoded(code_mode::bits64, {0x45, 0x88, 0xE0}).rm, 8 * r12);  // mov r8b, r12b
}

TEST(decoder, asks_for_more_bytes_until_the_instruction_is_whole) {
    const code whole = {0x66, 0x81, 0x84, 0x8B, 1, 2, 3, 4, 5, 6};  // add word [rbx+rcx*4+d], imm16
    insn i;
    for (unsigned n = 0; n < whole.size(); ++n)
        EXPECT_EQ(decode(profile::knc, code_mode::bits64, whole.data(), n, i), decode_result::more);
    EXPECT_EQ(decode(profile::knc, code_mode::bits64, whole.data(), 10, i), decode_result::ok);
    EXPECT_EQ(i.length, 10);
}

TEST(decoder, fifteen_bytes_are_the_limit) {
    code b(14, 0x66);
    b.push_back(0x90);
    EXPECT_EQ(decoded(code_mode::bits64, b).length, 15);
    code longer(15, 0x66);
    longer.push_back(0x90);
    insn i;
    EXPECT_EQ(decode(profile::knc, code_mode::bits64, longer.data(), 16, i), decode_result::more);
}

struct bytes_in_mode {
    const char* what;
    code_mode mode;
    code bytes;
};

TEST(decoder, undefined_opcodes_raise_ud) {
    const bytes_in_mode cases[] = {
        {"LOCK on a register destination", code_mode::bits64, {0xF0, 0x01, 0xC0}},
        {"LOCK with a register destination and memory source",
         code_mode::bits64,
         {0xF0, 0x03, 0x00}},
        {"LOCK CMP", code_mode::bits64, {0xF0, 0x39, 0x00}},
        {"LOCK MOV", code_mode::bits64, {0xF0, 0x89, 0x00}},
        {"LOCK BT", code_mode::bits64, {0xF0, 0x0F, 0xA3, 0x00}},
        {"LOCK NOP", code_mode::bits64, {0xF0, 0x90}},
        {"PUSH ES in 64-bit mode", code_mode::bits64, {0x06}},
        {"DAA in 64-bit mode", code_mode::bits64, {0x27}},
        {"AAS in 64-bit mode", code_mode::bits64, {0x3F}},
        {"PUSHA in 64-bit mode", code_mode::bits64, {0x60}},
        {"opcode 82 in 64-bit mode", code_mode::bits64, {0x82, 0xC0, 0x01}},
        {"far CALL with an immediate in 64-bit mode", code_mode::bits64, {0x9A}},
        {"INTO in 64-bit mode", code_mode::bits64, {0xCE}},
        {"AAM in 64-bit mode", code_mode::bits64, {0xD4, 0x0A}},
        {"far JMP with an immediate in 64-bit mode", code_mode::bits64, {0xEA}},
        {"UD2", code_mode::bits64, {0x0F, 0x0B}},
        {"UD1", code_mode::bits64, {0x0F, 0xB9, 0xC0}},
        {"UD0", code_mode::bits64, {0x0F, 0xFF, 0xC0}},
        {"RSM outside SMM", code_mode::bits64, {0x0F, 0xAA}},
        {"LEA of a register", code_mode::bits64, {0x8D, 0xC0}},
        {"group 11 with reg 1", code_mode::bits64, {0xC6, 0xC8, 0x00}},
        {"group 5 with reg 7", code_mode::bits64, {0xFF, 0xF8}},
        {"BT with reg 0", code_mode::bits64, {0x0F, 0xBA, 0xC0, 0x00}},
        {"CMPXCHG8B of a register", code_mode::bits32, {0x0F, 0xC7, 0xC8}},
        {"MOV from CR1", code_mode::bits64, {0x0F, 0x20, 0xC8}},
        {"VEX after an operand size prefix",
         code_mode::bits64,
         {0x66, 0xC4, 0xE1, 0x7B, 0xAE, 0xF0}},
        {"VEX after REX", code_mode::bits64, {0x48, 0xC5, 0xF8, 0x18, 0x00}},
        {"MOV to CS", code_mode::bits32, {0x8E, 0xC8}},
    };
    for (const auto& t : cases) {
        int_machine m(t.mode, profile::compat);
        const state before = m.c.s;
        EXPECT_EQ(m.run(t.bytes.data(), t.bytes.size()), status::fault) << t.what;
        EXPECT_EQ(m.c.fault.vector, vector_ud) << t.what;
        EXPECT_FALSE(m.c.fault.unsupported) << t.what;
        EXPECT_EQ(m.c.s.r, before.r) << t.what;
        EXPECT_TRUE(m.refusals.empty()) << t.what;
    }
}

TEST(decoder, static_properties) {
    struct {
        code bytes;
        std::uint32_t flags;
    } const cases[] = {
        {{0x01, 0xC8}, 0},                                             // add eax, ecx
        {{0x01, 0x08}, insn_reads | insn_writes},                      // add [rax], ecx
        {{0xF0, 0x01, 0x08}, insn_reads | insn_writes | insn_lock},    // lock add
        {{0x87, 0x08}, insn_reads | insn_writes | insn_lock},          // xchg [rax], ecx
        {{0x87, 0xC8}, 0},                                             // xchg eax, ecx
        {{0x39, 0x08}, insn_reads},                                    // cmp [rax], ecx
        {{0x50}, insn_stack | insn_writes},                            // push rax
        {{0x58}, insn_stack | insn_reads},                             // pop rax
        {{0x74, 0x00}, insn_branch | insn_conditional},                // jz
        {{0xEB, 0x00}, insn_branch},                                   // jmp
        {{0xE8, 0, 0, 0, 0}, insn_branch | insn_stack | insn_writes},  // call
        {{0xC3}, insn_branch | insn_stack | insn_reads},               // ret
        {{0xE2, 0x00}, insn_branch | insn_conditional},                // loop
        {{0xA4},                                                       // movsb
         insn_string | insn_microcode | insn_reads | insn_writes | insn_several_accesses},
        {{0xAA}, insn_string | insn_microcode | insn_writes},                   // stosb
        {{0x0F, 0x1F, 0x00}, 0},                                                // nop [rax]
        {{0xC5, 0xF8, 0x18, 0x08}, 0},                                          // vprefetch0 [rax]
        {{0xC4, 0xE1, 0x7A, 0xAE, 0xF0}, insn_delay},                           // delay eax
        {{0xC4, 0xE1, 0x7B, 0xAE, 0xF0}, insn_at_completion | insn_microcode},  // spflt eax
        {{0x48, 0xF7, 0xF1}, insn_microcode},                                   // div rcx
    };
    for (const auto& t : cases)
        EXPECT_EQ(decoded(code_mode::bits64, t.bytes).flags, t.flags) << disassemble(
            code_mode::bits64, t.bytes.data(), static_cast<unsigned>(t.bytes.size()), 0);
}

TEST(decoder, disassembles) {
    const code b = {0x48, 0x8B, 0x44, 0x8B, 0xFC};
    EXPECT_EQ(disassemble(code_mode::bits64, b.data(), 5, 0), "mov rax, [rbx+rcx*4-0x04]");
    EXPECT_EQ(disassemble(code_mode::bits64, b.data(), 3, 0), "(bad)");
    const code jump = {0xEB, 0x10};
    EXPECT_EQ(disassemble(code_mode::bits64, jump.data(), 2, 0x1000), "jmp 0x0000000000001012");
}

// Whatever the bytes, decoding ends with a handler or asks for more; the length is 1 to 15.
TEST(decoder, takes_any_bytes) {
    std::uint64_t x = 88172645463325252u;  // xorshift64
    code b(16);
    for (unsigned n = 0; n < 300000; ++n) {
        for (auto& v : b) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            v = static_cast<std::uint8_t>(x >> 24);
        }
        for (const code_mode m : {code_mode::bits16, code_mode::bits32, code_mode::bits64}) {
            insn i;
            if (decode(profile::knc, m, b.data(), 16, i) == decode_result::more) continue;
            ASSERT_NE(i.execute, nullptr);
            ASSERT_TRUE(i.length >= 1 && i.length <= 15);
            ASSERT_LT(i.base, gpr_count);
            ASSERT_LT(i.index, gpr_count);
            ASSERT_LT(i.seg, segment_count);
            ASSERT_LT(i.reg, 8 * no_register);
            ASSERT_LT(i.rm, 8 * no_register);
        }
    }
}

}  // namespace
}  // namespace knc::isa::test

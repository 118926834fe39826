// Which two instructions issue together.
#include <knc/core/issue_rules.h>

#include <gtest/gtest.h>

#include "code.h"

namespace knc::core::test {
namespace {

using bytes = std::initializer_list<std::uint8_t>;

bool pairs(bytes u, bytes v) {
    const isa::insn a = decode(u), b = decode(v);
    return may_pair(a, classify(a), b, classify(b));
}
unsigned clocks(bytes u, bytes v) {
    return pair_cycles(classify(decode(u)), classify(decode(v)));
}

TEST(pairing, registers_written_by_the_first) {
    EXPECT_TRUE(pairs({0x01, 0xC8}, {0x01, 0xDA}));         // add eax, ecx; add edx, ebx
    EXPECT_FALSE(pairs({0x01, 0xC8}, {0x01, 0xC2}));        // add eax, ecx; add edx, eax (RAW)
    EXPECT_FALSE(pairs({0x89, 0xC8}, {0x89, 0xD8}));        // mov eax, ecx; mov eax, ebx (WAW)
    EXPECT_TRUE(pairs({0x89, 0xC8}, {0x89, 0xD1}));         // mov eax, ecx; mov ecx, edx (WAR)
    EXPECT_FALSE(pairs({0x89, 0xC8}, {0x8B, 0x10}));        // mov eax, ecx; mov edx, [rax]
    EXPECT_FALSE(pairs({0x89, 0xC8}, {0x8B, 0x14, 0x83}));  // mov eax, ecx; mov edx, [rbx+4*rax]
    EXPECT_FALSE(pairs({0xB0, 1}, {0xB4, 1}));              // mov al, 1; mov ah, 1: one register
    EXPECT_FALSE(pairs({0x4D, 0x89, 0xC8},                  // mov r8, r9; mov eax, r8d
                       {0x44, 0x89, 0xC0}));
}

TEST(pairing, flags) {
    EXPECT_TRUE(pairs({0x01, 0xC8}, {0x29, 0xDA}));  // both write the flags
    EXPECT_TRUE(pairs({0x39, 0xC8}, {0x74, 0}));     // cmp; jz
    EXPECT_TRUE(pairs({0x85, 0xC0}, {0x75, 0}));     // test; jnz
    EXPECT_TRUE(pairs({0xFF, 0xC9}, {0x75, 0}));     // dec ecx; jnz
    EXPECT_TRUE(pairs({0x39, 0xC8}, {0x0F, 0x84, 0, 0, 0, 0}));
    EXPECT_FALSE(pairs({0x39, 0xC8}, {0x11, 0xDA}));  // cmp; adc: ADC is U only
}

TEST(pairing, pipes) {
    EXPECT_TRUE(pairs({0xD1, 0xE0}, {0x89, 0xD1}));         // shl eax, 1; mov ecx, edx
    EXPECT_FALSE(pairs({0x89, 0xD1}, {0xD1, 0xE0}));        // shifts are U only
    EXPECT_TRUE(pairs({0x89, 0xD1}, {0xEB, 0}));            // mov; jmp
    EXPECT_FALSE(pairs({0xEB, 0}, {0x89, 0xD1}));           // no branch in U
    EXPECT_FALSE(pairs({0x74, 0}, {0x74, 0}));              //
    EXPECT_FALSE(pairs({0x89, 0xD1}, {0xC3}));              // ret pairs never
    EXPECT_TRUE(pairs({0x66, 0x89, 0xC8}, {0x89, 0xDA}));   // mov ax, cx; mov edx, ebx
    EXPECT_FALSE(pairs({0x89, 0xDA}, {0x66, 0x89, 0xC8}));  // a prefix: U only
    EXPECT_FALSE(pairs({0xC7, 0x43, 8, 1, 0, 0, 0},         // mov dword [rbx + 8], 1; mov
                       {0x89, 0xC8}));
    EXPECT_TRUE(pairs({0xC7, 0x03, 1, 0, 0, 0}, {0x89, 0xC8}));
    EXPECT_FALSE(pairs({0x0F, 0x31}, {0x89, 0xD9}));        // rdtsc
    EXPECT_FALSE(pairs({0x0F, 0x44, 0xC1}, {0x89, 0xD1}));  // a refused instruction
}

TEST(pairing, stack_pointer) {
    EXPECT_TRUE(pairs({0x50}, {0x51}));                  // push rax; push rcx
    EXPECT_TRUE(pairs({0x58}, {0x59}));                  // pop rax; pop rcx
    EXPECT_TRUE(pairs({0x50}, {0xE8, 0, 0, 0, 0}));      // push rax; call
    EXPECT_FALSE(pairs({0x58}, {0x58}));                 // pop rax; pop rax (WAW)
    EXPECT_FALSE(pairs({0x48, 0x83, 0xC4, 8}, {0x58}));  // add rsp, 8; pop rax
    EXPECT_FALSE(pairs({0x55}, {0x48, 0x89, 0xE5}));     // push rbp; mov rbp, rsp
    EXPECT_FALSE(pairs({0x50}, {0x8B, 0x0C, 0x24}));     // push rax; mov ecx, [rsp]
    EXPECT_TRUE(pairs({0x48, 0x89, 0xE1}, {0x50}));      // mov rcx, rsp; push rax (WAR)
    EXPECT_FALSE(pairs({0x5C}, {0x58}));                 // pop rsp; pop rax
}

TEST(pairing, x87_pairs_with_fxch_only) {
    EXPECT_TRUE(pairs({0xD8, 0xC1}, {0xD9, 0xC9}));   // fadd; fxch
    EXPECT_FALSE(pairs({0xD8, 0xC1}, {0x89, 0xC8}));  // fadd; mov
    EXPECT_FALSE(pairs({0x89, 0xC8}, {0xD9, 0xC9}));  // mov; fxch
    EXPECT_FALSE(pairs({0xD8, 0xC1}, {0xD8, 0xC9}));  // fadd; fmul
    EXPECT_FALSE(pairs({0xD9, 0xFA}, {0xD9, 0xC9}));  // fsqrt; fxch
}

TEST(pairing, clocks_of_a_pair) {
    EXPECT_EQ(clocks({0x89, 0xC8}, {0x89, 0xDA}), 1u);
    EXPECT_EQ(clocks({0x03, 0x03}, {0x89, 0xDA}), 2u);  // add eax, [rbx]; mov: lock step
    EXPECT_EQ(clocks({0x89, 0xDA}, {0x03, 0x03}), 2u);
    EXPECT_EQ(clocks({0x03, 0x03}, {0x03, 0x13}), 2u);  // two of 2 clocks run side by side
    EXPECT_EQ(clocks({0x01, 0x03}, {0x89, 0xDA}), 3u);
    EXPECT_EQ(clocks({0x01, 0x03}, {0x03, 0x13}), 3u);
    EXPECT_EQ(clocks({0x01, 0x03}, {0x01, 0x0E}), 5u);  // two of 3 clocks overlap in one
}

}  // namespace
}  // namespace knc::core::test

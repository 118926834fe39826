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

isa::insn decode_p55c(bytes b) {
    return decode(b, isa::code_mode::bits32, isa::profile::p55c);
}
bool pairs_on_p55c(bytes u, bytes v) {
    const isa::insn a = decode_p55c(u), b = decode_p55c(v);
    return may_pair(a, classify(a), b, classify(b));
}

const bytes paddb_0_1 = {0x0F, 0xFC, 0xC1}, paddb_2_3 = {0x0F, 0xFC, 0xD3},
            paddb_1_2 = {0x0F, 0xFC, 0xCA}, movq_0_4 = {0x0F, 0x6F, 0xC4},
            movq_4_0 = {0x0F, 0x7F, 0xC4}, paddb_2_memory = {0x0F, 0xFC, 0x13},
            movq_store_2 = {0x0F, 0x7F, 0x13}, movd_2_edx = {0x0F, 0x6E, 0xD2},
            movd_edx_2 = {0x0F, 0x7E, 0xD2}, psllw_2_3 = {0x0F, 0xF1, 0xD3},
            psrlq_0_5 = {0x0F, 0x73, 0xD0, 5}, punpck_4_5 = {0x0F, 0x60, 0xE5},
            pmullw_2_3 = {0x0F, 0xD5, 0xD3}, pmaddwd_0_1 = {0x0F, 0xF5, 0xC1},
            pmulhw_4_memory = {0x0F, 0xE5, 0x23}, emms = {0x0F, 0x77}, inc_eax = {0x40},
            load_ecx = {0x8B, 0x0B}, adc_eax_ecx = {0x11, 0xC8}, fadd = {0xD8, 0xC1},
            fxch = {0xD9, 0xC9};

TEST(pairing, mmx_with_mmx) {
    EXPECT_TRUE(pairs_on_p55c(paddb_0_1, paddb_2_3));
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, movq_0_4));  // V writes U's destination
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, movq_4_0));  // V reads it
    EXPECT_TRUE(pairs_on_p55c(paddb_0_1, paddb_1_2));  // V writes U's source
    EXPECT_TRUE(pairs_on_p55c(paddb_2_memory, paddb_0_1));
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, paddb_2_memory));  // memory: U only
    EXPECT_TRUE(pairs_on_p55c(movq_store_2, paddb_0_1));
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, movq_store_2));
    EXPECT_TRUE(pairs_on_p55c(movd_2_edx, paddb_0_1));
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, movd_2_edx));  // a general register: U only
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, movd_edx_2));
}

// One shifter, which packs and unpacks too, and one multiplier; each serves both pipes.
TEST(pairing, mmx_units) {
    EXPECT_FALSE(pairs_on_p55c(psllw_2_3, psrlq_0_5));
    EXPECT_FALSE(pairs_on_p55c(psllw_2_3, punpck_4_5));
    EXPECT_FALSE(pairs_on_p55c(pmullw_2_3, pmaddwd_0_1));
    EXPECT_FALSE(pairs_on_p55c(pmulhw_4_memory, pmullw_2_3));
    EXPECT_TRUE(pairs_on_p55c(psllw_2_3, pmaddwd_0_1));
    EXPECT_TRUE(pairs_on_p55c(pmaddwd_0_1, psllw_2_3));
    EXPECT_TRUE(pairs_on_p55c(paddb_0_1, psllw_2_3));
    EXPECT_TRUE(pairs_on_p55c(pmaddwd_0_1, paddb_2_3));
}

TEST(pairing, mmx_with_others) {
    EXPECT_TRUE(pairs_on_p55c(paddb_0_1, inc_eax));
    EXPECT_TRUE(pairs_on_p55c(inc_eax, paddb_0_1));
    EXPECT_TRUE(pairs_on_p55c(load_ecx, paddb_0_1));
    EXPECT_FALSE(pairs_on_p55c(paddb_2_memory, inc_eax));  // it must not access memory
    EXPECT_FALSE(pairs_on_p55c(movq_store_2, inc_eax));
    EXPECT_FALSE(pairs_on_p55c(movd_2_edx, inc_eax));     // nor a general register
    EXPECT_FALSE(pairs_on_p55c(paddb_0_1, adc_eax_ecx));  // ADC is U only
    EXPECT_TRUE(pairs_on_p55c(adc_eax_ecx, paddb_0_1));
    for (const bytes& x87 : {fadd, fxch}) {
        EXPECT_FALSE(pairs_on_p55c(paddb_0_1, x87));
        EXPECT_FALSE(pairs_on_p55c(x87, paddb_0_1));
    }
    for (const bytes& other : {paddb_0_1, inc_eax, fadd}) {
        EXPECT_FALSE(pairs_on_p55c(emms, other));
        EXPECT_FALSE(pairs_on_p55c(other, emms));
    }
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

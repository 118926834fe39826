// Pipe and clocks of single instructions.
#include <knc/core/issue_rules.h>

#include <vector>

#include <gtest/gtest.h>

#include "code.h"

namespace knc::core::test {
namespace {

constexpr auto bits32 = isa::code_mode::bits32, bits64 = isa::code_mode::bits64;

struct expectation {
    std::initializer_list<std::uint8_t> bytes;
    core::pipe pipe;
    unsigned clocks;
    isa::code_mode mode = bits64;
    isa::profile profile = isa::profile::knc;
};

void check(std::initializer_list<expectation> all) {
    for (const expectation& e : all) {
        const isa::insn i = decode(e.bytes, e.mode, e.profile);
        const issue_class c = classify(i);
        const std::string text =
            isa::disassemble(e.mode, e.bytes.begin(), static_cast<unsigned>(e.bytes.size()), 0);
        EXPECT_EQ(i.length, e.bytes.size()) << text;
        EXPECT_EQ(c.pipe, e.pipe) << text;
        EXPECT_EQ(c.clocks, e.clocks) << text;
    }
}

TEST(issue_class, moves) {
    check({
        {{0x48, 0x89, 0xC8}, pipe::uv, 1},             // mov rax, rcx: REX is free
        {{0x8B, 0x03}, pipe::uv, 1},                   // mov eax, [rbx]
        {{0x89, 0x03}, pipe::uv, 1},                   // mov [rbx], eax
        {{0xB8, 1, 0, 0, 0}, pipe::uv, 1},             // mov eax, 1
        {{0xC7, 0x03, 1, 0, 0, 0}, pipe::uv, 1},       // mov dword [rbx], 1
        {{0xC7, 0x43, 8, 1, 0, 0, 0}, pipe::none, 1},  // [rbx + 8], 1: both constants
        {{0x66, 0x89, 0xC8}, pipe::u, 2},              // mov ax, cx: a prefix, a clock
        {{0x64, 0x8B, 0x03}, pipe::u, 2},              // mov eax, fs:[rbx]
        {{0x64, 0x66, 0x8B, 0x03}, pipe::u, 3},        // two prefixes
        {{0x8E, 0xD8}, pipe::none, 2},                 // mov ds, eax
        {{0x8E, 0x1B}, pipe::none, 3},                 // mov ds, [rbx]
        {{0x8C, 0xD8}, pipe::none, 1},                 // mov eax, ds
        {{0x66, 0x8C, 0xD8}, pipe::none, 2},           // mov ax, ds
        {{0x8C, 0x1B}, pipe::none, 1},                 // mov [rbx], ds
        {{0x0F, 0x22, 0xD8}, pipe::none, 22},          // mov cr3, rax
        {{0x0F, 0x20, 0xD8}, pipe::none, 4},           // mov rax, cr3
        {{0xA0, 1, 2, 3, 4}, pipe::uv, 1, bits32},     // mov al, [4030201h]
        {{0x48, 0x8D, 0x44, 0x8B, 4}, pipe::uv, 1},    // lea rax, [rbx + 4 * rcx + 4]
        {{0x90}, pipe::uv, 1},                         // nop
        {{0x66, 0x90}, pipe::u, 2},                    // measured: 2 clocks
        {{0x0F, 0x1F, 0x00}, pipe::none, 2},           // nop [rax]
        {{0x50}, pipe::uv, 1},                         // push rax
        {{0x6A, 1}, pipe::uv, 1},                      // push 1
        {{0xFF, 0x33}, pipe::none, 2},                 // push [rbx]
        {{0x1E}, pipe::none, 1, bits32},               // push ds
        {{0x58}, pipe::uv, 1},                         // pop rax
        {{0x8F, 0x03}, pipe::none, 3},                 // pop [rbx]
        {{0x0F, 0xA1}, pipe::none, 3},                 // pop fs
        {{0x60}, pipe::none, 5, bits32},               // pushad
        {{0x9D}, pipe::none, 4},                       // popfq
        {{0x87, 0xC8}, pipe::none, 3},                 // xchg eax, ecx
        {{0x87, 0x03}, pipe::none, 15},                // xchg [rbx], eax
        {{0x0F, 0xB6, 0xC1}, pipe::none, 3},           // movzx eax, cl
        {{0x66, 0x0F, 0xB6, 0xC1}, pipe::none, 3},     // movzx ax, cl: the prefix is hidden
        {{0x48, 0x63, 0xC1}, pipe::none, 3},           // movsxd rax, ecx
        {{0x0F, 0xC8}, pipe::none, 2},                 // bswap eax
        {{0x0F, 0x44, 0xC1}, pipe::none, 1},           // cmovz: #UD
        {{0x0F, 0x44, 0xC1}, pipe::none, 2, bits64, isa::profile::compat},
    });
}

TEST(issue_class, arithmetic) {
    check({
        {{0x01, 0xC8}, pipe::uv, 1},                 // add eax, ecx
        {{0x03, 0x03}, pipe::uv, 2},                 // add eax, [rbx]
        {{0x01, 0x03}, pipe::uv, 3},                 // add [rbx], eax
        {{0x83, 0x03, 1}, pipe::uv, 3},              // add dword [rbx], 1
        {{0x83, 0x43, 4, 1}, pipe::none, 3},         // add dword [rbx + 4], 1
        {{0x83, 0xC0, 1}, pipe::uv, 1},              // add eax, 1
        {{0x66, 0x01, 0xC8}, pipe::u, 2},            // add ax, cx
        {{0x66, 0x03, 0x03}, pipe::u, 2},            // add ax, [rbx]: measured 2
        {{0x66, 0x01, 0x03}, pipe::u, 3},            // add [rbx], ax: measured 3
        {{0xF0, 0x01, 0x03}, pipe::none, 18},        // lock add [rbx], eax
        {{0x11, 0xC8}, pipe::u, 1},                  // adc eax, ecx
        {{0x1B, 0x03}, pipe::u, 2},                  // sbb eax, [rbx]
        {{0x39, 0xC8}, pipe::uv, 1},                 // cmp eax, ecx
        {{0x39, 0x03}, pipe::uv, 2},                 // cmp [rbx], eax
        {{0x85, 0xC8}, pipe::uv, 1},                 // test eax, ecx
        {{0x85, 0x03}, pipe::uv, 2},                 // test [rbx], eax
        {{0xA9, 1, 0, 0, 0}, pipe::uv, 1},           // test eax, 1
        {{0xF7, 0xC1, 1, 0, 0, 0}, pipe::none, 1},   // test ecx, 1
        {{0xF7, 0x03, 1, 0, 0, 0}, pipe::none, 2},   // test dword [rbx], 1
        {{0xFF, 0xC0}, pipe::uv, 1},                 // inc eax
        {{0xFF, 0x0B}, pipe::uv, 3},                 // dec dword [rbx]
        {{0xF7, 0xD8}, pipe::none, 1},               // neg eax
        {{0xF7, 0x13}, pipe::none, 3},               // not dword [rbx]
        {{0x0F, 0xC1, 0xC8}, pipe::none, 3},         // xadd eax, ecx
        {{0x0F, 0xB1, 0x0B}, pipe::none, 6},         // cmpxchg [rbx], ecx
        {{0x0F, 0xC7, 0x0B}, pipe::none, 9},         // cmpxchg8b [rbx]
        {{0xF0, 0x0F, 0xC7, 0x0B}, pipe::none, 18},  // lock cmpxchg8b [rbx]
        {{0xF6, 0xE1}, pipe::none, 11},              // mul cl
        {{0x66, 0xF7, 0xE9}, pipe::none, 11},        // imul cx
        {{0x66, 0x0F, 0xAF, 0xC1}, pipe::none, 9},   // imul ax, cx
        {{0xF7, 0xE1}, pipe::none, 9},               // mul ecx
        {{0x48, 0x0F, 0xAF, 0x03}, pipe::none, 9},   // imul rax, [rbx]
        {{0xF6, 0xF1}, pipe::none, 17},              // div cl
        {{0x66, 0xF7, 0xF1}, pipe::none, 25},        // div cx
        {{0xF7, 0xF1}, pipe::none, 41},              // div ecx
        {{0x48, 0xF7, 0xF1}, pipe::none, 73},        // div rcx
        {{0x48, 0xF7, 0x3B}, pipe::none, 78},        // idiv qword [rbx]
        {{0x27}, pipe::none, 3, bits32},             // daa
    });
}

TEST(issue_class, shifts_and_bits) {
    check({
        {{0xD1, 0xE0}, pipe::u, 1},                    // shl eax, 1
        {{0xC1, 0xE0, 3}, pipe::u, 1},                 // shl eax, 3
        {{0xD3, 0xE0}, pipe::none, 4},                 // shl eax, cl
        {{0xD1, 0x23}, pipe::u, 3},                    // shl dword [rbx], 1
        {{0xD3, 0x23}, pipe::none, 5},                 // shl dword [rbx], cl
        {{0xD1, 0xC0}, pipe::u, 1},                    // rol eax, 1
        {{0xC1, 0xC0, 3}, pipe::none, 1},              // rol eax, 3
        {{0xD1, 0xD0}, pipe::u, 1},                    // rcl eax, 1
        {{0xC1, 0xD0, 3}, pipe::none, 8},              // rcl eax, 3
        {{0xD3, 0xD0}, pipe::none, 7},                 // rcl eax, cl
        {{0x0F, 0xA4, 0xC8, 3}, pipe::none, 4},        // shld eax, ecx, 3
        {{0x0F, 0xAD, 0x0B}, pipe::none, 5},           // shrd [rbx], ecx, cl
        {{0x0F, 0xA3, 0xC8}, pipe::none, 4},           // bt eax, ecx
        {{0x0F, 0xBA, 0x23, 3}, pipe::none, 4},        // bt dword [rbx], 3
        {{0x0F, 0xA3, 0x0B}, pipe::none, 9},           // bt [rbx], ecx
        {{0x0F, 0xAB, 0xC8}, pipe::none, 7},           // bts eax, ecx
        {{0x0F, 0xBA, 0x2B, 3}, pipe::none, 8},        // bts dword [rbx], 3
        {{0x0F, 0xB3, 0x0B}, pipe::none, 14},          // btr [rbx], ecx
        {{0x0F, 0xBC, 0xC1}, pipe::none, 6},           // bsf eax, ecx
        {{0x0F, 0xBD, 0xC1}, pipe::none, 7},           // bsr eax, ecx
        {{0x0F, 0x94, 0xC0}, pipe::none, 2},           // setz al
        {{0x0F, 0x94, 0x03}, pipe::none, 2},           // setz [rbx]
        {{0xC4, 0xE1, 0x7A, 0xB8, 0xC0}, pipe::u, 1},  // popcnt eax, eax: VEX is free
    });
}

TEST(issue_class, strings_take_their_clocks_per_element) {
    check({
        {{0xA4}, pipe::none, 4},              // movsb
        {{0xF3, 0xA4}, pipe::none, 1},        // rep movsb: the prefix is part of the set-up
        {{0xF3, 0x48, 0xAB}, pipe::none, 1},  // rep stosq
        {{0xAA}, pipe::none, 3},              // stosb
        {{0xF3, 0xAC}, pipe::none, 3},        // rep lodsb
        {{0xF2, 0xAE}, pipe::none, 4},        // repne scasb
        {{0xA6}, pipe::none, 5},              // cmpsb
        {{0xF3, 0xA6}, pipe::none, 4},        // repe cmpsb
    });
    const auto set_up = [](std::initializer_list<std::uint8_t> bytes) {
        return issue_rule_at(classify(decode(bytes)).rule).set_up;
    };
    EXPECT_EQ(set_up({0xF3, 0xA4}), 12);  // rep movsb: 12 + n
    EXPECT_EQ(set_up({0xF3, 0xAA}), 10);  // rep stosb: 10 + n
    EXPECT_EQ(set_up({0xF2, 0xAE}), 9);   // repne scasb: 9 + 4n
    EXPECT_EQ(set_up({0xA4}), 0);
}

TEST(issue_class, control_transfer) {
    check({
        {{0x74, 0}, pipe::v, 1},                 // jz short
        {{0x0F, 0x84, 0, 0, 0, 0}, pipe::v, 1},  // jz near: its 0F costs nothing
        {{0x3E, 0x74, 0}, pipe::none, 2},        // with a prefix it cannot be in V
        {{0xE3, 0}, pipe::none, 5},              // jrcxz
        {{0xE2, 0}, pipe::none, 5},              // loop
        {{0xEB, 0}, pipe::v, 1},                 // jmp short
        {{0xFF, 0xE0}, pipe::none, 2},           // jmp rax
        {{0xFF, 0x23}, pipe::none, 2},           // jmp [rbx]
        {{0xFF, 0x2B}, pipe::none, 3},           // jmp far [rbx]
        {{0xE8, 0, 0, 0, 0}, pipe::v, 1},        // call near
        {{0xFF, 0xD0}, pipe::none, 2},           // call rax
        {{0xFF, 0x13}, pipe::none, 2},           // call [rbx]
        {{0xFF, 0x1B}, pipe::none, 4},           // call far [rbx]
        {{0xC3}, pipe::none, 2},                 // ret
        {{0xC2, 8, 0}, pipe::none, 3},           // ret 8
        {{0xCB}, pipe::none, 4},                 // ret far
        {{0xC9}, pipe::none, 3},                 // leave
        {{0xC8, 8, 0, 0}, pipe::none, 11},       // enter 8, 0
        {{0x48, 0xCF}, pipe::none, 10},          // iretq
    });
}

TEST(issue_class, system) {
    check({
        {{0x0F, 0x31}, pipe::none, 4},                                // rdtsc
        {{0x0F, 0x33}, pipe::none, 4},                                // rdpmc
        {{0xC4, 0xE1, 0x7B, 0xAE, 0xF0}, pipe::none, 4},              // spflt eax
        {{0xC4, 0xE1, 0x7A, 0xAE, 0xF0}, pipe::none, 1},              // delay eax
        {{0xC4, 0xE1, 0x78, 0x18, 0x08}, pipe::uv, 1},                // vprefetch0 [rax]
        {{0x0F, 0x30}, pipe::none, 30},                               // wrmsr
        {{0x0F, 0xA2}, pipe::none, 15},                               // cpuid
        {{0x0F, 0x09}, pipe::none, 2000},                             // wbinvd
        {{0xF3, 0x90}, pipe::none, 2, bits64, isa::profile::compat},  // pause
        {{0x0F, 0x0B}, pipe::none, 1},                                // ud2
    });
}

TEST(issue_class, x87) {
    check({
        {{0xD9, 0x03}, pipe::u, 1},     // fld dword [rbx]
        {{0xDB, 0x2B}, pipe::none, 3},  // fld tbyte [rbx]
        {{0xD9, 0xC1}, pipe::u, 1},     // fld st(1)
        {{0xD9, 0x1B}, pipe::none, 2},  // fstp dword [rbx]
        {{0xDB, 0x3B}, pipe::none, 3},  // fstp tbyte [rbx]
        {{0xDD, 0xD9}, pipe::none, 1},  // fstp st(1)
        {{0xD8, 0xC1}, pipe::u, 1},     // fadd st, st(1)
        {{0xD9, 0xC9}, pipe::v, 1},     // fxch
        {{0xD9, 0xFA}, pipe::none, 1},  // fsqrt
    });
    const auto latency = [](std::initializer_list<std::uint8_t> bytes) {
        return issue_rule_at(classify(decode(bytes)).rule).latency.clocks;
    };
    EXPECT_EQ(latency({0xD8, 0xC1}), 3);   // fadd st, st(1)
    EXPECT_EQ(latency({0xD8, 0xC9}), 3);   // fmul st, st(1)
    EXPECT_EQ(latency({0xD8, 0xF1}), 41);  // fdiv st, st(1) at 64 bits of precision
    EXPECT_EQ(latency({0xD9, 0xFA}), 70);  // fsqrt
    EXPECT_EQ(latency({0x01, 0xC8}), 0);   // add eax, ecx
}

}  // namespace
}  // namespace knc::core::test

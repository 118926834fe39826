// Profile p55c: what a Pentium with MMX has and has not.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <knc/isa/control_registers.h>
#include <knc/isa/cpuid.h>
#include <knc/isa/msr.h>

#include "int_machine.h"
#include "sys_machine.h"

namespace knc::isa::test {
namespace {

using code = std::vector<std::uint8_t>;

struct row {
    code bytes;
    const char* text;
};

constexpr const char* no_such =
    ": a Pentium with MMX has no such instruction; build with -march=pentium-mmx";

const row refusals[] = {
    {{0x0f, 0x44, 0xc1}, "cmovz"},
    {{0xda, 0xc1}, "fcmovb"},
    {{0xdb, 0xf1}, "fcomi"},
    {{0xdf, 0xf1}, "fcomip"},
    {{0x0f, 0x05}, "syscall"},
    {{0x0f, 0x07}, "sysret"},
    {{0x0f, 0x34}, "sysenter"},
    {{0x0f, 0x1f, 0x00}, "nop"},
    {{0x0f, 0x18, 0x0b}, "prefetcht0"},
    {{0x0f, 0x0d, 0x0b}, "prefetchw"},
    {{0x0f, 0xae, 0x03}, "fxsave"},
    {{0x0f, 0xae, 0x0b}, "fxrstor"},
    {{0x0f, 0xae, 0x13}, "ldmxcsr"},
    {{0x0f, 0xae, 0x1b}, "stmxcsr"},
    {{0x0f, 0xae, 0x3b}, "clflush"},
    {{0x0f, 0x58, 0xc1}, "addps"},
    {{0x66, 0x0f, 0xfc, 0xc1}, "paddb"},  // SSE2
    {{0x0f, 0xd4, 0xc1}, "paddq"},        // SSE2 on MMX registers
    {{0x0f, 0xe0, 0xc1}, "pavgb"},        // SSE's additions to MMX
    {{0x0f, 0x70, 0xc1, 0}, "pshufw"},
    {{0x0f, 0xf7, 0xc1}, "maskmovq"},
    {{0x0f, 0xe7, 0x03}, "movntq"},
    {{0xdb, 0x0b}, "fisttp"},
    {{0xf3, 0x0f, 0xb8, 0xc1}, "popcnt"},
    {{0x0f, 0x38, 0xf0, 0x03}, "movbe"},
    {{0x0f, 0xc7, 0xf0}, "rdrand"},
    {{0x0f, 0x01, 0xc8}, "monitor"},
    {{0xc5, 0xf8, 0x58, 0xc1}, "vaddps"},
    {{0xc5, 0xf8, 0x90, 0xc1}, "kmovw"},
};
const row hinted_refusals[] = {
    {{0x0f, 0xae, 0xe8}, "lfence at 0x8000: a Pentium with MMX has no fences; use a locked add"},
    {{0x0f, 0xae, 0xf0}, "mfence at 0x8000: a Pentium with MMX has no fences"},
    {{0x0f, 0xae, 0xf8}, "sfence at 0x8000: a Pentium with MMX has no fences"},
    {{0x0f, 0x01, 0xf9}, "rdtscp at 0x8000: a Pentium with MMX has no RDTSCP; use RDTSC"},
};

void expect_refusal(const row& r, const std::string& text) {
    int_machine m(code_mode::bits32, profile::p55c);
    EXPECT_EQ(m.run(r.bytes.data(), r.bytes.size()), status::fault) << r.text;
    EXPECT_EQ(m.c.fault.vector, vector_ud) << r.text;
    EXPECT_FALSE(m.c.fault.unsupported) << r.text;
    ASSERT_EQ(m.refusals.size(), 1u) << r.text;
    EXPECT_EQ(m.refusals[0].substr(0, text.size()), text);
}

TEST(p55c, refuses_what_came_later_with_a_line_for_the_log) {
    for (const row& r : refusals) expect_refusal(r, r.text + std::string(" at 0x8000") + no_such);
    for (const row& r : hinted_refusals) expect_refusal(r, r.text);
}

TEST(p55c, executes_what_a_pentium_has) {
    const row rows[] = {
        {{0x0f, 0xa2}, "cpuid"},
        {{0x0f, 0x31}, "rdtsc"},
        {{0x0f, 0x32}, "rdmsr"},
        {{0x0f, 0xc7, 0x0b}, "cmpxchg8b"},
        {{0x0f, 0xc8}, "bswap"},
        {{0x0f, 0xb1, 0x0b}, "cmpxchg"},
        {{0x0f, 0xc1, 0x0b}, "xadd"},
        {{0x0f, 0x08}, "invd"},
        {{0x0f, 0x01, 0x3b}, "invlpg"},
        {{0xec}, "in"},
        {{0xee}, "out"},
        {{0x6c}, "insb"},
        {{0x6f}, "outsd"},
        {{0x9f}, "lahf"},
        {{0xd9, 0xfe}, "fsin"},
        {{0x0f, 0x77}, "emms"},
        {{0x90}, "nop"},
        {{0xf3, 0x90}, "pause"},
        {{0xd6}, "salc"},
        {{0xf3, 0x0f, 0xbc, 0xc1}, "bsf, whatever stands before it"},
    };
    for (const row& r : rows) {
        int_machine m(code_mode::bits32, profile::p55c);
        m.c.s.r[rbx] = m.c.s.r[rsi] = m.c.s.r[rdi] = 0x10000;
        m.c.s.r[rcx] = 2;  // TR1, for RDMSR
        EXPECT_EQ(m.run(r.bytes.data(), r.bytes.size()), status::ok) << r.text;
        EXPECT_TRUE(m.refusals.empty()) << r.text;
    }
}

// PAUSE came later, but its encoding was NOP with a prefix before.
TEST(p55c, pause_does_nothing) {
    const std::uint8_t bytes[] = {0xf3, 0x90};
    int_machine m(code_mode::bits32, profile::p55c);
    const state before = m.c.s;
    ASSERT_EQ(m.run(bytes, sizeof bytes), status::ok);
    for (unsigned n = rax; n < rip; ++n) EXPECT_EQ(m.c.s.r[n], before.r[n]) << n;
    EXPECT_EQ(m.c.s.rflags(), before.rflags());
}

// No line for the log: RSM outside system management mode, UD2, and encodings that are none. In
// 32-bit code SPFLT, DELAY, CLEVICT0 and TZCNT of Knights Corner are LES of a register.
TEST(p55c, undefined_by_definition) {
    const code rows[] = {{0x0f, 0xaa},
                         {0x0f, 0x0b},
                         {0x0f, 0xb9, 0xc0},
                         {0x0f, 0xff, 0xc0},
                         {0x0f, 0x04},
                         {0xc4, 0xe1, 0x7b, 0xae, 0xf0},
                         {0xc4, 0xe1, 0x7a, 0xae, 0xf0},
                         {0xc4, 0xe1, 0x7b, 0xae, 0x3b},
                         {0xc4, 0xe1, 0x7a, 0xbc, 0xc0},
                         {0xc4, 0xe1, 0x7a, 0xb8, 0x03}};
    for (const code& b : rows) {
        int_machine m(code_mode::bits32, profile::p55c);
        EXPECT_EQ(m.run(b.data(), b.size()), status::fault);
        EXPECT_EQ(m.c.fault.vector, vector_ud);
        EXPECT_TRUE(m.refusals.empty()) << m.refusals[0];
    }
}

// FPU VME DE PSE TSC MSR, MCE CX8 APIC, MMX: bits 5:0, 9:7, 23.
TEST(p55c, cpuid) {
    EXPECT_EQ(signature(3, profile::p55c), 0x543u);
    cpuid_thread t{signature(3, profile::p55c), 5};
    const cpuid_result first = cpuid(0, 0, profile::p55c, t);
    EXPECT_EQ(first.eax, 1u);
    EXPECT_EQ(first.ebx, 0x756e'6547u);  // Genu
    EXPECT_EQ(first.edx, 0x4965'6e69u);  // ineI
    EXPECT_EQ(first.ecx, 0x6c65'746eu);  // ntel
    const cpuid_result second = cpuid(1, 0, profile::p55c, t);
    EXPECT_EQ(second.eax, 0x543u);
    EXPECT_EQ(second.ebx, 0u);
    EXPECT_EQ(second.ecx, 0u);
    EXPECT_EQ(second.edx, 0x0080'03bfu);
    t.apic_enabled = false;
    EXPECT_EQ(cpuid(1, 0, profile::p55c, t).edx, 0x0080'01bfu);
    for (const std::uint32_t leaf : {2u, 4u, 0x2000'0000u, 0x8000'0000u, 0x8000'0001u}) {
        const cpuid_result r = cpuid(leaf, 0, profile::p55c, t);
        EXPECT_EQ(r.eax | r.ebx | r.ecx | r.edx, 0u) << std::hex << leaf;
    }
}

// There is no IA32_APIC_BASE that could switch the local APIC off.
TEST(p55c, cpuid_instruction_announces_the_apic) {
    int_machine m(code_mode::bits32, profile::p55c);
    m.c.signature = signature(3, profile::p55c);
    m.c.s.r[rax] = 1;
    ASSERT_EQ(m.run({0x0f, 0xa2}), status::ok);
    EXPECT_EQ(m.c.s.r[rax], 0x543u);
    EXPECT_EQ(m.c.s.r[rdx], 0x0080'03bfu);
}

// VME PVI TSD DE PSE, MCE, PCE: bits 4:0, 6, 8. PAE is bit 5, so there is no long mode either.
TEST(p55c, cr4) {
    for (unsigned n = 0; n < 32; ++n) {
        sys_machine k(profile::p55c);
        k.enter_protected_mode();
        const bool there = n <= 4 || n == 6 || n == 8;
        EXPECT_EQ(write_cr4(k.c, std::uint64_t{1} << n), there ? status::ok : status::fault) << n;
        if (!there) {
            EXPECT_EQ(k.c.fault.vector, vector_gp) << n;
        }
    }
}

TEST(p55c, msrs) {
    sys_machine k(profile::p55c);
    k.enter_protected_mode();
    std::uint64_t v = 0;
    for (const std::uint32_t n : {0u, 1u, 2u, 0x0eu}) EXPECT_TRUE(read_msr(k.c, n, v)) << n;
    for (const std::uint32_t n : {0x17u, 0x1bu, 0xfeu, 0x179u, 0x200u, 0x277u, 0x2ffu, 0x400u,
                                  0xc000'0080u, 0xc000'0081u, 0xc000'0100u, 0xc000'0103u}) {
        EXPECT_FALSE(read_msr(k.c, n, v)) << std::hex << n;
        EXPECT_FALSE(write_msr(k.c, n, 0)) << std::hex << n;
    }
    // By instruction: #GP(0), and EFER is as it was.
    k.c.s.r[rcx] = 0xc000'0080;
    k.c.s.r[rax] = efer_lme;
    k.c.s.r[rdx] = 0;
    EXPECT_EQ(k.run({0x0f, 0x30}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_EQ(k.c.s.efer, 0u);
}

}  // namespace
}  // namespace knc::isa::test

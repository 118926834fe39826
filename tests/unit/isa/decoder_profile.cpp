// What the profiles refuse, and what the model says of instructions it does not execute.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

using code = std::vector<std::uint8_t>;

struct refusal {
    code bytes;
    const char* text;  // part of the log line
    bool compat;       // profile compat executes it
};

const refusal refusals[] = {
    {{0x0F, 0x44, 0xC1}, "cmovz at 0x8000: Knights Corner has no CMOV", true},
    {{0xF3, 0x90}, "pause at 0x8000: Knights Corner has no PAUSE", true},
    {{0x0F, 0xAE, 0xE8}, "lfence at 0x8000: Knights Corner has no fences", true},
    {{0x0F, 0xAE, 0xF0}, "mfence at", true},
    {{0x0F, 0xAE, 0xF8}, "sfence at", true},
    {{0x48, 0x0F, 0xC7, 0x0B}, "cmpxchg16b at", true},
    {{0x0F, 0x01, 0xF9}, "rdtscp at", true},
    {{0x0F, 0xAE, 0x3B}, "clflush at", true},
    {{0x0F, 0x18, 0x0B}, "prefetcht0 at", true},
    {{0x0F, 0x0D, 0x0B}, "prefetchw at", true},
    {{0x0F, 0x0D, 0x13}, "prefetchwt1 at", true},
    {{0xEC}, "in at", true},
    {{0xE6, 0x80}, "out at", true},
    {{0x6C}, "insb at", true},
    {{0x6E}, "outsb at", true},
    {{0xF3, 0x0F, 0xB8, 0xC1}, "popcnt at", false},
    {{0x0F, 0x34}, "sysenter at", false},
    {{0x0F, 0x01, 0xC8}, "monitor at", false},
    {{0x0F, 0x01, 0xC9}, "mwait at", false},
    {{0xDB, 0xF1}, "fcomi at", true},
    {{0xDA, 0xC1}, "fcmovb at", true},
    {{0x0F, 0x77}, "emms at", false},
    {{0x0F, 0x58, 0xC1}, "addps at 0x8000: Knights Corner has no MMX, SSE or AVX", false},
    {{0xF2, 0x0F, 0x10, 0xC1}, "movsd at", false},
    {{0xC5, 0xF8, 0x58, 0xC1}, "vaddps at", false},
    {{0x62, 0xF1, 0x7C, 0x48, 0x58, 0xC1}, "vaddps at", false},
    {{0x0F, 0x38, 0xF0, 0x03}, "movbe at", false},
    {{0x0F, 0xC7, 0xF0}, "rdrand at", false},
    {{0x0F, 0xAE, 0x23}, "xsave at", false},
    // The card's own VEX instructions that take registers only, with memory: plain, with SIB and
    // displacement, behind a segment and an address size prefix, and by the short VEX prefix.
    {{0xC4, 0xE1, 0x7A, 0xB8, 0x03},
     "popcnt at 0x8000: Knights Corner has this with registers only",
     false},
    {{0xC4, 0xE1, 0xFA, 0xBC, 0x44, 0x8B, 0x10},
     "tzcnt at 0x8000: Knights Corner has this with registers",
     false},
    {{0x65, 0x67, 0xC4, 0xE1, 0x7A, 0xBD, 0x05, 0, 0, 0, 0},
     "lzcnt at 0x8000: Knights Corner has this with registers",
     false},
    {{0xC5, 0xFA, 0xB8, 0x03}, "popcnt at 0x8000: Knights Corner has this with registers", false},
    {{0xC4, 0xE1, 0x7B, 0xBC, 0x03},
     "tzcnti at 0x8000: Knights Corner has this with registers",
     false},
    {{0xC4, 0xE1, 0x7A, 0xAE, 0x33},
     "delay at 0x8000: Knights Corner has this with registers",
     false},
    {{0xC4, 0xE1, 0x7B, 0xAE, 0x33},
     "spflt at 0x8000: Knights Corner has this with registers",
     false},
    {{0xC5, 0xF8, 0x41, 0x03}, "kand at 0x8000: Knights Corner has this with registers", false},
};

TEST(decoder_profile, knc_refuses_with_a_line_for_the_log) {
    for (const refusal& r : refusals) {
        int_machine m(code_mode::bits64, profile::knc);
        EXPECT_EQ(m.run(r.bytes.data(), r.bytes.size()), status::fault) << r.text;
        EXPECT_EQ(m.c.fault.vector, vector_ud) << r.text;
        EXPECT_FALSE(m.c.fault.unsupported) << r.text;
        ASSERT_EQ(m.refusals.size(), 1u) << r.text;
        EXPECT_NE(m.refusals[0].find(r.text), std::string::npos) << m.refusals[0];
    }
}

TEST(decoder_profile, compat_executes_what_common_programs_expect) {
    for (const refusal& r : refusals) {
        int_machine m(code_mode::bits64, profile::compat);
        m.c.s.r[rbx] = m.c.s.r[rsi] = m.c.s.r[rdi] = 0x10000;
        EXPECT_EQ(m.run(r.bytes.data(), r.bytes.size()), r.compat ? status::ok : status::fault)
            << r.text;
        EXPECT_EQ(m.refusals.empty(), r.compat) << r.text;
    }
}

// What no other ModRM byte makes an instruction is none: no name, no line for the log.
TEST(decoder_profile, other_vex_encodings_are_just_undefined) {
    const code cases[] = {{0xC4, 0xE1, 0x7E, 0xB8, 0x03},        // L = 1
                          {0xC4, 0xE1, 0x79, 0xB8, 0x03},        // prefix 66
                          {0xC4, 0xE1, 0x6A, 0xB8, 0x03},        // a second source
                          {0x66, 0xC4, 0xE1, 0x7A, 0xB8, 0x03},  // 66 before VEX
                          {0x48, 0xC4, 0xE1, 0x7A, 0xB8, 0x03},  // REX before VEX
                          {0xC4, 0xE1, 0x7A, 0xB9, 0x03},
                          {0xC4, 0xE1, 0x78, 0x18, 0xC8}};  // vprefetch0 of a register
    for (const code& b : cases) {
        int_machine m(code_mode::bits64);
        EXPECT_EQ(m.run(b.data(), b.size()), status::fault);
        EXPECT_EQ(m.c.fault.vector, vector_ud);
        EXPECT_TRUE(m.refusals.empty()) << m.refusals[0];
    }
}

// It is told by its ModRM byte; what of it lies behind that is not looked at.
TEST(decoder_profile, memory_forms_are_refused_by_the_bytes_up_to_modrm) {
    const std::uint8_t bytes[] = {0x64, 0xC4, 0xE1, 0x7A, 0xB8, 0x84};  // SIB and displacement
    insn i;
    for (unsigned n = 1; n < sizeof bytes; ++n)
        EXPECT_EQ(decode(profile::knc, code_mode::bits64, bytes, n, i), decode_result::more) << n;
    ASSERT_EQ(decode(profile::knc, code_mode::bits64, bytes, sizeof bytes, i), decode_result::ok);
    EXPECT_EQ(i.flags, insn_refused);
    EXPECT_EQ(i.length, sizeof bytes);
}

// What has lost its F3 meaning on the card is executed as the older instruction.
TEST(decoder_profile, tzcnt_and_lzcnt_without_vex_are_bsf_and_bsr) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rcx] = 0x8010;
    ASSERT_EQ(m.run({0xF3, 0x0F, 0xBC, 0xC1}), status::ok);
    EXPECT_EQ(m.c.s.r[rax], 4u);
    ASSERT_EQ(m.run({0xF3, 0x0F, 0xBD, 0xC1}), status::ok);
    EXPECT_EQ(m.c.s.r[rax], 15u);  // LZCNT would say 16
}

TEST(decoder_profile, vex_is_undefined_outside_protected_mode) {
    int_machine m(code_mode::bits16);
    EXPECT_EQ(m.run({0xC5, 0xFA, 0xB8, 0xC1}), status::fault);  // popcnt eax, ecx
    EXPECT_EQ(m.c.fault.vector, vector_ud);
    EXPECT_FALSE(m.c.fault.unsupported);
}

}  // namespace
}  // namespace knc::isa::test

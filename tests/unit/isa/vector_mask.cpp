// Instructions on mask registers, against their definition bit by bit.
#include <array>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

constexpr unsigned masks = 8;

// The byte that follows `c4 e1 78 OPCODE`: destination k`reg`, source k`rm`.
std::uint8_t modrm(unsigned reg, unsigned rm) {
    return static_cast<std::uint8_t>(0xc0 | reg << 3 | rm);
}

// A mask is a list of bits; each rule says what bit `n` of the result is.
struct rule {
    const char* name;
    std::uint8_t opcode;
    bool (*bit)(const std::array<bool, 16>& to, const std::array<bool, 16>& from, unsigned n);
};
using bits = std::array<bool, 16>;
const rule rules[] = {
    {"KAND", 0x41, [](const bits& t, const bits& f, unsigned n) { return t[n] && f[n]; }},
    {"KANDN", 0x42, [](const bits& t, const bits& f, unsigned n) { return !t[n] && f[n]; }},
    {"KANDNR", 0x43, [](const bits& t, const bits& f, unsigned n) { return t[n] && !f[n]; }},
    {"KNOT", 0x44, [](const bits&, const bits& f, unsigned n) { return !f[n]; }},
    {"KOR", 0x45, [](const bits& t, const bits& f, unsigned n) { return t[n] || f[n]; }},
    {"KXNOR", 0x46, [](const bits& t, const bits& f, unsigned n) { return t[n] == f[n]; }},
    {"KXOR", 0x47, [](const bits& t, const bits& f, unsigned n) { return t[n] != f[n]; }},
    {"KMERGE2L1H", 0x48,
     [](const bits& t, const bits& f, unsigned n) { return n < 8 ? t[n + 8] : f[n - 8]; }},
    {"KMERGE2L1L", 0x49,
     [](const bits& t, const bits& f, unsigned n) { return n < 8 ? t[n] : f[n - 8]; }},
    {"KMOV", 0x90, [](const bits&, const bits& f, unsigned n) { return f[n]; }},
};

bits list(std::uint16_t mask) {
    bits b{};
    for (unsigned n = 0; n < 16; ++n) b[n] = (mask >> n & 1) != 0;
    return b;
}

struct mask_machine : int_machine {
    mask_machine() : int_machine(code_mode::bits64) {}
    void randomize(std::mt19937_64& random) {
        constexpr std::uint16_t special[] = {0, 0xffff, 0x00ff, 0xff00, 1, 0x8000};
        for (mask_t& k : c.s.vector.k)
            k = random() % 4 == 0 ? special[random() % 6] : static_cast<mask_t>(random());
    }
};

TEST(vector_mask, results_are_as_defined) {
    std::mt19937_64 random(7);
    mask_machine m;
    for (const rule& r : rules) {
        for (unsigned n = 0; n < 5'000; ++n) {
            m.randomize(random);
            const unsigned to = random() % masks, from = random() % masks;
            const auto before = m.c.s.vector.k;
            m.c.s.r[rip] = int_machine::code_at;
            ASSERT_EQ(m.step({0xc4, 0xe1, 0x78, r.opcode, modrm(to, from)}), status::ok);
            for (unsigned k = 0; k < masks; ++k) {
                const bits got = list(m.c.s.vector.k[k]);
                for (unsigned b = 0; b < 16; ++b)
                    ASSERT_EQ(got[b], k == to ? r.bit(list(before[to]), list(before[from]), b)
                                              : list(before[k])[b])
                        << r.name << " k" << to << ", k" << from << ": bit " << b << " of k" << k;
            }
        }
    }
}

// ZF: both are empty; CF: together they are full. The other arithmetic flags are cleared.
TEST(vector_mask, kortest_sets_two_flags) {
    struct {
        std::uint16_t a, b;
        std::uint32_t flags;
    } const cases[] = {{0, 0, flag_zf},
                       {0xff00, 0x00ff, flag_cf},
                       {0xffff, 0, flag_cf},
                       {0x8000, 0, 0},
                       {0, 1, 0}};
    for (const auto& x : cases) {
        mask_machine m;
        m.c.s.vector.k[3] = x.a;
        m.c.s.vector.k[5] = x.b;
        m.c.s.set_rflags(arithmetic_flags | 2);
        ASSERT_EQ(m.step({0xc4, 0xe1, 0x78, 0x98, modrm(3, 5)}), status::ok);
        EXPECT_EQ(m.c.s.rflags() & arithmetic_flags, x.flags);
        EXPECT_EQ(m.c.s.vector.k[3], x.a);
    }
}

TEST(vector_mask, moves_to_and_from_general_registers) {
    mask_machine m;
    m.c.s.r[rdx] = 0x1234'5678'9abc'def0;
    ASSERT_EQ(m.step({0xc4, 0xe1, 0x78, 0x92, modrm(6, rdx)}), status::ok);  // kmov k6, edx
    EXPECT_EQ(m.c.s.vector.k[6], 0xdef0);
    m.c.s.r[rbx] = ~std::uint64_t{0};
    ASSERT_EQ(m.step({0xc4, 0xe1, 0x78, 0x93, modrm(rbx, 6)}), status::ok);  // kmov ebx, k6
    EXPECT_EQ(m.c.s.r[rbx], 0xdef0u);
}

TEST(vector_mask, masks_are_packed_into_a_general_register_and_taken_out) {
    mask_machine m;
    m.c.s.vector.k = {0x0000, 0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777};
    ASSERT_EQ(m.step({0xc4, 0xe1, 0x60, 0x95, modrm(rax, 4)}), status::ok);  // kconcath rax,k3,k4
    EXPECT_EQ(m.c.s.r[rax], 0x3333'4444'0000'0000u);
    ASSERT_EQ(m.step({0xc4, 0xe1, 0x60, 0x97, modrm(rax, 4)}), status::ok);  // kconcatl rax,k3,k4
    EXPECT_EQ(m.c.s.r[rax], 0x3333'4444u);
    m.c.s.r[rcx] = 0x4444'3333'2222'1111;
    for (std::uint8_t n = 0; n < 8; ++n) {  // kextract k1, rcx, n: bits 1:0 of n
        ASSERT_EQ(m.step({0xc4, 0xe3, 0x79, 0x3e, modrm(1, rcx), n}), status::ok);
        EXPECT_EQ(m.c.s.vector.k[1], 0x1111 * (n % 4 + 1)) << unsigned{n};
    }
}

TEST(vector_mask, jumps_on_an_empty_mask) {
    for (const bool wants_empty : {true, false}) {
        for (const mask_t value : {mask_t{0}, mask_t{1}, mask_t{0x8000}, mask_t{0xffff}}) {
            mask_machine m;
            m.c.s.vector.k[1] = value;
            const std::uint8_t opcode = wants_empty ? 0x84 : 0x85;
            // jkzd, jknzd k1, +0x100
            ASSERT_EQ(m.step({0xc4, 0xe1, 0x70, opcode, 0x00, 0x01, 0x00, 0x00}), status::ok);
            const std::uint64_t next = int_machine::code_at + 8;
            EXPECT_EQ(m.c.s.r[rip], (value == 0) == wants_empty ? next + 0x100 : next);
        }
    }
}

TEST(vector_mask, is_not_available_to_another_owner_of_the_unit) {
    constexpr std::uint8_t kand[] = {0xc4, 0xe1, 0x78, 0x41, 0xca};
    for (const auto& [bit, vector] : {std::pair{cr0_ts, vector_nm}, {cr0_em, vector_ud}}) {
        mask_machine m;
        m.c.s.cr0 |= bit;
        EXPECT_EQ(m.step(kand, sizeof kand), status::fault);
        EXPECT_EQ(m.c.fault.vector, vector);
    }
}

}  // namespace
}  // namespace knc::isa::test

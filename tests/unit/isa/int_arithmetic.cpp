// Results and flags of arithmetic, logic, shifts, multiplication and division at their corners.
#include <vector>

#include <gtest/gtest.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

using code = std::vector<std::uint8_t>;

constexpr std::uint32_t C = flag_cf, P = flag_pf, A = flag_af, Z = flag_zf, S = flag_sf,
                        O = flag_of;
constexpr std::uint64_t top64 = std::uint64_t{1} << 63;

// rax op rcx with flags `before`: rax becomes `result`, the six flags `after`.
struct operation {
    const char* text;
    code bytes;
    std::uint64_t rax_in, rcx_in;
    std::uint32_t before;
    std::uint64_t result;
    std::uint32_t after;
};

void check(const std::vector<operation>& table) {
    for (const operation& o : table) {
        int_machine m(code_mode::bits64);
        m.c.s.r[rax] = o.rax_in;
        m.c.s.r[rcx] = o.rcx_in;
        m.c.s.arithmetic.set(o.before);
        EXPECT_EQ(m.run(o.bytes.data(), o.bytes.size()), status::ok) << o.text;
        EXPECT_EQ(m.c.s.r[rax], o.result) << o.text;
        EXPECT_EQ(m.c.s.arithmetic.get(), o.after) << o.text;
    }
}

TEST(int_arithmetic, addition_and_subtraction) {
    check({
        // FF + 1: carry out of bit 7 and of bit 3, result 0
        {"add al, cl", {0x00, 0xC8}, 0xFF, 1, 0, 0, C | A | Z | P},
        // 7F + 1: the sign changes without a carry
        {"add al, cl", {0x00, 0xC8}, 0x7F, 1, C, 0x80, A | S | O},
        // 8-bit results leave the rest of RAX, 32-bit ones clear the upper half
        {"add al, cl", {0x00, 0xC8}, 0x1122334455667710, 1, 0, 0x1122334455667711, P},
        {"add eax, ecx", {0x01, 0xC8}, ~0ull, 1, 0, 0, C | A | Z | P},
        {"add rax, rcx", {0x48, 0x01, 0xC8}, top64, top64, 0, 0, C | O | Z | P},
        {"add ax, cx", {0x66, 0x01, 0xC8}, 0xAAAA'7FFF, 1, 0, 0xAAAA'8000, A | S | O | P},
        // FF + 0 + carry
        {"adc al, cl", {0x10, 0xC8}, 0xFF, 0, C, 0, C | A | Z | P},
        {"adc al, cl", {0x10, 0xC8}, 0xFF, 0xFF, C, 0xFF, C | A | S | P},
        {"adc eax, ecx", {0x11, 0xC8}, 0x7FFF'FFFF, 0, C, 0x8000'0000, A | S | O | P},
        // 0 - 1: borrow everywhere
        {"sub al, cl", {0x28, 0xC8}, 0, 1, 0, 0xFF, C | A | S | P},
        // 80 - 1: the most negative number becomes the most positive
        {"sub al, cl", {0x28, 0xC8}, 0x80, 1, 0, 0x7F, A | O},
        {"sub rax, rcx", {0x48, 0x29, 0xC8}, 5, 5, C, 0, Z | P},
        {"sbb al, cl", {0x18, 0xC8}, 0, 0, C, 0xFF, C | A | S | P},
        {"sbb al, cl", {0x18, 0xC8}, 0, 0xFF, C, 0, C | A | Z | P},
        {"cmp rax, rcx", {0x48, 0x39, 0xC8}, 1, 2, 0, 1, C | A | S | P},
        {"neg al", {0xF6, 0xD8}, 0x80, 0, 0, 0x80, C | S | O},
        {"neg eax", {0xF7, 0xD8}, 0, 0, C, 0, Z | P},
        // INC and DEC keep CF
        {"inc al", {0xFE, 0xC0}, 0xFF, 0, C, 0, C | A | Z | P},
        {"inc al", {0xFE, 0xC0}, 0x7F, 0, 0, 0x80, A | S | O},
        {"dec al", {0xFE, 0xC8}, 0, 0, 0, 0xFF, A | S | P},
        {"dec al", {0xFE, 0xC8}, 0x80, 0, C, 0x7F, C | A | O},
        {"not al", {0xF6, 0xD0}, 0x0F, 0, C | O | Z, 0xF0, C | O | Z},
        // 83 /0 sign-extends its byte to the operand
        {"add rax, -1", {0x48, 0x83, 0xC0, 0xFF}, 0, 0, 0, ~0ull, S | P},
        {"add rax, 80000000h", {0x48, 0x05, 0, 0, 0, 0x80}, 0, 0, 0, 0xFFFF'FFFF'8000'0000, S | P},
    });
}

TEST(int_arithmetic, logic_clears_cf_of_af) {
    check({
        {"and eax, ecx", {0x21, 0xC8}, 0xF0, 0x0F, C | O | A | S, 0, Z | P},
        {"or al, cl", {0x08, 0xC8}, 0x80, 0x01, C | O, 0x81, S | P},
        {"xor rax, rax", {0x48, 0x31, 0xC0}, 77, 0, C | O | A, 0, Z | P},
        {"test ah, cl", {0x84, 0xCC}, 0x7F00, 0x80, C, 0x7F00, Z | P},
    });
}

TEST(int_arithmetic, shifts) {
    check({
        {"shl al, 1", {0xD0, 0xE0}, 0x80, 0, 0, 0, C | O | Z | P},
        {"shl al, cl = 8", {0xD2, 0xE0}, 0x01, 8, 0, 0, C | Z | P},  // bit 0 is the last one out
        {"shl al, cl = 9", {0xD2, 0xE0}, 0x01, 9, 0, 0, Z | P},
        {"shl eax, cl = 32", {0xD3, 0xE0}, 0xFF00000001, 32, C | O | A, 1, C | O | A},
        {"shl rax, cl = 63", {0x48, 0xD3, 0xE0}, 3, 63, 0, top64, C | S | P},
        {"shr al, 1", {0xD0, 0xE8}, 0x81, 0, 0, 0x40, C | O},
        {"sar al, 1", {0xD0, 0xF8}, 0x81, 0, O, 0xC0, C | S | P},
        {"sar al, cl = 31", {0xD2, 0xF8}, 0x80, 31, 0, 0xFF, C | S | P},
        {"rol al, 1", {0xD0, 0xC0}, 0x80, 0, 0, 1, C | O},
        {"ror al, 1", {0xD0, 0xC8}, 0x01, 0, 0, 0x80, C | O},
        {"rol al, 8", {0xC0, 0xC0, 0x08}, 0x81, 0, 0, 0x81, C | O},
        {"rcl al, 1", {0xD0, 0xD0}, 0x80, 0, C, 0x01, C | O},
        {"rcr al, 1", {0xD0, 0xD8}, 0x01, 0, C, 0x80, C | O},
        {"rcl al, cl = 9", {0xD2, 0xD0}, 0x5A, 9, C, 0x5A, C},  // nine positions: all the way round
        {"rcr rax, 1", {0x48, 0xD1, 0xD8}, 1, 0, 0, 0, C},
        {"rcl eax, cl = 31", {0xD3, 0xD0}, 0x6, 31, C, 0x4000'0001, C},  // 33 positions
        {"shld eax, ecx, 4", {0x0F, 0xA4, 0xC8, 4}, 0x1234'5678, 0xABCD'EF01, 0, 0x2345'678A, C},
        {"shrd eax, ecx, 4",
         {0x0F, 0xAC, 0xC8, 4},
         0x1234'5678,
         0xABCD'EF01,
         0,
         0x1123'4567,
         C | O},
    });
}

// The product of 64-bit numbers needs 128 bits; CF = OF = "the high half matters".
TEST(int_arithmetic, multiplication) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rax] = ~0ull;
    m.c.s.r[rcx] = ~0ull;
    ASSERT_EQ(m.run({0x48, 0xF7, 0xE1}), status::ok);  // mul rcx: (2^64-1)^2 = 2^128 - 2^65 + 1
    EXPECT_EQ(m.c.s.r[rdx], ~0ull - 1);
    EXPECT_EQ(m.c.s.r[rax], 1u);
    EXPECT_EQ(m.c.s.arithmetic.get() & (C | O), C | O);

    m.c.s.r[rax] = m.c.s.r[rcx] = ~0ull;
    ASSERT_EQ(m.run({0x48, 0xF7, 0xE9}), status::ok);  // imul rcx: -1 * -1
    EXPECT_EQ(m.c.s.r[rdx], 0u);
    EXPECT_EQ(m.c.s.r[rax], 1u);
    EXPECT_EQ(m.c.s.arithmetic.get() & (C | O), 0u);

    m.c.s.r[rax] = 0xFF80;
    m.c.s.r[rcx] = 0x80;
    ASSERT_EQ(m.run({0xF6, 0xE9}), status::ok);  // imul cl: -128 * -128 = 16384 in AX
    EXPECT_EQ(m.c.s.r[rax], 0x4000u);
    EXPECT_EQ(m.c.s.arithmetic.get() & (C | O), C | O);

    m.c.s.r[rcx] = 1000;
    ASSERT_EQ(m.run({0x69, 0xC1, 0x18, 0xFC, 0xFF, 0xFF}), status::ok);  // imul eax, ecx, -1000
    EXPECT_EQ(m.c.s.r[rax], 0xFFF0'BDC0u);                               // -1000000, upper half 0
    EXPECT_EQ(m.c.s.arithmetic.get() & (C | O), 0u);
}

struct division {
    const char* text;
    code bytes;
    std::uint64_t rdx_in, rax_in, rcx_in;
    bool error;
    std::uint64_t rdx_out, rax_out;
};

TEST(int_arithmetic, division) {
    const division table[] = {
        {"div rcx", {0x48, 0xF7, 0xF1}, 1, 0, 2, false, 0, top64},
        {"div rcx", {0x48, 0xF7, 0xF1}, 2, 0, 2, true, 2, 0},  // quotient 2^64
        {"div rcx", {0x48, 0xF7, 0xF1}, 0, 7, 0, true, 0, 7},
        {"div ecx", {0xF7, 0xF1}, ~0ull << 32, 7, 2, false, 1, 3},
        {"div cl", {0xF6, 0xF1}, 0, 0x00FF, 16, false, 0, 0x0F0F},
        {"idiv rcx", {0x48, 0xF7, 0xF9}, ~0ull, top64, ~0ull, true, ~0ull, top64},  // 2^63
        {"idiv rcx", {0x48, 0xF7, 0xF9}, ~0ull, top64, 1, false, 0, top64},         // -2^63
        {"idiv rcx", {0x48, 0xF7, 0xF9}, ~0ull, -7ull, 2, false, -1ull, -3ull},     // truncates
        {"idiv rcx", {0x48, 0xF7, 0xF9}, 0, 7, -2ull, false, 1, -3ull},
        {"idiv cl", {0xF6, 0xF9}, 0, 0xFF80, 0xFF, true, 0, 0xFF80},  // -128 / -1
        {"idiv cl", {0xF6, 0xF9}, 0, 0xFF00, 2, false, 0, 0x0080},    // -256 / 2 = -128
        // the most negative dividend, whose magnitude does not fit its own type
        {"idiv rcx", {0x48, 0xF7, 0xF9}, top64, 0, 1, true, top64, 0},
    };
    for (const division& d : table) {
        int_machine m(code_mode::bits64);
        m.c.s.r[rdx] = d.rdx_in;
        m.c.s.r[rax] = d.rax_in;
        m.c.s.r[rcx] = d.rcx_in;
        EXPECT_EQ(m.run(d.bytes.data(), d.bytes.size()), d.error ? status::fault : status::ok)
            << d.text;
        if (d.error) {
            EXPECT_EQ(m.c.fault.vector, vector_de) << d.text;
        }
        EXPECT_EQ(m.c.s.r[rdx], d.rdx_out) << d.text;
        EXPECT_EQ(m.c.s.r[rax], d.rax_out) << d.text;
    }
}

// Every combination of the six flags survives being stored and read back, and PUSHF/POPF's path.
TEST(int_arithmetic, flags_are_kept_as_set) {
    arithmetic_state f;
    for (std::uint32_t n = 0; n < 64; ++n) {
        const std::uint32_t v = (n & 1 ? C : 0) | (n & 2 ? P : 0) | (n & 4 ? A : 0) |
                                (n & 8 ? Z : 0) | (n & 16 ? S : 0) | (n & 32 ? O : 0);
        f.set(v);
        EXPECT_EQ(f.get(), v);
        f.set_cf(true);
        EXPECT_EQ(f.get(), v | C);
    }
}

// Conditions from a comparison of a with b mean what their names say.
TEST(int_arithmetic, conditions) {
    const std::int8_t values[] = {-128, -127, -1, 0, 1, 126, 127};
    for (const std::int8_t a : values)
        for (const std::int8_t b : values) {
            int_machine m(code_mode::bits64);
            m.c.s.r[rax] = static_cast<std::uint8_t>(a);
            m.c.s.r[rcx] = static_cast<std::uint8_t>(b);
            ASSERT_EQ(m.run({0x38, 0xC8}), status::ok);  // cmp al, cl
            const auto ua = static_cast<std::uint8_t>(a), ub = static_cast<std::uint8_t>(b);
            const bool expected[] = {a - b != static_cast<std::int8_t>(a - b),
                                     ua < ub,
                                     a == b,
                                     ua <= ub,
                                     static_cast<std::int8_t>(a - b) < 0,
                                     __builtin_parity(static_cast<std::uint8_t>(a - b)) == 0,
                                     a < b,
                                     a <= b};
            for (unsigned cc = 0; cc < 16; ++cc)
                EXPECT_EQ(m.c.s.arithmetic.condition(cc), expected[cc >> 1] != ((cc & 1) != 0))
                    << cc;
        }
}

// Decimal adjustment, from the examples and rules of the manual. AX, then CF and AF.
TEST(int_arithmetic, decimal_adjustment) {
    struct {
        const char* text;
        code bytes;
        std::uint16_t ax;
        std::uint32_t before;
        std::uint16_t result;
        std::uint32_t carries;
        bool error;
    } const table[] = {
        {"daa: 79 + 35 = AE -> 14 carry 1", {0x27}, 0x00AE, 0, 0x0014, C | A, false},
        {"daa: 9A -> 00 carry 1", {0x27}, 0x009A, 0, 0x0000, C | A, false},
        {"daa: nothing to do", {0x27}, 0x0042, 0, 0x0042, 0, false},
        {"daa: AF alone", {0x27}, 0x0010, A, 0x0016, A, false},
        {"das: 35 - 47 = EE with both borrows -> 88", {0x2F}, 0x00EE, C | A, 0x0088, C | A, false},
        {"das: 05 with AF borrows from nothing", {0x2F}, 0x0005, A, 0x00FF, C | A, false},
        {"aaa: 9 + 8 = 11h -> 1, 7", {0x37}, 0x0011, A, 0x0107, C | A, false},
        {"aaa: digit in range", {0x37}, 0x0205, 0, 0x0205, 0, false},
        {"aas: 3 - 5 = FE -> borrow, 8", {0x3F}, 0x02FE, A, 0x0108, C | A, false},
        {"aam: 63 -> 6, 3", {0xD4, 0x0A}, 0x003F, 0, 0x0603, 0, false},
        {"aam 0", {0xD4, 0x00}, 0x003F, 0, 0x003F, 0, true},
        {"aad: 6, 3 -> 63", {0xD5, 0x0A}, 0x0603, 0, 0x003F, 0, false},
        {"salc", {0xD6}, 0x1200, C, 0x12FF, C, false},
    };
    for (const auto& t : table) {
        int_machine m(code_mode::bits32);
        m.c.s.r[rax] = t.ax;
        m.c.s.arithmetic.set(t.before);
        const status s = m.run(t.bytes.data(), t.bytes.size());
        EXPECT_EQ(s, t.error ? status::fault : status::ok) << t.text;
        EXPECT_EQ(m.c.s.r[rax], t.result) << t.text;
        EXPECT_EQ(m.c.s.arithmetic.get() & (C | A), t.carries) << t.text;
    }
}

}  // namespace
}  // namespace knc::isa::test

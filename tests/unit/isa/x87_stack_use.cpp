// Which stack registers x87 instructions read and write, as the decoder tells the pipelines.
#include <knc/isa/x87_stack_use.h>

#include <random>

#include <gtest/gtest.h>

#include <support/environment_number.h>

#include "x87_machine.h"

namespace knc::isa::test {
namespace {

using knc::test::environment_number;

constexpr unsigned all = 0xff;
constexpr unsigned longest = 15;

insn decoded_from(const std::uint8_t* bytes, unsigned available) {
    insn i;
    decode(profile::compat, code_mode::bits64, bytes, available, i);
    return i;
}
unsigned stack(register_set set) {
    return static_cast<unsigned>(set >> x87_registers_shift);
}

// Bit n: ST(n), counted before the instruction.
TEST(x87_stack_use, of_each_kind_of_instruction) {
    const struct {
        std::initializer_list<std::uint8_t> bytes;
        unsigned reads, writes;
    } cases[] = {
        {{0xD8, 0xC3}, 0b1001, 0b0001},      // fadd st0, st3
        {{0xDC, 0xC3}, 0b1001, 0b1000},      // fadd st3, st0
        {{0xDE, 0xC3}, 0b1001, 0b1000},      // faddp st3, st0: numbered before the pop
        {{0xD8, 0x03}, 0b0001, 0b0001},      // fadd dword [rbx]
        {{0xDE, 0x33}, 0b0001, 0b0001},      // fidiv word [rbx]
        {{0xD9, 0x03}, 0, 0x80},             // fld dword [rbx]: a push fills ST(7)
        {{0xD9, 0xC2}, 0b0100, 0x80},        // fld st2
        {{0xD9, 0xC7}, 0x80, 0x80},          // fld st7
        {{0xDF, 0x2B}, 0, 0x80},             // fild qword [rbx]
        {{0xDF, 0x23}, 0, 0x80},             // fbld
        {{0xD9, 0xEB}, 0, 0x80},             // fldpi
        {{0xD9, 0xEE}, 0, 0x80},             // fldz
        {{0xDD, 0xD2}, 0b0001, 0b0100},      // fst st2
        {{0xDD, 0x1B}, 0b0001, 0},           // fstp qword [rbx]
        {{0xDB, 0x1B}, 0b0001, 0},           // fistp dword [rbx]
        {{0xDF, 0x33}, 0b0001, 0},           // fbstp
        {{0xD9, 0xCA}, 0b0101, 0b0101},      // fxch st2
        {{0xD9, 0xE0}, 0b0001, 0b0001},      // fchs
        {{0xD9, 0xE4}, 0b0001, 0},           // ftst
        {{0xD9, 0xE5}, 0b0001, 0},           // fxam
        {{0xD8, 0xD1}, 0b0011, 0},           // fcom st1
        {{0xDE, 0xD9}, 0b0011, 0},           // fcompp
        {{0xDF, 0xE9}, 0b0011, 0},           // fucomip st0, st1
        {{0xDA, 0xC2}, 0b0101, 0b0001},      // fcmovb st0, st2: may keep what it has
        {{0xD9, 0xFA}, 0b0001, 0b0001},      // fsqrt
        {{0xD9, 0xFD}, 0b0011, 0b0001},      // fscale
        {{0xD9, 0xF1}, 0b0011, 0b0010},      // fyl2x: into ST(1), then a pop
        {{0xD9, 0xF2}, 0b0001, 0x81},        // fptan: the tangent where the angle was
        {{0xD9, 0xF4}, 0b0001, 0x81},        // fxtract
        {{0xD9, 0xFB}, 0b0001, 0x81},        // fsincos
        {{0xDD, 0xC2}, 0, 0},                // ffree st2: a tag
        {{0xD9, 0xF7}, 0, 0},                // fincstp
        {{0xDF, 0xE0}, 0, 0},                // fnstsw ax
        {{0xD9, 0x2B}, 0, 0},                // fldcw
        {{0x9B}, 0, 0},                      // fwait
        {{0xDB, 0xE3}, 0, all},              // fninit
        {{0xD9, 0x23}, 0, all},              // fldenv
        {{0xD9, 0x33}, all, 0},              // fnstenv
        {{0xDD, 0x33}, all, all},            // fnsave: initialises too
        {{0xDD, 0x23}, 0, all},              // frstor
        {{0x0F, 0xAE, 0x03}, all, 0},        // fxsave
        {{0x48, 0x0F, 0xAE, 0x03}, all, 0},  // fxsave64
        {{0x0F, 0xAE, 0x0B}, 0, all},        // fxrstor
        {{0x48, 0x0F, 0xAE, 0x0B}, 0, all},  // fxrstor64
    };
    for (const auto& c : cases) {
        const auto size = static_cast<unsigned>(c.bytes.size());
        const insn i = decoded_from(c.bytes.begin(), size);
        const std::string text = disassemble(code_mode::bits64, c.bytes.begin(), size, 0);
        EXPECT_EQ(i.length, size) << text;
        EXPECT_NE(i.flags & insn_x87, 0u) << text;
        EXPECT_EQ(stack(i.reads), c.reads) << text;
        EXPECT_EQ(stack(i.writes), c.writes) << text;
    }
}

// One and two bytes of opcode, every ModRM byte.
TEST(x87_stack_use, is_empty_for_everything_else) {
    unsigned with_registers = 0;
    for (unsigned n = 0; n < 2 * 256 * 256; ++n) {
        std::uint8_t bytes[longest] = {};
        unsigned at = 0;
        if (n >= 256 * 256) bytes[at++] = 0x0F;
        bytes[at++] = static_cast<std::uint8_t>(n >> 8);
        bytes[at] = static_cast<std::uint8_t>(n);
        const insn i = decoded_from(bytes, longest);
        if (stack(i.reads | i.writes) == 0) continue;
        ++with_registers;
        EXPECT_NE(i.flags & (insn_x87 | insn_refused), 0u) << std::hex << n;
    }
    EXPECT_GT(with_registers, 1000u);  // of the 2048 encodings D8 to DF
}

// A register that is not read may hold anything: neither the results nor the rest of the unit show
// it. A register that is not written keeps what it has.
class independence {
  public:
    explicit independence(std::uint64_t seed) : random_(seed) {}

    void of(std::initializer_list<std::uint8_t> bytes) {
        const auto size = static_cast<unsigned>(bytes.size());
        const insn i = decoded_from(bytes.begin(), size);
        if ((i.flags & insn_x87) == 0) return;
        const std::string text = disassemble(code_mode::bits64, bytes.begin(), size, 0);
        const x87_state before = state();
        const std::uint64_t eflags = random_() & 0x8d5;
        const x87_state after = run(bytes, before, eflags);
        const std::vector<std::uint8_t> stored = memory();
        for (unsigned n = 0; n < 8; ++n) {
            const std::uint8_t bit = static_cast<std::uint8_t>(1u << n);
            const unsigned p = before.index(n);
            if ((stack(i.writes) & bit) == 0) {
                EXPECT_EQ(after.physical[p], before.physical[p]) << text << ": st" << n;
            }
            if ((stack(i.reads) & bit) != 0) continue;
            x87_state other = before;
            other.physical[p] = value();
            const x87_state result = run(bytes, other, eflags);
            EXPECT_EQ(result.status, after.status) << text << ": st" << n;
            EXPECT_EQ(result.used, after.used) << text << ": st" << n;
            EXPECT_EQ(memory(), stored) << text << ": st" << n;
            for (unsigned q = 0; q < 8; ++q) {
                if (q == p && keeps_contents(i)) continue;
                const bool written = (stack(i.writes) >> ((q - before.top()) & 7) & 1) != 0;
                if (q != p || written) {
                    EXPECT_EQ(result.physical[q], after.physical[q]) << text << ": st" << n;
                }
            }
        }
        ++instructions;
    }
    unsigned instructions = 0;

  private:
    // They change the tags of all registers; FSTPNCE writes only what ST(0) holds.
    static bool keeps_contents(const insn& i) {
        return i.mnemonic == ZYDIS_MNEMONIC_FNINIT || i.mnemonic == ZYDIS_MNEMONIC_FLDENV ||
               i.mnemonic == ZYDIS_MNEMONIC_FSTPNCE;
    }
    x87_register value() {
        return x87_machine::number(static_cast<std::int64_t>(random_() % 2000) - 1000);
    }
    x87_state state() {
        x87_state s;
        s.initialize();
        for (x87_register& r : s.physical) r = value();
        s.used = static_cast<std::uint8_t>(random_() | random_());
        s.set_top(static_cast<unsigned>(random_() & 7));
        // Most pushes find room.
        if (random_() % 4 != 0) s.free(7);
        return s;
    }
    x87_state run(std::initializer_list<std::uint8_t> bytes, const x87_state& s,
                  std::uint64_t eflags) {
        t_.x() = s;
        t_.c.s.r[rip] = int_machine::code_at;
        t_.c.s.set_rflags(eflags | 2);
        for (std::uint64_t n = 0; n < image; ++n)
            t_.put<std::uint8_t>(x87_machine::operand + n, static_cast<std::uint8_t>(n % 10));
        t_.put(x87_machine::operand + 24, mxcsr_initial);  // of FXRSTOR
        EXPECT_EQ(t_.run(bytes), status::ok);
        return t_.x();
    }
    std::vector<std::uint8_t> memory() {
        const std::uint8_t* at = t_.at(x87_machine::operand);
        return {at, at + image};
    }

    static constexpr std::uint64_t image = 512;
    std::mt19937_64 random_;
    x87_machine t_{code_mode::bits64, profile::compat};
};

TEST(x87_stack_use, agrees_with_execution) {
    const std::uint64_t seed = environment_number("KNC_SEED", 1);
    SCOPED_TRACE("KNC_SEED=" + std::to_string(seed));
    independence check(seed);
    constexpr unsigned memory_at_rbx = 3;
    for (unsigned round = 0; round < 8; ++round) {
        for (unsigned opcode = 0xD8; opcode <= 0xDF; ++opcode) {
            const auto first = static_cast<std::uint8_t>(opcode);
            for (unsigned modrm = memory_at_rbx; modrm < 0x40; modrm += 8)
                check.of({first, static_cast<std::uint8_t>(modrm)});
            for (unsigned modrm = 0xC0; modrm < 0x100; ++modrm)
                check.of({first, static_cast<std::uint8_t>(modrm)});
        }
        check.of({0x0F, 0xAE, 0x03});  // fxsave
        check.of({0x0F, 0xAE, 0x0B});  // fxrstor
    }
    // Of 8 * 8 memory and 8 * 64 register forms all but 4 + 3 (FISTTP) and 92 undefined ones, and
    // the two.
    EXPECT_EQ(check.instructions, 8u * (8 * 8 + 8 * 64 - 4 - 3 - 92 + 2));
}

}  // namespace
}  // namespace knc::isa::test

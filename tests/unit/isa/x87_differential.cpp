// Random x87 instructions on the host processor and on the model: registers, control, status and
// tag word, pointers, memory, flags and #MF must be the same.
//
// A case loads the unit with FRSTOR, executes the instruction and saves the unit with FNSAVE, which
// does not wait: exceptions the instruction leaves unmasked are seen too. KNC_CASES sets the number
// of cases, KNC_SEED the seed of the first; a failure prints the seed that repeats it. Of AMD's
// processors, which differ in details of the rest, the transcendental functions alone are compared.
#include <cstring>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/wide.h>
#include <knc/isa/x87_convert.h>
#include <support/environment_number.h>

#include "differential_native.h"
#include "int_machine.h"
#include "x87_generator.h"

namespace knc::isa::test {
namespace {

using knc::test::environment_number;

constexpr std::uint64_t cases_per_part = 300000;

constexpr std::uint64_t before_at = native_processor::data, after_at = before_at + 0x100,
                        operand_at = before_at + 0x400;

template <class T>
T& at(std::uint8_t* memory, std::uint64_t address) {
    return *reinterpret_cast<T*>(memory + (address - native_processor::data));
}

// FRSTOR and FNSAVE at an absolute address.
std::vector<std::uint8_t> transfer(code_mode m, unsigned digit, std::uint64_t address) {
    std::vector<std::uint8_t> b = {0xDD};
    if (m == code_mode::bits64) {
        b.push_back(static_cast<std::uint8_t>(digit << 3 | 4));
        b.push_back(0x25);
    } else {
        b.push_back(static_cast<std::uint8_t>(digit << 3 | 5));
    }
    for (unsigned n = 0; n < 4; ++n) b.push_back(static_cast<std::uint8_t>(address >> 8 * n));
    return b;
}
constexpr unsigned frstor_digit = 4, fnsave_digit = 6;

// What FNSAVE left behind.
struct image {
    std::uint32_t control, status, tags, ip, opcode_cs, dp, ds;
    std::uint8_t registers[x87_registers_size];

    x87_register st(unsigned n) const { return x87_from_extended(registers + 10 * n); }
};
static_assert(sizeof(image) == x87_largest_image);

struct result {
    outcome how = outcome::next;
    std::uint64_t rax = 0, flags = 0;
    image after;
    std::array<std::uint8_t, fxsave_size> operand;
};

native_state start(const x87_case& t) {
    native_state s;
    s.r[rax] = 0x11223344;
    s.r[rdx] = operand_at;
    s.r[rsp] = native_processor::data + native_processor::data_size / 2;
    s.flags = t.flags;
    return s;
}

void fill(const x87_case& t, std::uint8_t* memory) {
    std::memcpy(&at<std::uint8_t>(memory, before_at), t.image.data(), t.image.size());
    std::memset(&at<std::uint8_t>(memory, after_at), 0, sizeof(image));
    std::memcpy(&at<std::uint8_t>(memory, operand_at), t.operand.data(), t.operand.size());
}

void take(result& r, std::uint8_t* memory) {
    r.after = at<image>(memory, after_at);
    std::memcpy(r.operand.data(), &at<std::uint8_t>(memory, operand_at), r.operand.size());
}

result run_native(native_processor& native, const x87_case& t) {
    fill(t, native.memory());
    if (t.mnemonic == ZYDIS_MNEMONIC_FXRSTOR || t.mnemonic == ZYDIS_MNEMONIC_FXRSTOR64)
        at<std::uint32_t>(native.memory(), operand_at + 24) = 0x1f80;  // the host's usual MXCSR
    std::vector<std::uint8_t> code = transfer(t.mode, frstor_digit, before_at);
    code.insert(code.end(), t.bytes.begin(), t.bytes.end());
    const std::vector<std::uint8_t> save = transfer(t.mode, fnsave_digit, after_at);
    code.insert(code.end(), save.begin(), save.end());
    native_state s = start(t);
    result r;
    r.how = native.run(t.mode, code.data(), code.size(), s);
    native_state clean = start(t);
    constexpr std::uint8_t fninit[] = {0xDB, 0xE3};
    native.run(t.mode, fninit, sizeof fninit, clean);
    r.rax = s.r[rax];
    r.flags = s.flags;
    take(r, native.memory());
    return r;
}

class model {
  public:
    explicit model(code_mode m)
        : memory_(native_processor::data_size), machine_(m, profile::compat) {
        machine_.add_ram(native_processor::data, memory_);
        machine_.c.s.cr0 |= cr0_ne;
        machine_.user(3);
    }
    result run(const x87_case& t) {
        fill(t, memory_.data());
        const native_state s = start(t);
        context& c = machine_.c;
        std::copy(s.r.begin(), s.r.end(), c.s.r.begin());
        c.s.set_rflags(s.flags);
        c.s.r[rip] = native_processor::instruction;
        c.s.x87.initialize();
        const auto restore = transfer(t.mode, frstor_digit, before_at),
                   save = transfer(t.mode, fnsave_digit, after_at);
        EXPECT_EQ(machine_.run(restore.data(), restore.size()), status::ok);
        result r;
        if (machine_.run(t.bytes.data(), t.bytes.size()) == status::ok) {
            EXPECT_EQ(machine_.run(save.data(), save.size()), status::ok);
        } else {
            r.how = c.fault.vector == vector_mf ? outcome::divide_error : outcome::other_fault;
        }
        r.rax = c.s.r[rax];
        r.flags = c.s.rflags();
        take(r, memory_.data());
        return r;
    }

  private:
    std::vector<std::uint8_t> memory_;
    int_machine machine_;
};

// What the card saves in place of the host's MXCSR and XMM registers.
void ignore_vector_state(const x87_case& t, result& native, const result& simulated) {
    constexpr unsigned mxcsr_at = 24, xmm_at = fxsave_used;
    if (t.mnemonic != ZYDIS_MNEMONIC_FXSAVE && t.mnemonic != ZYDIS_MNEMONIC_FXSAVE64 &&
        t.mnemonic != ZYDIS_MNEMONIC_FXRSTOR && t.mnemonic != ZYDIS_MNEMONIC_FXRSTOR64)
        return;
    const auto copy = [&](unsigned at, unsigned size) {
        std::copy_n(&simulated.operand[at], size, &native.operand[at]);
    };
    copy(mxcsr_at, 8);
    copy(xmm_at, fxsave_size - xmm_at);
}

// What the host does otherwise: it keeps no selectors, the opcode and the operand's address only of
// instructions that end with an unmasked exception. AMD's processors lose all of them when another
// program of the host runs in between.
void ignore_differences_of_pointers(const x87_case& t, result& native, result& simulated) {
    image &n = native.after, &m = simulated.after;
    const image before = [&] {
        image i;
        std::memcpy(&i, t.image.data(), sizeof i);
        return i;
    }();
    m.ds = n.ds;
    if (host_processor() != host::intel) {
        m.ip = n.ip;
        m.opcode_cs = n.opcode_cs;
        m.dp = n.dp;
        return;
    }
    if (n.dp == before.dp) m.dp = n.dp;
    const std::uint32_t opcode = n.opcode_cs >> 16 == 0 ? 0 : m.opcode_cs & 0xffff'0000;
    m.opcode_cs = opcode | (n.opcode_cs & 0xffff);
}

// The sine of the smallest normal number rounds to it or to the largest denormal: neighbours,
// unless an unmasked underflow scales one of them.
bool at_smallest_normal(const x87_case& t) {
    image before;
    std::memcpy(&before, t.image.data(), sizeof before);
    const x87_register r = before.st(0);
    return r.exponent() <= 1 && r.significand == x87_integer_bit;
}

bool transcendental(ZydisMnemonic m) {
    switch (m) {
        case ZYDIS_MNEMONIC_F2XM1:
        case ZYDIS_MNEMONIC_FYL2X:
        case ZYDIS_MNEMONIC_FYL2XP1:
        case ZYDIS_MNEMONIC_FPTAN:
        case ZYDIS_MNEMONIC_FPATAN:
        case ZYDIS_MNEMONIC_FSIN:
        case ZYDIS_MNEMONIC_FCOS:
        case ZYDIS_MNEMONIC_FSINCOS:
            return true;
        default:
            return false;
    }
}

// Distance in units of the last place; large for different signs or kinds.
std::uint64_t distance(const x87_register& a, const x87_register& b) {
    constexpr std::uint64_t far = 1u << 20;
    const x87_operand x = x87_decode(a), y = x87_decode(b);
    if (a.sign_exponent == b.sign_exponent && a.significand == b.significand) return 0;
    const bool numbers = (x.number() || x.zero()) && (y.number() || y.zero());
    if (!numbers || a.negative() != b.negative()) return far;
    // Exponents as part of one number; the integer bit is implied by them.
    const auto place = [](const x87_register& r) {
        return uint128{r.exponent()} << 63 | (r.significand & ~x87_integer_bit);
    };
    const uint128 p = place(a), q = place(b), d = p > q ? p - q : q - p;
    return d < far ? static_cast<std::uint64_t>(d) : far;
}

// Results of transcendental functions may be one unit apart. What tells how they were rounded (C1
// and UE, and so ES and B) is then no matter. PE is: it comes with every result that is computed.
void accept_neighbours(result& native, const result& simulated) {
    if (native.how != outcome::next || simulated.how != outcome::next) return;
    image& n = native.after;
    const image& m = simulated.after;
    for (unsigned i = 0; i < 8; ++i)
        if (distance(n.st(i), m.st(i)) <= 1)
            std::memcpy(n.registers + 10 * i, m.registers + 10 * i, 10);
    const bool differ = ((n.status ^ m.status) & x87_ue) != 0;
    const unsigned loose = x87_c1 | (differ ? x87_ue | x87_es | x87_busy : 0);
    n.status = (n.status & ~loose) | (m.status & loose);
    // Neighbours may have different tags, of normal and denormal numbers; empty is empty.
    for (unsigned i = 0; i < 16; i += 2)
        if ((n.tags >> i & 3) != 3 && (m.tags >> i & 3) != 3)
            n.tags = (n.tags & ~(3u << i)) | (m.tags & 3u << i);
}

std::string describe(const x87_case& t, const result& n, const result& m) {
    std::string text = t.text + " [";
    for (const std::uint8_t b : t.bytes) text += fmt::format("{:02x} ", b);
    image before;
    std::memcpy(&before, t.image.data(), sizeof before);
    text += fmt::format("]\nended native {} model {}\n", int(n.how), int(m.how));
    const auto line = [&text](const char* name, std::uint64_t b, std::uint64_t x, std::uint64_t y) {
        if (b == x && x == y) return;
        text += fmt::format("{}: before {:x}, native {:x}, model {:x}{}\n", name, b, x, y,
                            x == y ? "" : " ***");
    };
    text += fmt::format("control word {:x}\n", before.control & 0xffff);
    line("control", before.control, n.after.control, m.after.control);
    line("status", before.status, n.after.status, m.after.status);
    line("tags", before.tags, n.after.tags, m.after.tags);
    line("instruction pointer", n.after.ip, n.after.ip, m.after.ip);
    line("opcode and selector", before.opcode_cs, n.after.opcode_cs, m.after.opcode_cs);
    line("data pointer", before.dp, n.after.dp, m.after.dp);
    line("flags", t.flags, n.flags, m.flags);
    line("rax", n.rax, n.rax, m.rax);
    const auto show = [](x87_register r) {
        return fmt::format("{:04x}:{:016x}", r.sign_exponent, r.significand);
    };
    for (unsigned i = 0; i < 8; ++i) {
        const auto a = show(n.after.st(i)), b = show(m.after.st(i));
        text += fmt::format("st({}): before {}, native {}, model {}{}\n", i, show(before.st(i)), a,
                            b, a == b ? "" : " ***");
    }
    for (unsigned i = 0; i < t.operand.size(); ++i)
        if (i < 10 || n.operand[i] != m.operand[i])
            text += fmt::format("memory {}: before {:02x}, native {:02x}, model {:02x}{}\n", i,
                                t.operand[i], n.operand[i], m.operand[i],
                                n.operand[i] != m.operand[i] ? " ***" : "");
    return text;
}

bool same(const result& n, const result& m) {
    return n.how == m.how && n.rax == m.rax && n.flags == m.flags && n.operand == m.operand &&
           std::memcmp(&n.after, &m.after, sizeof n.after) == 0;
}

// Executes `t` on both; empty, or how they differ.
std::string difference(native_processor& native, model& simulated, const x87_case& t) {
    result expected = run_native(native, t), actual = simulated.run(t);
    ignore_differences_of_pointers(t, expected, actual);
    ignore_vector_state(t, expected, actual);
    if (transcendental(t.mnemonic)) accept_neighbours(expected, actual);
    return same(expected, actual) ? "" : describe(t, expected, actual);
}

bool known_maker() {
    return host_processor() == host::intel || __builtin_cpu_is("amd");
}

void compare(code_mode m, unsigned part) {
    native_processor native;
    if (!native.available()) GTEST_SKIP() << "the address of the region is taken";
    if (!native.runs(m)) GTEST_SKIP() << "this host does not run such code";
    if (!known_maker()) GTEST_SKIP() << "the x87 units of other makers are not known";
    const std::uint64_t cases = environment_number("KNC_CASES", cases_per_part);
    const std::uint64_t first = environment_number("KNC_SEED", 1) + part * cases;
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << cases << '\n';
    model simulated(m);
    unsigned failures = 0;
    for (std::uint64_t seed = first; seed < first + cases && failures < 40; ++seed) {
        const x87_case t = x87_generator(m, seed).next();
        if (transcendental(t.mnemonic) ? at_smallest_normal(t) : host_processor() != host::intel)
            continue;
        const std::string text = difference(native, simulated, t);
        if (text.empty()) continue;
        ++failures;
        ADD_FAILURE() << "KNC_SEED=" << seed << " KNC_CASES=1: " << text;
    }
}

class x87_differential : public testing::TestWithParam<unsigned> {};

TEST_P(x87_differential, code64) {
    compare(code_mode::bits64, GetParam());
}
TEST_P(x87_differential, code32) {
    compare(code_mode::bits32, GetParam());
}
INSTANTIATE_TEST_SUITE_P(part, x87_differential, testing::Range(0u, 3u));

// The exact values of the transcendental functions, which random operands seldom have: PE is set
// with all of them but zero. In each direction of rounding.
TEST(x87_differential_of_exact_values, status) {
    native_processor native;
    if (!native.available()) GTEST_SKIP() << "the address of the region is taken";
    if (!known_maker()) GTEST_SKIP() << "the x87 units of other makers are not known";
    struct row {
        const char* text;
        ZydisMnemonic mnemonic;
        std::uint8_t opcode;  // behind D9
        int x, y;             // ST(0), ST(1)
        int x_scale;          // ST(0) is x times two to this
    };
    const row rows[] = {
        {"2^1 - 1", ZYDIS_MNEMONIC_F2XM1, 0xF0, 1, 1, 0},
        {"2^-1 - 1", ZYDIS_MNEMONIC_F2XM1, 0xF0, -1, 1, 0},
        {"2^0 - 1", ZYDIS_MNEMONIC_F2XM1, 0xF0, 0, 1, 0},
        {"log2 2", ZYDIS_MNEMONIC_FYL2X, 0xF1, 1, 1, 1},
        {"3 log2 2^-9", ZYDIS_MNEMONIC_FYL2X, 0xF1, 1, 3, -9},
        {"-5 log2 2^1000", ZYDIS_MNEMONIC_FYL2X, 0xF1, 1, -5, 1000},
        {"7 log2 1", ZYDIS_MNEMONIC_FYL2X, 0xF1, 1, 7, 0},
        {"0 log2 8", ZYDIS_MNEMONIC_FYL2X, 0xF1, 1, 0, 3},
        {"3 log2(1 + 1)", ZYDIS_MNEMONIC_FYL2XP1, 0xF9, 1, 3, 0},
        {"3 log2(1 - 1/2)", ZYDIS_MNEMONIC_FYL2XP1, 0xF9, -1, 3, -1},
        {"3 log2(1 + 0)", ZYDIS_MNEMONIC_FYL2XP1, 0xF9, 0, 3, 0},
        {"sin 0", ZYDIS_MNEMONIC_FSIN, 0xFE, 0, 1, 0},
        {"cos 0", ZYDIS_MNEMONIC_FCOS, 0xFF, 0, 1, 0},
        {"tan 0", ZYDIS_MNEMONIC_FPTAN, 0xF2, 0, 1, 0},
        {"angle of (1, 0)", ZYDIS_MNEMONIC_FPATAN, 0xF3, 1, 0, 0},
    };
    model simulated(code_mode::bits64);
    for (const row& r : rows) {
        for (unsigned direction = 0; direction < 4; ++direction) {
            x87_state s;
            s.initialize();
            s.set_control(x87_exceptions | direction << x87_rounding_shift);
            const int values[] = {r.x, r.y};
            for (unsigned n = 0; n < 2; ++n) {
                const int v = values[n];
                x87_register& st = s.physical[s.index(n)];
                st = x87_encode(
                    x87_from_magnitude(v < 0, static_cast<std::uint64_t>(v < 0 ? -v : v)));
                s.used |= static_cast<std::uint8_t>(1u << s.index(n));
            }
            x87_register& x = s.physical[s.index(0)];
            x.sign_exponent = static_cast<std::uint16_t>(x.sign_exponent + r.x_scale);
            x87_case t;
            t.bytes = {0xD9, r.opcode};
            t.mnemonic = r.mnemonic;
            t.text = fmt::format("{}, direction {}", r.text, direction);
            t.flags = 0x202;  // as user programs have them
            constexpr x87_environment_layout wide{true, false};
            x87_save_environment(s, wide, t.image.data());
            x87_save_registers(s, t.image.data() + wide.size());
            const std::string text = difference(native, simulated, t);
            EXPECT_TRUE(text.empty()) << text;
        }
    }
}

}  // namespace
}  // namespace knc::isa::test

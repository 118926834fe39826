// Random MMX instructions on the host processor and on the model: the x87 registers, which are
// MMX's, tags, TOP, the rest of the status word, control word, pointers, general registers and
// memory must be the same, and so must #MF.
//
// On the host a case loads the unit with FRSTOR, executes the instruction and saves the unit with
// FNSAVE. KNC_CASES sets the number of cases, KNC_SEED the seed of the first; a failure prints the
// seed that repeats it.
#include <cstring>
#include <iostream>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/x87_image.h>
#include <support/environment_number.h>

#include "differential_native.h"
#include "int_machine.h"

namespace knc::isa::test {
namespace {

using knc::test::environment_number;

constexpr std::uint64_t cases_per_mode = 700000;

// Where things are in the data of the host's region.
constexpr std::uint64_t before_at = native_processor::data, after_at = before_at + 0x100,
                        operand_at = before_at + 0x400;
constexpr unsigned operand_bytes = 80;  // from operand_at; the operand lies somewhere in them

enum class form : std::uint8_t {
    two,         // mm, mm/m
    store,       // mm/m, mm
    general,     // mm, r/m32
    to_general,  // r/m32, mm
    shift,       // mm, imm8
    alone
};
struct encoding {
    std::uint8_t opcode;  // behind 0F
    form how;
    std::uint8_t digit = 0;  // of ModRM.reg, of a shift
};
// As the opcode maps of the manual have them.
constexpr encoding encodings[] = {
    {0x60, form::two},      {0x61, form::two},      {0x62, form::two},
    {0x63, form::two},      {0x64, form::two},      {0x65, form::two},
    {0x66, form::two},      {0x67, form::two},      {0x68, form::two},
    {0x69, form::two},      {0x6a, form::two},      {0x6b, form::two},
    {0x6e, form::general},  {0x6f, form::two},      {0x71, form::shift, 2},
    {0x71, form::shift, 4}, {0x71, form::shift, 6}, {0x72, form::shift, 2},
    {0x72, form::shift, 4}, {0x72, form::shift, 6}, {0x73, form::shift, 2},
    {0x73, form::shift, 6}, {0x74, form::two},      {0x75, form::two},
    {0x76, form::two},      {0x77, form::alone},    {0x7e, form::to_general},
    {0x7f, form::store},    {0xd1, form::two},      {0xd2, form::two},
    {0xd3, form::two},      {0xd5, form::two},      {0xd8, form::two},
    {0xd9, form::two},      {0xdb, form::two},      {0xdc, form::two},
    {0xdd, form::two},      {0xdf, form::two},      {0xe1, form::two},
    {0xe2, form::two},      {0xe5, form::two},      {0xe8, form::two},
    {0xe9, form::two},      {0xeb, form::two},      {0xec, form::two},
    {0xed, form::two},      {0xef, form::two},      {0xf1, form::two},
    {0xf2, form::two},      {0xf3, form::two},      {0xf5, form::two},
    {0xf8, form::two},      {0xf9, form::two},      {0xfa, form::two},
    {0xfc, form::two},      {0xfd, form::two},      {0xfe, form::two},
};
static_assert(std::size(encodings) == 57, "the instructions of MMX");

constexpr x87_environment_layout wide{true, false};

struct mmx_case {
    std::vector<std::uint8_t> bytes;
    x87_state unit;
    native_state registers;
    std::array<std::uint8_t, operand_bytes> operand{};
};

class generator {
  public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    mmx_case next() {
        mmx_case t;
        make_unit(t.unit);
        for (const gpr n : {rax, rcx, rbx, rsi, rdi, rbp}) t.registers.r[n] = any() >> 32;
        t.registers.r[rsp] = native_processor::data + native_processor::data_size / 2;
        t.registers.flags = 0x202 | (any() & arithmetic_flags);
        for (std::uint8_t& b : t.operand) b = static_cast<std::uint8_t>(any());
        // Aligned or not, in one line of memory or two.
        const unsigned at = chance(50) ? 8 * below(8) : below(operand_bytes - 8);
        const std::uint64_t v = value();
        std::memcpy(&t.operand[at], &v, sizeof v);
        t.registers.r[rdx] = operand_at + at;
        make_bytes(t);
        return t;
    }

  private:
    std::uint64_t any() { return random_(); }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }

    // Lanes that saturate, overflow, are equal, or anything; small numbers as counts of shifts.
    std::uint64_t value() {
        switch (below(6)) {
            case 0:
                return below(70);
            case 1: {
                constexpr std::uint8_t edges[] = {0, 1, 0x7f, 0x80, 0x81, 0xff, 0xfe, 0x40};
                std::uint64_t v = 0;
                for (unsigned n = 0; n < 8; ++n) v = v << 8 | edges[below(8)];
                return v;
            }
            case 2: {
                constexpr std::uint16_t edges[] = {0,      1,      0x7fff, 0x8000,
                                                   0x8001, 0xffff, 0x80,   0xff7f};
                std::uint64_t v = 0;
                for (unsigned n = 0; n < 4; ++n) v = v << 16 | edges[below(8)];
                return v;
            }
            case 3: {
                constexpr std::uint32_t edges[] = {0,      1,      0x7fffffff, 0x80000000,
                                                   0x7fff, 0x8000, 0xffff8000, 0xffff7fff};
                return std::uint64_t{edges[below(8)]} << 32 | edges[below(8)];
            }
            default:
                return any();
        }
    }
    void make_unit(x87_state& x) {
        const bool pending = chance(2);
        x.set_control((chance(70) ? x87_exceptions : below(64)) | below(4) << 8 | below(4) << 10);
        const unsigned exceptions = below(128) & (pending ? 127u : x.control & x87_exceptions);
        x.set_status(0xffff, (below(0x10000) & (x87_conditions | x87_top_bits)) | exceptions);
        x.update_summary();
        x.used = static_cast<std::uint8_t>(chance(30) ? 0 : chance(30) ? 0xff : any());
        for (x87_register& r : x.physical) {
            r.significand = value();
            r.sign_exponent = static_cast<std::uint16_t>(chance(20) ? 0 : any());
        }
        if (chance(20)) x.physical[below(8)].significand = x.physical[below(8)].significand;
        x.instruction_pointer = any() >> 32;
        x.data_pointer = any() >> 32;
    }
    void make_bytes(mmx_case& t) {
        const encoding& e = encodings[below(std::size(encodings))];
        t.bytes = {0x0f, e.opcode};
        if (e.how == form::alone) return;
        const bool memory = e.how != form::shift && chance(50);
        const unsigned general[] = {rax, rcx, rbx, rsi, rdi, rbp};
        const unsigned reg = e.how == form::shift ? e.digit : below(8);
        const bool of_general = e.how == form::general || e.how == form::to_general;
        const unsigned rm = memory ? unsigned{rdx} : of_general ? general[below(6)] : below(8);
        t.bytes.push_back(static_cast<std::uint8_t>((memory ? 0u : 0xc0u) | reg << 3 | rm));
        if (e.how == form::shift)
            t.bytes.push_back(static_cast<std::uint8_t>(chance(80) ? below(70) : any()));
    }

    std::mt19937_64 random_;
};

// What FNSAVE stores.
struct image {
    std::uint32_t control, status, tags, ip, opcode_cs, dp, ds;
    std::uint8_t registers[x87_registers_size];
};
static_assert(sizeof(image) == x87_largest_image);

image image_of(const x87_state& x) {
    image i;
    std::uint8_t bytes[sizeof i];
    x87_save_environment(x, wide, bytes);
    x87_save_registers(x, bytes + wide.size());
    std::memcpy(&i, bytes, sizeof i);
    return i;
}

struct result {
    outcome how = outcome::next;
    native_state registers;
    image after{};
    std::array<std::uint8_t, operand_bytes> operand{};
};

std::uint8_t* host(native_processor& n, std::uint64_t address) {
    return n.memory() + (address - native_processor::data);
}

// FRSTOR and FNSAVE at an absolute address.
void append_transfer(std::vector<std::uint8_t>& b, code_mode m, unsigned digit,
                     std::uint64_t address) {
    b.push_back(0xdd);
    if (m == code_mode::bits64) {
        b.push_back(static_cast<std::uint8_t>(digit << 3 | 4));
        b.push_back(0x25);
    } else {
        b.push_back(static_cast<std::uint8_t>(digit << 3 | 5));
    }
    for (unsigned n = 0; n < 4; ++n) b.push_back(static_cast<std::uint8_t>(address >> 8 * n));
}

result run_native(native_processor& native, code_mode m, const mmx_case& t) {
    constexpr unsigned frstor_digit = 4, fnsave_digit = 6;
    const image before = image_of(t.unit);
    std::memcpy(host(native, before_at), &before, sizeof before);
    std::memset(host(native, after_at), 0, sizeof before);
    std::memcpy(host(native, operand_at), t.operand.data(), operand_bytes);
    std::vector<std::uint8_t> code;
    append_transfer(code, m, frstor_digit, before_at);
    code.insert(code.end(), t.bytes.begin(), t.bytes.end());
    append_transfer(code, m, fnsave_digit, after_at);
    result r;
    r.registers = t.registers;
    r.how = native.run(m, code.data(), code.size(), r.registers);
    if (r.how != outcome::next) {
        native_state clean = t.registers;
        constexpr std::uint8_t fninit[] = {0xdb, 0xe3};
        native.run(m, fninit, sizeof fninit, clean);
    }
    std::memcpy(&r.after, host(native, after_at), sizeof r.after);
    std::memcpy(r.operand.data(), host(native, operand_at), operand_bytes);
    return r;
}

class model {
  public:
    explicit model(code_mode m) : memory_(native_processor::data_size), machine_(m, profile::p55c) {
        machine_.add_ram(native_processor::data, memory_);
        machine_.c.s.cr0 |= cr0_ne;
        machine_.user(3);
    }
    result run(const mmx_case& t) {
        std::uint8_t* const operand = &memory_[operand_at - native_processor::data];
        std::memcpy(operand, t.operand.data(), operand_bytes);
        context& c = machine_.c;
        std::copy(t.registers.r.begin(), t.registers.r.end(), c.s.r.begin());
        c.s.set_rflags(t.registers.flags);
        c.s.x87 = t.unit;
        result r;
        if (machine_.run(t.bytes.data(), t.bytes.size()) == status::ok)
            r.after = image_of(c.s.x87);
        else
            r.how = c.fault.vector == vector_mf ? outcome::divide_error : outcome::other_fault;
        std::copy_n(c.s.r.begin(), r.registers.r.size(), r.registers.r.begin());
        r.registers.flags = c.s.rflags();
        std::memcpy(r.operand.data(), operand, operand_bytes);
        return r;
    }

  private:
    std::vector<std::uint8_t> memory_;
    int_machine machine_;
};

// Current processors keep no selectors, and the opcode and operand only of instructions that end
// with an unmasked exception; AMD's lose all of it.
void ignore_pointers(result& native, const result& simulated) {
    native.after.ds = simulated.after.ds;
    native.after.opcode_cs = simulated.after.opcode_cs;
    if (host_processor() == host::intel) return;
    native.after.ip = simulated.after.ip;
    native.after.dp = simulated.after.dp;
}

bool same(const result& a, const result& b) {
    return a.how == b.how && a.registers.r == b.registers.r &&
           a.registers.flags == b.registers.flags && a.operand == b.operand &&
           std::memcmp(&a.after, &b.after, sizeof a.after) == 0;
}

std::string describe(const mmx_case& t, const result& n, const result& m) {
    const image before = image_of(t.unit);
    std::string text = fmt::format("{:02x}\nended native {} model {}\n", fmt::join(t.bytes, " "),
                                   int(n.how), int(m.how));
    const auto line = [&text](const std::string& name, auto b, auto x, auto y) {
        if (x != y)
            text += fmt::format("{}: before {:x}, native {:x}, model {:x}\n", name, b, x, y);
    };
    line("control", before.control, n.after.control, m.after.control);
    line("status", before.status, n.after.status, m.after.status);
    line("tags", before.tags, n.after.tags, m.after.tags);
    line("instruction pointer", before.ip, n.after.ip, m.after.ip);
    line("data pointer", before.dp, n.after.dp, m.after.dp);
    line("flags", t.registers.flags, n.registers.flags, m.registers.flags);
    for (unsigned r = 0; r < 16; ++r)
        line(fmt::format("register {}", r), t.registers.r[r], n.registers.r[r], m.registers.r[r]);
    for (unsigned i = 0; i < x87_registers_size; ++i)
        line(fmt::format("st({}) byte {}", i / 10, i % 10), before.registers[i],
             n.after.registers[i], m.after.registers[i]);
    for (unsigned i = 0; i < operand_bytes; ++i)
        line(fmt::format("memory {}", i), t.operand[i], n.operand[i], m.operand[i]);
    return text;
}

void compare(code_mode m) {
    native_processor native;
    if (!native.available()) GTEST_SKIP() << "the address of the region is taken";
    if (!native.runs(m)) GTEST_SKIP() << "this host does not run such code";
    const std::uint64_t cases = environment_number("KNC_CASES", cases_per_mode);
    const std::uint64_t first = environment_number("KNC_SEED", 1);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << cases << '\n';
    model simulated(m);
    unsigned failures = 0;
    std::uint64_t executed = 0, pending = 0;
    for (std::uint64_t seed = first; seed < first + cases && failures < 20; ++seed) {
        const mmx_case t = generator(seed).next();
        result expected = run_native(native, m, t);
        const result actual = simulated.run(t);
        ignore_pointers(expected, actual);
        ++(expected.how == outcome::next ? executed : pending);
        if (same(expected, actual)) continue;
        ++failures;
        ADD_FAILURE() << "KNC_SEED=" << seed << " KNC_CASES=1: " << describe(t, expected, actual);
    }
    // Nearly all execute, and some report an earlier x87 exception.
    if (cases < 10000) return;
    EXPECT_GT(executed, cases / 10 * 9);
    EXPECT_GT(pending, cases / 1000);
}

TEST(mmx_differential, code64) {
    compare(code_mode::bits64);
}
TEST(mmx_differential, code32) {
    compare(code_mode::bits32);
}

}  // namespace
}  // namespace knc::isa::test

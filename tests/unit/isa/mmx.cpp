// MMX in profile p55c: results, the x87 unit it shares, faults and their order.
#include <vector>

#include <gtest/gtest.h>

#include <knc/isa/x87_image.h>

#include "x87_machine.h"

namespace knc::isa::test {
namespace {

using code = std::vector<std::uint8_t>;

constexpr unsigned no_exponent = 0xffff;  // what MMX leaves in bits 79:64

// EBX points to the operand; TOP is 5, two registers are in use.
class mmx_machine {
  public:
    explicit mmx_machine(profile p = profile::p55c) : t(code_mode::bits32, p) {
        for (unsigned n = 0; n < 8; ++n)
            x().physical[n] = x87_make(false, 0x4000 + n, 0x1111'1111'1111'1111 * n);
        x().used = 0x60;
        x().set_status(0xffff, 5u << x87_top_shift | x87_c1 | x87_c3 | x87_pe);
        x().instruction_pointer = 0x1234;
        x().data_pointer = 0x5678;
        x().opcode = 0x123;
    }
    x87_machine t;
    x87_state& x() { return t.x(); }
    status run(const code& b) { return t.run(b.data(), b.size()); }
    void operand(std::uint64_t v) { t.put(x87_machine::operand, v); }
    std::uint64_t operand() { return t.get<std::uint64_t>(x87_machine::operand); }
    void set(unsigned n, std::uint64_t v) { x().physical[n].significand = v; }
    std::uint64_t mm(unsigned n) { return x().physical[n].significand; }
};

// MM0 after `opcode` mm0, mm1 and after the same with the source in memory, which must be equal.
std::uint64_t binary(std::uint8_t opcode, std::uint64_t a, std::uint64_t b) {
    mmx_machine m;
    m.set(0, a);
    m.set(1, b);
    EXPECT_EQ(m.run({0x0f, opcode, 0xc1}), status::ok);
    EXPECT_EQ(m.mm(1), b);
    const std::uint64_t of_registers = m.mm(0);
    m.set(0, a);
    m.operand(b);
    EXPECT_EQ(m.run({0x0f, opcode, 0x03}), status::ok);  // mm0, [ebx]
    EXPECT_EQ(m.mm(0), of_registers);
    return of_registers;
}

TEST(mmx, exact_results) {
    struct {
        const char* text;
        std::uint8_t opcode;
        std::uint64_t a, b, expected;
    } const rows[] = {
        {"paddb wraps", 0xfc, 0xff01'7f80'0000'0001, 0x0101'0180'0000'00ff, 0x0002'8000'0000'0000},
        {"paddsw saturates", 0xed, 0x7fff'8000'7ff0'0001, 0x0001'ffff'0020'0002,
         0x7fff'8000'7fff'0003},
        {"paddusb saturates", 0xdc, 0xff80'0102'0000'0000, 0x0180'0304'0000'0000,
         0xffff'0406'0000'0000},
        {"psubusw stops at 0", 0xd9, 0x0001'0005'ffff'0000, 0x0002'0003'0001'0000,
         0x0000'0002'fffe'0000},
        {"psubsb saturates", 0xe8, 0x8080'7f00'0000'0000, 0x01ff'ff80'0000'0000,
         0x8081'7f7f'0000'0000},
        {"pmullw", 0xd5, 0x8000'ffff'0100'0003, 0x0002'ffff'0100'0005, 0x0000'0001'0000'000f},
        // -32768 * 2, -1 * -1, 256 * 256, 3 * 5
        {"pmulhw", 0xe5, 0x8000'ffff'0100'0003, 0x0002'ffff'0100'0005, 0xffff'0000'0001'0000},
        // 4 times -32768 squared in two sums of 2^31, which wraps; 1 * 2 + 3 * 4
        {"pmaddwd", 0xf5, 0x8000'8000'0001'0003, 0x8000'8000'0002'0004, 0x8000'0000'0000'000e},
        {"pcmpeqw", 0x75, 0x1234'0000'ffff'8000, 0x1234'0001'ffff'0000, 0xffff'0000'ffff'0000},
        {"pcmpgtb is signed", 0x64, 0x8001'7f00'0000'0000, 0x0080'8000'0000'0000,
         0x00ff'ff00'0000'0000},
        {"pandn inverts its destination", 0xdf, 0xff00'ff00'ff00'ff00, 0x1234'5678'9abc'def0,
         0x0034'0078'00bc'00f0},
        {"psllw by 15", 0xf1, 0x0001'0003'8000'ffff, 15, 0x8000'8000'0000'8000},
        {"psllw by 16", 0xf1, 0x0001'0003'8000'ffff, 16, 0},
        {"psrld by a count whose upper half is not 0", 0xd2, ~std::uint64_t{0},
         std::uint64_t{1} << 32, 0},
        {"psrlq by 63", 0xd3, ~std::uint64_t{0}, 63, 1},
        {"psrlq by 64", 0xd3, ~std::uint64_t{0}, 64, 0},
        {"psraw past the width", 0xe1, 0x8000'7fff'ffff'0001, 1000, 0xffff'0000'ffff'0000},
        {"psrad by 4", 0xe2, 0x8000'0000'0000'00f0, 4, 0xf800'0000'0000'000f},
        {"packsswb", 0x63, 0x7fff'8000'0001'ffff, 0x0080'ff7f'0000'007f, 0x7f80'007f'7f80'01ff},
        {"packuswb", 0x67, 0x7fff'8000'0001'00ff, 0x0100'ffff'0000'00fe, 0xff00'00fe'ff00'01ff},
        {"packssdw", 0x6b, 0x0000'8000'ffff'7fff, 0x7fff'ffff'ffff'ffff, 0x7fff'ffff'7fff'8000},
        {"punpckhbw", 0x68, 0x0706'0504'0302'0100, 0x1716'1514'1312'1110, 0x1707'1606'1505'1404},
        {"punpcklwd", 0x61, 0x0706'0504'0302'0100, 0x1716'1514'1312'1110, 0x1312'0302'1110'0100},
        {"punpckhdq", 0x6a, 0x0706'0504'0302'0100, 0x1716'1514'1312'1110, 0x1716'1514'0706'0504},
    };
    for (const auto& r : rows) EXPECT_EQ(binary(r.opcode, r.a, r.b), r.expected) << r.text;
}

TEST(mmx, shifts_by_immediates) {
    mmx_machine m;
    m.set(3, 0x8001'4002'2004'1008);
    ASSERT_EQ(m.run({0x0f, 0x71, 0xd3, 4}), status::ok);  // psrlw mm3, 4
    EXPECT_EQ(m.mm(3), 0x0800'0400'0200'0100u);
    ASSERT_EQ(m.run({0x0f, 0x73, 0xf3, 255}), status::ok);  // psllq mm3, 255
    EXPECT_EQ(m.mm(3), 0u);
}

TEST(mmx, moves) {
    mmx_machine m;
    m.t.c.s.r[rcx] = 0x89ab'cdef;
    m.operand(0x1122'3344'5566'7788);
    ASSERT_EQ(m.run({0x0f, 0x6e, 0xd1}), status::ok);  // movd mm2, ecx
    EXPECT_EQ(m.mm(2), 0x89ab'cdefu);
    ASSERT_EQ(m.run({0x0f, 0x6e, 0x13}), status::ok);  // movd mm2, [ebx]
    EXPECT_EQ(m.mm(2), 0x5566'7788u);
    ASSERT_EQ(m.run({0x0f, 0x6f, 0x13}), status::ok);  // movq mm2, [ebx]
    EXPECT_EQ(m.mm(2), 0x1122'3344'5566'7788u);
    ASSERT_EQ(m.run({0x0f, 0x7e, 0xd1}), status::ok);  // movd ecx, mm2
    EXPECT_EQ(m.t.c.s.r[rcx], 0x5566'7788u);
    ASSERT_EQ(m.run({0x0f, 0x7f, 0xd4}), status::ok);  // movq mm4, mm2
    EXPECT_EQ(m.mm(4), 0x1122'3344'5566'7788u);
    m.set(4, 0xfeed'f00d'cafe'beef);
    ASSERT_EQ(m.run({0x0f, 0x7e, 0x23}), status::ok);  // movd [ebx], mm4
    EXPECT_EQ(m.operand(), 0x1122'3344'cafe'beefu);
    ASSERT_EQ(m.run({0x0f, 0x7f, 0x23}), status::ok);  // movq [ebx], mm4
    EXPECT_EQ(m.operand(), 0xfeed'f00d'cafe'beefu);
}

// MM6 is physical register 6 though TOP was 5; what else the unit holds stays.
TEST(mmx, a_write_fills_its_register_and_opens_all) {
    mmx_machine m;
    const x87_state before = m.x();
    ASSERT_EQ(m.run({0x0f, 0xef, 0xf6}), status::ok);  // pxor mm6, mm6
    EXPECT_EQ(m.x().physical[6].significand, 0u);
    EXPECT_EQ(m.x().physical[6].sign_exponent, no_exponent);
    for (const unsigned n : {0, 1, 2, 3, 4, 5, 7}) EXPECT_EQ(m.x().physical[n], before.physical[n]);
    EXPECT_EQ(m.x().used, 0xff);
    EXPECT_EQ(m.x().status, x87_c1 | x87_c3 | x87_pe);  // TOP is 0, the rest has stayed
    EXPECT_EQ(m.x().control, before.control);
    EXPECT_EQ(m.x().opcode, before.opcode);
    EXPECT_EQ(m.x().instruction_pointer, before.instruction_pointer);
    EXPECT_EQ(m.x().data_pointer, before.data_pointer);
}

// A store writes no register, but tags and TOP change with it.
TEST(mmx, a_reader_opens_all_registers) {
    for (const code& b : {code{0x0f, 0x7f, 0x3b}, code{0x0f, 0x7e, 0xf8}}) {  // movq, movd
        mmx_machine m;
        const auto before = m.x().physical;
        ASSERT_EQ(m.run(b), status::ok);
        for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(m.x().physical[n], before[n]);
        EXPECT_EQ(m.x().used, 0xff);
        EXPECT_EQ(m.x().top(), 0u);
    }
}

TEST(mmx, emms_empties_all_registers) {
    mmx_machine m;
    const auto before = m.x().physical;
    ASSERT_EQ(m.run({0x0f, 0x77}), status::ok);
    for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(m.x().physical[n], before[n]);
    EXPECT_EQ(m.x().used, 0);
    EXPECT_EQ(m.x().status, x87_c1 | x87_c3 | x87_pe);
}

// FLD1 after EMMS pushes to physical register 7: MM7 is its significand.
TEST(mmx, an_x87_write_shows) {
    mmx_machine m;
    m.x().set_status(0xffff, 0);
    ASSERT_EQ(m.run({0x0f, 0x77}), status::ok);
    ASSERT_EQ(m.run({0xd9, 0xe8}), status::ok);        // fld1
    ASSERT_EQ(m.run({0x0f, 0x7f, 0x3b}), status::ok);  // movq [ebx], mm7
    EXPECT_EQ(m.operand(), one_bits);
    ASSERT_EQ(m.run({0x0f, 0xfe, 0xff}), status::ok);  // paddd mm7, mm7
    EXPECT_EQ(m.x().physical[7], x87_make(true, 0x7fff, 0));
}

// A register that MMX has written is a special number to FNSAVE: its exponent is all ones.
TEST(mmx, fnsave_and_frstor_carry_the_state) {
    mmx_machine m;
    m.x() = x87_state{};  // all registers +0
    m.x().set_control(x87_control_initial);
    m.t.c.s.r[rcx] = 0x0123'4567;
    ASSERT_EQ(m.run({0x0f, 0x6e, 0xd9}), status::ok);  // movd mm3, ecx
    ASSERT_EQ(m.run({0xdd, 0x33}), status::ok);        // fnsave [ebx]
    constexpr std::uint64_t at = x87_machine::operand;
    EXPECT_EQ(m.t.get<std::uint16_t>(at + 4), 0);  // status: TOP is 0
    // Zeros are 01, register 3 is 10.
    EXPECT_EQ(m.t.get<std::uint16_t>(at + 8), 0x5595);
    EXPECT_EQ(m.t.get<std::uint64_t>(at + 28 + 30), 0x0123'4567u);
    EXPECT_EQ(m.t.get<std::uint16_t>(at + 28 + 38), no_exponent);
    EXPECT_EQ(m.x().used, 0);                    // as FNINIT leaves it
    ASSERT_EQ(m.run({0xdd, 0x23}), status::ok);  // frstor [ebx]
    EXPECT_EQ(m.x().used, 0xff);
    EXPECT_EQ(m.x().physical[3].sign_exponent, no_exponent);
    EXPECT_EQ(m.mm(3), 0x0123'4567u);
}

// The low halves are unpacked from 32 bits of memory, which may end at the limit of the segment.
TEST(mmx, accesses_no_more_than_the_operand) {
    const struct {
        code bytes;
        unsigned size;
    } rows[] = {{{0x0f, 0x60, 0x03}, 4}, {{0x0f, 0x61, 0x03}, 4}, {{0x0f, 0x62, 0x03}, 4},
                {{0x0f, 0x68, 0x03}, 8}, {{0x0f, 0x6e, 0x03}, 4}, {{0x0f, 0x6f, 0x03}, 8},
                {{0x0f, 0x7e, 0x03}, 4}, {{0x0f, 0x7f, 0x03}, 8}, {{0x0f, 0xf1, 0x03}, 8}};
    for (const auto& r : rows) {
        for (const unsigned missing : {0u, 1u}) {
            mmx_machine m;
            m.t.c.s.seg[ds].limit =
                static_cast<std::uint32_t>(x87_machine::operand) + r.size - 1 - missing;
            m.t.c.update_mode();
            EXPECT_EQ(m.run(r.bytes), missing == 0 ? status::ok : status::fault)
                << std::hex << int{r.bytes[1]};
        }
    }
}

constexpr int none = -1;
const code movq_load = {0x0f, 0x6f, 0x03}, movq_store = {0x0f, 0x7f, 0x03},
           by_stack = {0x36, 0x0f, 0x6f, 0x03}, paddb = {0x0f, 0xfc, 0xc1}, emms = {0x0f, 0x77};

// Control register, a pending exception, and an operand out of reach, in all orders.
TEST(mmx, faults_in_order_and_changes_nothing) {
    struct {
        const code& bytes;
        std::uint64_t cr0;
        bool pending, beyond;
        int vector;
    } const rows[] = {
        {movq_load, 0, false, false, none},
        {movq_load, cr0_mp, false, false, none},
        {movq_load, cr0_em, false, false, vector_ud},
        {movq_load, cr0_em | cr0_ts, true, true, vector_ud},
        {movq_load, cr0_ts, false, false, vector_nm},
        {movq_load, cr0_ts, true, true, vector_nm},
        {movq_load, 0, true, false, vector_mf},
        {movq_load, 0, true, true, vector_mf},
        {movq_load, 0, false, true, vector_gp},
        {movq_store, 0, true, true, vector_mf},
        {movq_store, 0, false, true, vector_gp},
        {by_stack, 0, false, true, vector_ss},
        {paddb, cr0_em, true, false, vector_ud},
        {paddb, cr0_ts, true, false, vector_nm},
        {paddb, 0, true, false, vector_mf},
        {paddb, 0, false, true, none},
        {emms, cr0_em | cr0_ts, true, false, vector_ud},
        {emms, cr0_ts, true, false, vector_nm},
        {emms, 0, true, false, vector_mf},
    };
    for (const auto& r : rows) {
        mmx_machine m;
        context& c = m.t.c;
        c.s.cr0 |= r.cr0;
        if (r.pending) {
            m.x().set_control(x87_control_initial & ~x87_pe);
            m.x().update_summary();
        }
        if (r.beyond) c.s.seg[ds].limit = c.s.seg[ss].limit = 0xfff;
        c.update_mode();
        const x87_state before = m.x();
        const std::uint64_t ip = c.s.r[rip];
        const status end = m.run(r.bytes);
        const auto where = testing::Message() << "row " << &r - rows;
        if (r.vector == none) {
            EXPECT_EQ(end, status::ok) << where;
            continue;
        }
        EXPECT_EQ(end, status::fault) << where;
        EXPECT_EQ(c.fault.vector, r.vector) << where;
        EXPECT_TRUE(m.t.refusals.empty()) << where;
        EXPECT_EQ(c.s.r[rip], ip) << where;
        EXPECT_EQ(m.x().used, before.used) << where;
        EXPECT_EQ(m.x().status, before.status) << where;
        for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(m.x().physical[n], before.physical[n]) << where;
    }
}

// The error would go to pins: the program goes on.
TEST(mmx, without_ne_no_exception_is_reported) {
    mmx_machine m;
    m.t.c.s.cr0 &= ~cr0_ne;
    m.x().set_control(x87_control_initial & ~x87_pe);
    m.x().update_summary();
    EXPECT_EQ(m.run(paddb), status::ok);
}

TEST(mmx, alignment_is_that_of_the_operand) {
    const struct {
        code bytes;
        std::uint64_t at;
        bool aligned;
    } rows[] = {{movq_load, 8, true},           {movq_load, 4, false},
                {movq_store, 4, false},         {{0x0f, 0x6e, 0x03}, 4, true},
                {{0x0f, 0x6e, 0x03}, 2, false}, {{0x0f, 0x60, 0x03}, 4, true}};
    for (const auto& r : rows) {
        mmx_machine m;
        context& c = m.t.c;
        c.s.cr0 |= cr0_am;
        c.s.eflags |= flag_ac;
        m.t.user(3);
        c.s.r[rbx] += r.at;
        EXPECT_EQ(m.run(r.bytes), r.aligned ? status::ok : status::fault);
        if (r.aligned) continue;
        EXPECT_EQ(c.fault.vector, vector_ac);
        EXPECT_EQ(m.x().used, 0x60);
        EXPECT_EQ(m.x().top(), 5u);
    }
}

TEST(mmx, lock_is_undefined) {
    for (const code& b : {code{0xf0, 0x0f, 0x6f, 0x03}, code{0xf0, 0x0f, 0x7f, 0x03},
                          code{0xf0, 0x0f, 0xfc, 0xc1}, code{0xf0, 0x0f, 0x77}}) {
        mmx_machine m;
        EXPECT_EQ(m.run(b), status::fault);
        EXPECT_EQ(m.t.c.fault.vector, vector_ud);
        EXPECT_TRUE(m.t.refusals.empty());
    }
}

// For the pipelines: bit 24 + n is MMn.
TEST(mmx, registers_read_and_written) {
    constexpr auto mm = [](unsigned n) { return register_set{1} << (x87_registers_shift + n); };
    const struct {
        code bytes;
        register_set reads, writes;
    } rows[] = {
        {{0x0f, 0xfc, 0xca}, mm(1) | mm(2), mm(1)},  // paddb mm1, mm2
        {{0x0f, 0xfc, 0x0b}, mm(1), mm(1)},          // paddb mm1, [ebx]
        {{0x0f, 0x6f, 0xca}, mm(2), mm(1)},          // movq mm1, mm2
        {{0x0f, 0x7f, 0xca}, mm(1), mm(2)},          // movq mm2, mm1
        {{0x0f, 0x7f, 0x0b}, mm(1), 0},              // movq [ebx], mm1
        {{0x0f, 0x6e, 0xca}, 1u << rdx, mm(1)},      // movd mm1, edx
        {{0x0f, 0x7e, 0xca}, mm(1), 1u << rdx},      // movd edx, mm1
        {{0x0f, 0x71, 0xf5, 3}, mm(5), mm(5)},       // psllw mm5, 3
        {{0x0f, 0x77}, 0, 0},
    };
    for (const auto& r : rows) {
        insn i;
        ASSERT_EQ(decode(profile::p55c, code_mode::bits32, r.bytes.data(),
                         static_cast<unsigned>(r.bytes.size()), i),
                  decode_result::ok);
        const auto where = testing::Message() << std::hex << int{r.bytes[1]};
        EXPECT_NE(i.flags & insn_mmx, 0u) << where;
        EXPECT_EQ(i.reads, r.reads) << where;
        EXPECT_EQ(i.writes, r.writes) << where;
    }
}

TEST(mmx, other_profiles_refuse_it) {
    for (const profile p : {profile::knc, profile::compat}) {
        mmx_machine m(p);
        EXPECT_EQ(m.run(emms), status::fault);
        EXPECT_EQ(m.t.c.fault.vector, vector_ud);
        ASSERT_EQ(m.t.refusals.size(), 1u);
        EXPECT_EQ(m.t.refusals[0],
                  "emms at 0x8000: Knights Corner has no MMX, SSE or AVX; build with "
                  "-mgeneral-regs-only");
    }
}

}  // namespace
}  // namespace knc::isa::test

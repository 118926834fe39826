// When x87 instructions fault, wait and report; what they leave untouched then.
#include <vector>

#include <gtest/gtest.h>

#include "x87_machine.h"

namespace knc::isa::test {
namespace {

using code = std::vector<std::uint8_t>;

const code fld1 = {0xD9, 0xE8}, fdiv_by_memory = {0xD8, 0x33}, fadd = {0xD8, 0xC1}, fwait = {0x9B},
           fnstsw_ax = {0xDF, 0xE0}, fnclex = {0xDB, 0xE2}, fninit = {0xDB, 0xE3},
           fldcw = {0xD9, 0x2B}, fnstcw = {0xD9, 0x3B}, fnsave = {0xDD, 0x33},
           fxsave = {0x0F, 0xAE, 0x03}, fxrstor = {0x0F, 0xAE, 0x0B}, ldmxcsr = {0x0F, 0xAE, 0x13},
           stmxcsr = {0x0F, 0xAE, 0x1B}, fld_double = {0xDD, 0x03}, fstp_single = {0xD9, 0x1B},
           fstp_extended = {0xDB, 0x3B}, fsin = {0xD9, 0xFE}, fsincos = {0xD9, 0xFB};

status run(x87_machine& t, const code& b) {
    return t.run(b.data(), b.size());
}

void expect_fault(x87_machine& t, const code& b, std::uint8_t vector) {
    EXPECT_EQ(run(t, b), status::fault);
    EXPECT_EQ(t.c.fault.vector, vector);
    EXPECT_FALSE(t.c.fault.unsupported);
    EXPECT_FALSE(t.c.fault.trap);
}

TEST(x87_exceptions, unit_not_available) {
    struct {
        const code& bytes;
        std::uint64_t cr0;
        int vector;  // -1: none
    } const cases[] = {
        {fadd, 0, -1},
        {fadd, cr0_mp, -1},
        {fadd, cr0_em, vector_nm},
        {fadd, cr0_ts, vector_nm},
        {fninit, cr0_ts, vector_nm},
        {fnstsw_ax, cr0_em, vector_nm},
        {fxsave, cr0_ts, vector_nm},
        {fxsave, cr0_em, vector_nm},
        {fwait, cr0_em, -1},
        {fwait, cr0_ts, -1},
        {fwait, cr0_mp, -1},
        {fwait, cr0_ts | cr0_mp, vector_nm},
        {stmxcsr, cr0_em, vector_ud},
        {stmxcsr, cr0_ts, vector_nm},
        {stmxcsr, cr0_em | cr0_ts, vector_ud},
    };
    for (const auto& k : cases) {
        x87_machine t;
        t.c.s.cr0 |= k.cr0;
        if (k.vector < 0) {
            EXPECT_EQ(run(t, k.bytes), status::ok);
        } else {
            expect_fault(t, k.bytes, static_cast<std::uint8_t>(k.vector));
        }
    }
}

// 1 / 0 with ZE unmasked: nothing but the status word tells of it until an instruction waits.
void divide_by_zero(x87_machine& t) {
    t.x().set_control(x87_control_initial & ~x87_ze);
    t.push(x87_one);
    t.put<std::uint32_t>(x87_machine::operand, 0);
    ASSERT_EQ(run(t, fdiv_by_memory), status::ok);
    EXPECT_EQ(t.x().status & (x87_exceptions | x87_es | x87_busy), x87_ze | x87_es | x87_busy);
    EXPECT_EQ(t.x().st(0), x87_one);
}

TEST(x87_exceptions, unmasked_is_reported_by_the_next_that_waits) {
    for (const code* waiting : {&fld1, &fadd, &fwait, &fldcw, &fsin}) {
        x87_machine t;
        divide_by_zero(t);
        const std::uint64_t ip = t.c.s.r[rip];
        expect_fault(t, *waiting, vector_mf);
        EXPECT_FALSE(t.c.fault.has_error);
        EXPECT_EQ(t.c.s.r[rip], ip);
        expect_fault(t, *waiting, vector_mf);  // until somebody clears it
        ASSERT_EQ(run(t, fnclex), status::ok);
        EXPECT_EQ(run(t, *waiting), status::ok);
    }
    for (const code* passing :
         {&fnstsw_ax, &fnstcw, &fnclex, &fninit, &fnsave, &fxsave, &stmxcsr}) {
        x87_machine t;
        divide_by_zero(t);
        EXPECT_EQ(run(t, *passing), status::ok);
    }
}

// The error would go to pins the card has not.
TEST(x87_exceptions, without_ne_nothing_is_reported) {
    x87_machine t;
    t.c.s.cr0 &= ~cr0_ne;
    divide_by_zero(t);
    EXPECT_EQ(run(t, fwait), status::ok);
    EXPECT_EQ(run(t, fld1), status::ok);
    EXPECT_NE(t.x().status & x87_es, 0u);
}

TEST(x87_exceptions, no_unit_comes_before_pending_exception) {
    x87_machine t;
    divide_by_zero(t);
    t.c.s.cr0 |= cr0_ts;
    expect_fault(t, fadd, vector_nm);
}

TEST(x87_exceptions, unmasking_a_set_flag_makes_it_pending) {
    x87_machine t;
    t.x().set_status(0, x87_pe);
    t.put<std::uint16_t>(x87_machine::operand, 0x035f);  // PE unmasked
    ASSERT_EQ(run(t, fldcw), status::ok);
    EXPECT_EQ(t.x().control, 0x035f);
    EXPECT_NE(t.x().status & x87_es, 0u);
    expect_fault(t, fldcw, vector_mf);
    t.x().set_control(x87_control_initial);
    t.x().update_summary();
    EXPECT_EQ(t.x().status & (x87_es | x87_busy), 0u);
}

TEST(x87_exceptions, control_word_has_only_its_bits) {
    x87_machine t;
    t.put<std::uint16_t>(x87_machine::operand, 0xffff);
    ASSERT_EQ(run(t, fldcw), status::ok);
    EXPECT_EQ(t.x().control, 0x1f7f);  // bits 7, 13-15 are 0, bit 6 is 1
    t.put<std::uint16_t>(x87_machine::operand, 0);
    ASSERT_EQ(run(t, fldcw), status::ok);
    EXPECT_EQ(t.x().control, 0x0040);
}

TEST(x87_exceptions, unmasked_stops_a_store_and_its_pop) {
    x87_machine t;
    t.x().set_control(x87_control_initial & ~x87_oe);
    t.push(x87_make(false, 0x7ffe, one_bits));  // beyond single precision
    t.put<std::uint32_t>(x87_machine::operand, 0x12345678);
    ASSERT_EQ(run(t, fstp_single), status::ok);
    EXPECT_EQ(t.get<std::uint32_t>(x87_machine::operand), 0x12345678u);
    EXPECT_FALSE(t.x().empty(0));
    EXPECT_EQ(t.exceptions(), x87_oe);

    x87_machine masked;
    masked.push(x87_make(false, 0x7ffe, one_bits));
    ASSERT_EQ(run(masked, fstp_single), status::ok);
    EXPECT_EQ(masked.get<std::uint32_t>(x87_machine::operand), 0x7f800000u);
    EXPECT_TRUE(masked.x().empty(7));
    EXPECT_EQ(masked.exceptions(), x87_oe | x87_pe);
}

TEST(x87_exceptions, stack_faults) {
    x87_machine t;
    ASSERT_EQ(run(t, fadd), status::ok);  // both operands empty
    EXPECT_EQ(t.x().status & (x87_ie | x87_sf | x87_c1), x87_ie | x87_sf);
    EXPECT_EQ(t.x().st(0), x87_indefinite);
    for (unsigned n = 0; n < 8; ++n) ASSERT_EQ(run(t, fld1), status::ok);  // the last has no room
    EXPECT_EQ(t.x().status & (x87_ie | x87_sf | x87_c1), x87_ie | x87_sf | x87_c1);
    EXPECT_EQ(t.x().st(0), x87_indefinite);
    EXPECT_EQ(t.x().st(1), x87_one);

    x87_machine open;
    open.x().set_control(x87_control_initial & ~x87_ie);
    ASSERT_EQ(run(open, fstp_single), status::ok);
    EXPECT_EQ(open.x().top(), 0u);  // not popped
    EXPECT_EQ(open.exceptions(), x87_ie | x87_sf);
}

// Beyond RAM that is mapped: the fault leaves the unit as it was.
TEST(x87_exceptions, memory_faults_come_before_any_change) {
    for (const code* access : {&fld_double, &fstp_single, &fstp_extended, &fldcw, &fnsave, &fxsave,
                               &fxrstor, &ldmxcsr}) {
        x87_machine t;
        t.push(x87_make(false, 0x3fff, one_bits + 1));
        t.c.s.r[rbx] = std::uint64_t{1} << 40;
        const x87_state before = t.x();
        expect_fault(t, *access, vector_pf);
        EXPECT_EQ(t.x().status, before.status);
        EXPECT_EQ(t.x().control, before.control);
        EXPECT_EQ(t.x().used, before.used);
        EXPECT_EQ(t.x().opcode, before.opcode);
        EXPECT_EQ(t.x().instruction_pointer, before.instruction_pointer);
    }
}

// A device that makes the thread wait: the instruction starts again as if it had not begun.
TEST(x87_exceptions, blocked_access_can_be_repeated) {
    constexpr std::uint64_t device_at = 0x30000000;  // no RAM
    x87_machine t;
    t.c.s.r[rbx] = device_at;
    t.push(x87_one);
    t.device_answers = 0;
    EXPECT_EQ(run(t, fld_double), status::blocked);
    EXPECT_EQ(run(t, fstp_single), status::blocked);
    EXPECT_EQ(run(t, fnsave), status::blocked);
    EXPECT_EQ(t.x().top(), 7u);
    EXPECT_EQ(t.x().st(0), x87_one);
    t.device_answers = ~0u;
    EXPECT_EQ(run(t, fstp_single), status::ok);
    EXPECT_EQ(t.x().top(), 0u);
}

TEST(x87_exceptions, alignment_checks) {
    struct {
        const code& bytes;
        unsigned offset;
        bool faults;
    } const cases[] = {{fld_double, 4, true},     {fld_double, 8, false}, {fstp_extended, 4, true},
                       {fstp_extended, 8, false}, {fnsave, 2, true},      {fnsave, 4, false},
                       {fldcw, 1, true}};
    for (const auto& k : cases) {
        x87_machine t;
        t.push(x87_one);
        t.c.s.cr0 |= cr0_am;
        t.c.s.eflags |= flag_ac;
        t.user(3);
        t.c.s.r[rbx] += k.offset;
        if (k.faults) {
            expect_fault(t, k.bytes, vector_ac);
            EXPECT_FALSE(t.x().empty(0));
        } else {
            EXPECT_EQ(run(t, k.bytes), status::ok);
        }
    }
}

TEST(x87_exceptions, record_of_the_last_instruction) {
    x87_machine t;
    t.push(x87_one);
    t.c.s.seg[cs].selector = 0x08;
    t.c.s.seg[ds].selector = 0x2b;
    const std::uint64_t ip = t.c.s.r[rip];
    ASSERT_EQ(t.run({0x66, 0xD8, 0x43, 0x10}), status::ok);  // fadd dword [rbx + 16], with a prefix
    const x87_state& x = t.x();
    EXPECT_EQ(x.opcode, 0x043);  // low 3 bits of D8, ModRM 43
    EXPECT_EQ(x.instruction_pointer, ip);
    EXPECT_EQ(x.instruction_selector, 0x08);
    EXPECT_EQ(x.data_pointer, x87_machine::operand + 16);
    EXPECT_EQ(x.data_selector, 0x2b);
    ASSERT_EQ(run(t, fnstcw), status::ok);  // not recorded
    EXPECT_EQ(x.opcode, 0x043);
    ASSERT_EQ(run(t, fsin), status::ok);  // has no operand in memory
    EXPECT_EQ(x.opcode, 0x1fe);
    EXPECT_EQ(x.instruction_pointer, ip + 6);
    EXPECT_EQ(x.data_pointer, x87_machine::operand + 16);
    ASSERT_EQ(run(t, fninit), status::ok);
    EXPECT_EQ(x.opcode, 0);
    EXPECT_EQ(x.instruction_pointer, 0u);
    EXPECT_EQ(x.data_selector, 0);
}

TEST(x87_exceptions, large_angles_stay) {
    x87_machine t;
    const x87_register large = x87_make(false, 0x403e, one_bits);  // 2^63
    t.push(large);
    ASSERT_EQ(run(t, fsincos), status::ok);
    EXPECT_NE(t.x().status & x87_c2, 0u);
    EXPECT_EQ(t.x().top(), 7u);
    EXPECT_EQ(t.x().st(0), large);
}

}  // namespace
}  // namespace knc::isa::test

// Near control transfer and the stack, in the three code modes.
#include <gtest/gtest.h>

#include "int_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t ip = int_machine::code_at;

TEST(int_control, relative_jumps_wrap_at_the_operand_size) {
    int_machine m16(code_mode::bits16);
    ASSERT_EQ(m16.run({0xE9, 0x00, 0x80}), status::ok);  // jmp $+3-8000h: 8003 - 8000
    EXPECT_EQ(m16.c.s.r[rip], 3u);
    m16.c.s.r[rip] = 0x8000;
    ASSERT_EQ(m16.run({0xE9, 0x00, 0x7F}), status::ok);  // 8003 + 7F00
    EXPECT_EQ(m16.c.s.r[rip], 0xFF03u);
    m16.c.s.r[rip] = 0xFFF0;
    ASSERT_EQ(m16.run({0xEB, 0x20}), status::ok);  // FFF2 + 20 = 10012, 16 bits of it
    EXPECT_EQ(m16.c.s.r[rip], 0x12u);

    int_machine m32(code_mode::bits32);
    ASSERT_EQ(m32.run({0x66, 0xE9, 0x00, 0xF0}), status::ok);  // a 16-bit operand clears EIP 31:16
    EXPECT_EQ(m32.c.s.r[rip], 0x7004u);                        // 8004 - 1000
    ASSERT_EQ(m32.run({0xE9, 0x00, 0x00, 0x00, 0x80}), status::ok);
    EXPECT_EQ(m32.c.s.r[rip], 0x8000'7009u);
}

TEST(int_control, a_target_beyond_the_limit_is_a_fault_of_the_branch) {
    int_machine m(code_mode::bits32);
    m.c.s.seg[cs].limit = 0xFFFF;
    m.c.update_mode();
    EXPECT_EQ(m.run({0xE9, 0x00, 0x80, 0x00, 0x00}), status::fault);  // 8005 + 8000 = 10005
    EXPECT_EQ(m.c.fault.vector, vector_gp);
    EXPECT_EQ(m.c.fault.error, 0u);
    EXPECT_EQ(m.c.s.r[rip], ip);
    EXPECT_EQ(m.run({0xE8, 0x00, 0x80, 0x00, 0x00}), status::fault);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at);  // nothing was pushed
}

TEST(int_control, targets_of_64_bit_mode_are_canonical) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rax] = 0x0000'8000'0000'0000;
    EXPECT_EQ(m.run({0xFF, 0xE0}), status::fault);  // jmp rax
    EXPECT_EQ(m.c.fault.vector, vector_gp);
    m.c.s.r[rax] = 0xFFFF'8000'0000'0000;
    EXPECT_EQ(m.run({0xFF, 0xE0}), status::ok);
    EXPECT_EQ(m.c.s.r[rip], 0xFFFF'8000'0000'0000);
    m.c.s.r[rip] = ip;
    m.put<std::uint64_t>(int_machine::stack_at, 0x1234'0000'0000'0000);
    EXPECT_EQ(m.run({0xC3}), status::fault);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at);
}

TEST(int_control, call_and_return) {
    int_machine m(code_mode::bits64);
    ASSERT_EQ(m.run({0xE8, 0x00, 0x10, 0x00, 0x00}), status::ok);
    EXPECT_EQ(m.c.s.r[rip], ip + 5 + 0x1000);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at - 8);
    EXPECT_EQ(m.get<std::uint64_t>(int_machine::stack_at - 8), ip + 5);
    ASSERT_EQ(m.run({0xC2, 0x10, 0x00}), status::ok);  // ret 16
    EXPECT_EQ(m.c.s.r[rip], ip + 5);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at + 16);

    int_machine m16(code_mode::bits16);
    ASSERT_EQ(m16.run({0xE8, 0x10, 0x00}), status::ok);
    EXPECT_EQ(m16.c.s.r[rsp], 0xEFFEu);
    EXPECT_EQ(m16.get<std::uint16_t>(0xEFFE), ip + 3);
}

// An operand size prefix does not change near branches of 64-bit mode.
TEST(int_control, the_operand_size_prefix_is_ignored_in_64_bit_mode) {
    int_machine m(code_mode::bits64);
    ASSERT_EQ(m.run({0x66, 0xE8, 0x00, 0x10, 0x00, 0x00}), status::ok);
    EXPECT_EQ(m.c.s.r[rip], ip + 6 + 0x1000);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at - 8);
}

TEST(int_control, loop_counts_with_the_address_size) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rcx] = 0x1'0000'0001;
    ASSERT_EQ(m.run({0x67, 0xE2, 0x10}), status::ok);  // ECX: 1 -> 0, not taken, upper half cleared
    EXPECT_EQ(m.c.s.r[rip], ip + 3);
    EXPECT_EQ(m.c.s.r[rcx], 0u);
    ASSERT_EQ(m.run({0xE2, 0x10}), status::ok);  // RCX: 0 -> all ones, taken
    EXPECT_EQ(m.c.s.r[rip], ip + 3 + 2 + 0x10);
    EXPECT_EQ(m.c.s.r[rcx], ~0ull);

    int_machine zero(code_mode::bits32);
    zero.c.s.r[rcx] = 0x1'0000;
    ASSERT_EQ(zero.run({0x67, 0xE3, 0x10}), status::ok);  // jcxz: CX is 0
    EXPECT_EQ(zero.c.s.r[rip], ip + 3 + 0x10);
    ASSERT_EQ(zero.run({0xE3, 0x10}), status::ok);  // jecxz: ECX is not
    EXPECT_EQ(zero.c.s.r[rip], ip + 3 + 0x10 + 2);
}

// A LOOP whose target is out of reach has not counted.
TEST(int_control, a_faulting_loop_keeps_its_counter) {
    int_machine m(code_mode::bits32);
    m.c.s.seg[cs].limit = 0x8001;
    m.c.update_mode();
    m.c.s.r[rcx] = 5;
    EXPECT_EQ(m.run({0xE2, 0x10}), status::fault);
    EXPECT_EQ(m.c.s.r[rcx], 5u);
}

TEST(int_control, stack_pointer_pushed_and_popped) {
    int_machine m(code_mode::bits64);
    ASSERT_EQ(m.run({0x54}), status::ok);  // push rsp: the value before
    EXPECT_EQ(m.get<std::uint64_t>(int_machine::stack_at - 8), int_machine::stack_at);
    m.put<std::uint64_t>(int_machine::stack_at - 8, 0x12345);
    ASSERT_EQ(m.run({0x5C}), status::ok);  // pop rsp: the value read, not incremented
    EXPECT_EQ(m.c.s.r[rsp], 0x12345u);
    m.c.s.r[rsp] = int_machine::stack_at;
    m.put<std::uint64_t>(int_machine::stack_at, 77);
    ASSERT_EQ(m.run({0x8F, 0x04, 0x24}), status::ok);  // pop [rsp]: address after the increment
    EXPECT_EQ(m.get<std::uint64_t>(int_machine::stack_at + 8), 77u);
}

TEST(int_control, push_sizes) {
    int_machine m(code_mode::bits64);
    ASSERT_EQ(m.run({0x6A, 0x80}), status::ok);  // push -128: 64 bits
    EXPECT_EQ(m.get<std::int64_t>(int_machine::stack_at - 8), -128);
    ASSERT_EQ(m.run({0x66, 0x6A, 0x80}), status::ok);  // 16 bits
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at - 10);
    EXPECT_EQ(m.get<std::int16_t>(int_machine::stack_at - 10), -128);

    int_machine small(code_mode::bits32);  // 32-bit code on a 16-bit stack: SP alone moves
    small.c.s.seg[ss].attributes &= ~std::uint16_t{1u << 14};
    small.c.s.r[rsp] = 0x2'0002;
    small.c.update_mode();
    ASSERT_EQ(small.run({0x50}), status::ok);
    EXPECT_EQ(small.c.s.r[rsp], 0x2'FFFEu);
}

TEST(int_control, pusha_and_popa) {
    int_machine m(code_mode::bits32);
    for (unsigned n = 0; n < 8; ++n)
        if (n != rsp) m.c.s.r[n] = 0x1000 + n;
    ASSERT_EQ(m.run({0x60}), status::ok);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at - 32);
    EXPECT_EQ(m.get<std::uint32_t>(int_machine::stack_at - 4), 0x1000u);  // EAX on top
    EXPECT_EQ(m.get<std::uint32_t>(int_machine::stack_at - 20),
              int_machine::stack_at);                                      // ESP before
    EXPECT_EQ(m.get<std::uint32_t>(int_machine::stack_at - 32), 0x1007u);  // EDI last
    for (unsigned n = 0; n < 8; ++n)
        if (n != rsp) m.c.s.r[n] = 0;
    m.put<std::uint32_t>(int_machine::stack_at - 20, 0xBAD);  // POPA drops this one
    ASSERT_EQ(m.run({0x61}), status::ok);
    for (unsigned n = 0; n < 8; ++n)
        EXPECT_EQ(m.c.s.r[n], n == rsp ? int_machine::stack_at : 0x1000 + n);
}

TEST(int_control, enter_copies_the_display) {
    int_machine m(code_mode::bits64);
    const std::uint64_t outer = int_machine::stack_at + 0x100;
    m.c.s.r[rbp] = outer;
    m.put<std::uint64_t>(outer - 8, 0xAAAA);
    ASSERT_EQ(m.run({0xC8, 0x20, 0x00, 0x02}), status::ok);  // enter 32, 2
    EXPECT_EQ(m.c.s.r[rbp], int_machine::stack_at - 8);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at - 24 - 32);  // three quadwords and the locals
    EXPECT_EQ(m.get<std::uint64_t>(int_machine::stack_at - 8), outer);
    EXPECT_EQ(m.get<std::uint64_t>(int_machine::stack_at - 16), 0xAAAAu);
    EXPECT_EQ(m.get<std::uint64_t>(int_machine::stack_at - 24), int_machine::stack_at - 8);
    ASSERT_EQ(m.run({0xC9}), status::ok);
    EXPECT_EQ(m.c.s.r[rsp], int_machine::stack_at);
    EXPECT_EQ(m.c.s.r[rbp], outer);
}

TEST(int_control, bound) {
    int_machine m(code_mode::bits32);
    m.c.s.r[rbx] = 0x10000;
    m.put<std::int32_t>(0x10000, -5);
    m.put<std::int32_t>(0x10004, 5);
    for (const std::int32_t v : {-5, 0, 5}) {
        m.c.s.r[rax] = static_cast<std::uint32_t>(v);
        EXPECT_EQ(m.run({0x62, 0x03}), status::ok) << v;
    }
    for (const std::int32_t v : {-6, 6}) {
        m.c.s.r[rax] = static_cast<std::uint32_t>(v);
        EXPECT_EQ(m.run({0x62, 0x03}), status::fault) << v;
        EXPECT_EQ(m.c.fault.vector, vector_br);
    }
}

// POPF changes IF only with CPL <= IOPL and IOPL only at CPL 0; VM never, RF to 0.
TEST(int_control, popf_privileges) {
    constexpr std::uint32_t all = 0xFFFF'FFFF;
    constexpr std::uint32_t plain =
        arithmetic_flags | flag_tf | flag_df | flag_nt | flag_ac | flag_id | 2;
    struct {
        unsigned cpl;
        std::uint32_t before, image, after;
    } const cases[] = {
        {0, 2, all, plain | flag_if | flag_iopl},
        {0, flag_if | flag_iopl | flag_rf | 2, 0, 2},
        {3, 2, all, plain},
        {3, flag_iopl | 2, all, plain | flag_if | flag_iopl},
        {3, flag_if | flag_iopl | 2, 0, flag_iopl | 2},
    };
    for (const auto& t : cases) {
        int_machine m(code_mode::bits64);
        m.c.s.set_rflags(t.before);
        m.user(t.cpl);
        m.put<std::uint64_t>(int_machine::stack_at, t.image);
        ASSERT_EQ(m.run({0x9D}), status::ok);
        EXPECT_EQ(m.c.s.rflags(), t.after);
    }
}

TEST(int_control, virtual_8086_mode_guards_the_flags) {
    int_machine m(code_mode::bits16);
    m.c.s.cr0 |= cr0_pe;
    m.c.s.eflags |= flag_vm;
    m.user(3);
    EXPECT_EQ(m.run({0x9C}), status::fault);
    EXPECT_EQ(m.c.fault.vector, vector_gp);
    EXPECT_EQ(m.run({0x9D}), status::fault);
    m.c.s.eflags |= flag_iopl;
    EXPECT_EQ(m.run({0x9C}), status::ok);
}

TEST(int_control, delay_and_spflt) {
    int_machine m(code_mode::bits64);
    m.c.s.r[rax] = 1000;
    ASSERT_EQ(m.run({0xC4, 0xE1, 0x7A, 0xAE, 0xF0}), status::ok);  // delay eax
    EXPECT_EQ(m.c.delay, 1000u);
    m.c.s.r[rax] = 0x5'0000'0000;
    ASSERT_EQ(m.run({0xC4, 0xE1, 0xFA, 0xAE, 0xF0}), status::ok);  // delay rax: at most 2^32 - 1
    EXPECT_EQ(m.c.delay, 0xFFFF'FFFFu);
    m.c.s.r[rax] = 3;
    ASSERT_EQ(m.run({0xC4, 0xE1, 0x7B, 0xAE, 0xF0}), status::ok);  // spflt eax: bit 0
    m.c.s.r[rax] = 2;
    ASSERT_EQ(m.run({0xC4, 0xE1, 0x7B, 0xAE, 0xF0}), status::ok);
    EXPECT_EQ(m.spflt_calls, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace knc::isa::test

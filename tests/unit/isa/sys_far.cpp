// Far JMP, CALL, RET, call gates; SYSCALL and SYSRET.

#include <array>

#include <gtest/gtest.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

template <std::size_t N>
using words64 = std::array<std::uint64_t, N>;
template <std::size_t N>
using words32 = std::array<std::uint32_t, N>;

// A far pointer at 0x6000, m16:32 or m16:64.
void put_pointer(sys_machine& k, std::uint16_t selector, std::uint64_t offset, unsigned width) {
    k.put(0x6000, offset);
    k.put(0x6000 + width, selector);
    k.c.s.r[rbx] = 0x6000;
}

TEST(sys_far, into_64_bit_code_from_the_segment_that_turned_paging_on) {
    sys_machine k;
    k.enter_long_mode();
    k.c.s.seg[cs] = k.segment_of(code32);  // LMA set, CS.L clear
    k.c.s.seg[ds] = k.segment_of(data0);
    k.c.update_mode();
    EXPECT_EQ(k.c.s.mode, code_mode::bits32);
    ASSERT_EQ(k.run({0xea, 0x00, 0x90, 0x00, 0x00, code64, 0x00}), status::ok);
    EXPECT_EQ(k.c.s.mode, code_mode::bits64);
    EXPECT_EQ(k.c.s.r[rip], 0x9000u);
    EXPECT_EQ(k.c.s.seg[cs].selector, code64);
    EXPECT_EQ(k.descriptor_at(code64) >> 40 & 1, 1u);  // accessed
}

TEST(sys_far, direct_targets) {
    struct row {
        const char* what;
        bool long_mode;
        unsigned cpl;
        std::uint16_t selector;
        status result;
        std::uint8_t vector;
        std::uint32_t error;
    };
    const row rows[] = {
        {"same level", true, 0, code64, status::ok, 0, 0},
        {"RPL beyond CPL", true, 0, code64 | 3, status::fault, vector_gp, code64},
        {"inner level", true, 3, code64, status::fault, vector_gp, code64},
        {"outer level", true, 0, user64, status::fault, vector_gp, user64 & ~3u},
        {"conforming", true, 3, conforming64, status::ok, 0, 0},
        {"32-bit in long mode", true, 0, code32, status::fault, vector_gp, code32},
        {"data", true, 0, data0, status::fault, vector_gp, data0},
        {"null", true, 0, 3, status::fault, vector_gp, 0},
        {"outside", true, 0, 0x200, status::fault, vector_gp, 0x200},
        {"absent", true, 0, scratch, status::fault, vector_np, scratch},
        {"no LDT", false, 0, 0x0c, status::fault, vector_gp, 0x0c},
        {"protected mode", false, 0, code32, status::ok, 0, 0},
        {"conforming, protected", false, 3, conforming32, status::ok, 0, 0},
        {"beyond the limit", false, 0, scratch + 8, status::fault, vector_gp, 0},
    };
    for (const row& x : rows) {
        sys_machine k;
        if (x.long_mode) k.enter_long_mode(x.cpl);
        if (!x.long_mode) k.enter_protected_mode(x.cpl);
        k.c.s.ldtr = {};
        k.set_descriptor(scratch, descriptor_of(0, 0xfffff, 0x1a, 0xa));
        k.set_descriptor(scratch + 8, descriptor_of(0, 0xfff, 0x9a, 0x4));
        put_pointer(k, x.selector, 0x9000, 4);
        EXPECT_EQ(k.run({0xff, 0x2b}), x.result) << x.what;  // jmp far [rbx]
        if (x.result == status::fault) {
            EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
            EXPECT_EQ(k.c.fault.error, x.error) << x.what;
        } else {
            EXPECT_EQ(k.c.s.r[rip], 0x9000u);
            EXPECT_EQ(k.c.s.seg[cs].selector, x.selector | x.cpl);
            EXPECT_EQ(k.c.s.cpl, x.cpl);
        }
    }
}

TEST(sys_far, call_and_return) {
    sys_machine k;
    k.enter_long_mode();
    put_pointer(k, conforming64, 0xffff'8000'0000'1000, 8);
    ASSERT_EQ(k.run({0x48, 0xff, 0x1b}), status::ok);  // call far m16:64
    EXPECT_EQ(k.c.s.r[rip], 0xffff'8000'0000'1000u);
    EXPECT_EQ(k.c.s.r[rsp], stack_at - 16);
    EXPECT_EQ(k.get<words64<2>>(stack_at - 16), (words64<2>{code_at + 3, code64}));
    ASSERT_EQ(k.run({0x48, 0xca, 0x20, 0x00}), status::ok);  // retfq 0x20
    EXPECT_EQ(k.c.s.r[rip], code_at + 3);
    EXPECT_EQ(k.c.s.seg[cs].selector, code64);
    EXPECT_EQ(k.c.s.r[rsp], stack_at + 0x20);
}

TEST(sys_far, return_to_an_outer_level) {
    sys_machine k;
    k.enter_protected_mode();
    // retf 8: EIP, CS, 8 bytes of parameters, ESP, SS.
    k.put(stack_at - 24, words32<6>{0x6000, user32, 1, 2, 0x7000, data3});
    k.c.s.r[rsp] = stack_at - 24;
    k.c.s.seg[gs] = k.segment_of(data0);
    ASSERT_EQ(k.run({0xca, 0x08, 0x00}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.r[rip], 0x6000u);
    EXPECT_EQ(k.c.s.r[rsp], 0x7008u);  // the parameters are released on the outer stack too
    EXPECT_EQ(k.c.s.seg[ss].selector, data3);
    EXPECT_FALSE(k.c.s.seg[gs].usable());
}

TEST(sys_far, real_mode) {
    sys_machine k;
    k.enter_real_mode();
    ASSERT_EQ(k.run({0x9a, 0x34, 0x12, 0x00, 0x08}), status::ok);  // call 0800:1234
    EXPECT_EQ(k.c.s.seg[cs].base, 0x8000u);
    EXPECT_EQ(k.c.s.r[rip], 0x1234u);
    EXPECT_EQ(k.get<std::uint16_t>(0x6ffc), code_at + 5);
    ASSERT_EQ(k.run({0xcb}), status::ok);
    EXPECT_EQ(k.c.s.seg[cs].base, 0u);
    EXPECT_EQ(k.c.s.r[rip], code_at + 5);
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u);
    EXPECT_EQ(k.run({0x66, 0xea, 0, 0, 1, 0, 0, 8}), status::fault);  // jmp 0800:00010000
    EXPECT_EQ(k.c.fault.vector, vector_gp);
}

TEST(sys_far, call_gate_to_an_inner_level_copies_parameters) {
    sys_machine k;
    k.enter_protected_mode(3);
    k.set_descriptor(scratch, gate_of(12, 3, code32, handler_at) | 2ull << 32);  // two words
    k.put(stack_at - 8, words32<2>{0xaaaa, 0xbbbb});
    k.c.s.r[rsp] = stack_at - 8;
    put_pointer(k, scratch | 3, 0x1111, 4);  // the offset of the pointer does not count
    ASSERT_EQ(k.run({0xff, 0x1b}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
    EXPECT_EQ(k.c.s.seg[cs].selector, code32);
    EXPECT_EQ(k.get<words32<6>>(stack0_at - 24),
              (words32<6>{code_at + 2, user32, 0xaaaa, 0xbbbb, stack_at - 8, data3}));
    EXPECT_EQ(k.c.s.r[rsp], stack0_at - 24);
    ASSERT_EQ(k.run({0xca, 0x08, 0x00}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.r[rsp], stack_at);  // both stacks released
}

TEST(sys_far, call_gate_in_long_mode) {
    sys_machine k;
    k.enter_long_mode(3);
    k.set_descriptor(scratch, gate_of(12, 3, code64, handler_at), 1);  // offset + 4 GB
    put_pointer(k, scratch | 3, 0, 4);
    ASSERT_EQ(k.run({0xff, 0x1b}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.r[rip], handler_at + (1ull << 32));
    EXPECT_EQ(k.c.s.seg[ss].selector, 0u);
    EXPECT_EQ(k.get<words64<4>>(stack0_at - 32),
              (words64<4>{code_at + 2, user64, stack_at, data3}));
    // The upper half must have type 0.
    k.enter_long_mode(3);
    k.set_descriptor(scratch, gate_of(12, 3, code64, handler_at), 1ull << 40);
    put_pointer(k, scratch | 3, 0, 4);
    EXPECT_EQ(k.run({0xff, 0x1b}), status::fault);
    EXPECT_EQ(k.c.fault.error, std::uint32_t{scratch});
}

TEST(sys_far, call_gate_checks) {
    struct row {
        const char* what;
        std::uint64_t gate;
        bool call;
        std::uint8_t vector;
        std::uint32_t error;
    };
    const row rows[] = {
        {"gate DPL", gate_of(12, 0, code32, 0), true, vector_gp, scratch},
        {"absent gate", gate_of(12, 3, code32, 0) & ~(1ull << 47), true, vector_np, scratch},
        {"null target", gate_of(12, 3, 0, 0), true, vector_gp, 0},
        {"data target", gate_of(12, 3, data3, 0), true, vector_gp, data3 & ~3u},
        {"JMP to an inner level", gate_of(12, 3, code32, 0), false, vector_gp, code32},
        {"interrupt gate", gate_of(14, 3, code32, 0), true, vector_gp, scratch},
    };
    for (const row& x : rows) {
        sys_machine k;
        k.enter_protected_mode(3);
        k.set_descriptor(scratch, x.gate);
        put_pointer(k, scratch | 3, 0, 4);
        const std::uint8_t modrm = x.call ? 0x1b : 0x2b;
        EXPECT_EQ(k.run({0xff, modrm}), status::fault) << x.what;
        EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
        EXPECT_EQ(k.c.fault.error, x.error) << x.what;
    }
}

// ---- SYSCALL, SYSRET

TEST(sys_syscall, there_and_back) {
    sys_machine k;
    k.enter_long_mode(3);
    k.c.s.star = std::uint64_t{code32} << 48 | std::uint64_t{code64} << 32;
    k.c.s.lstar = 0xffff'8000'0000'2000;
    k.c.s.sfmask = flag_if | flag_df;
    k.c.s.set_rflags(flag_if | flag_df | flag_cf | 2);
    ASSERT_EQ(k.run({0x0f, 0x05}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], 0xffff'8000'0000'2000u);
    EXPECT_EQ(k.c.s.r[rcx], code_at + 2);
    EXPECT_EQ(k.c.s.r[r11], 0x603u);  // DF IF bit 1 CF
    EXPECT_EQ(k.c.s.rflags(), 0x003u);
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.seg[cs].selector, code64);
    EXPECT_EQ(k.c.s.seg[ss].selector, code64 + 8);
    EXPECT_EQ(k.c.s.mode, code_mode::bits64);
    EXPECT_EQ(k.c.s.r[rsp], stack_at);  // the stack is the handler's business
    ASSERT_EQ(k.run({0x48, 0x0f, 0x07}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], code_at + 2);
    EXPECT_EQ(k.c.s.rflags(), 0x603u);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.seg[cs].selector, code32 + 16 + 3);  // 0x2b
    EXPECT_EQ(k.c.s.seg[ss].selector, code32 + 8 + 3);   // 0x23
    EXPECT_EQ(k.c.s.seg[ss].dpl(), 3u);
}

TEST(sys_syscall, refusals) {
    sys_machine k;
    k.enter_long_mode(3);
    EXPECT_EQ(k.run({0x48, 0x0f, 0x07}), status::fault);  // SYSRET at level 3
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    k.set_cpl(0);
    k.c.s.r[rcx] = 0x8000'0000'0000;
    EXPECT_EQ(k.run({0x48, 0x0f, 0x07}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_EQ(k.c.fault.error, 0u);
    k.c.s.r[rcx] = 0x1000;
    k.c.s.star = std::uint64_t{code32} << 48;
    EXPECT_EQ(k.run({0x0f, 0x07}), status::fault);  // to 32-bit code, which there is not
    EXPECT_EQ(k.c.fault.error, std::uint32_t{code32});
    k.c.s.efer &= ~efer_sce;
    EXPECT_EQ(k.run({0x0f, 0x05}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ud);
    EXPECT_EQ(k.run({0x48, 0x0f, 0x07}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ud);
    k.enter_protected_mode();
    k.c.s.efer = efer_sce;
    EXPECT_EQ(k.run({0x0f, 0x05}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ud);
}

}  // namespace
}  // namespace knc::isa::test

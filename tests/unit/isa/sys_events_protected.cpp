// Event delivery and IRET in real, protected and virtual-8086 mode.

#include <array>

#include <gtest/gtest.h>

#include <knc/isa/event_delivery.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

template <std::size_t N>
using words32 = std::array<std::uint32_t, N>;
using words16 = std::array<std::uint16_t, 3>;

fault exception(std::uint8_t vector) {
    fault f;
    f.vector = vector;
    return f;
}

TEST(sys_events_real, interrupt_and_return) {
    sys_machine k;
    k.enter_real_mode();
    k.put<std::uint16_t>(0x21 * 4, 0x1234);
    k.put<std::uint16_t>(0x21 * 4 + 2, 0x0800);
    k.c.s.eflags |= flag_if | flag_ac;
    ASSERT_EQ(k.run({0xcd, 0x21}), status::ok);
    EXPECT_EQ(k.c.s.seg[cs].selector, 0x0800);
    EXPECT_EQ(k.c.s.seg[cs].base, 0x8000u);
    EXPECT_EQ(k.c.s.r[rip], 0x1234u);
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u - 6);
    EXPECT_EQ(k.c.s.eflags, 2u);
    const auto f = k.get<words16>(0x7000 - 6);
    EXPECT_EQ(f, (words16{code_at + 2, 0, 0x0202}));
    ASSERT_EQ(k.run({0xcf}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], code_at + 2);
    EXPECT_EQ(k.c.s.seg[cs].selector, 0);
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u);
    EXPECT_EQ(k.c.s.eflags, 0x202u);  // AC was not saved: 16 bits
}

TEST(sys_events_real, exceptions_have_no_error_code) {
    sys_machine k;
    k.enter_real_mode();
    k.put<std::uint32_t>(13 * 4, 0x0000'4444);
    fault f = exception(vector_gp);
    f.has_error = true;
    f.error = 0x55;
    ASSERT_EQ(deliver(k.c, event_kind::exception, f, code_at), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], 0x4444u);
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u - 6);
    EXPECT_EQ(k.get<std::uint16_t>(0x7000 - 6), code_at);
}

TEST(sys_events_real, stack_pointer_wraps_within_16_bits) {
    sys_machine k;
    k.enter_real_mode();
    k.c.s.r[rsp] = 0xabcd'0000;  // SP = 0: the next push is at the top of the segment
    k.put<std::uint32_t>(0x20 * 4, 0x4444);
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x20), 7), delivery::done);
    EXPECT_EQ(k.c.s.r[rsp], 0xabcd'fffau);
    EXPECT_EQ(k.get<std::uint16_t>(0xfffa), 7);
}

TEST(sys_events_protected, same_level) {
    sys_machine k;
    k.enter_protected_mode();
    k.set_gate(14, gate_of(14, 0, code32, 0x12'3456));
    fault f = exception(vector_pf);
    f.has_error = true;
    f.error = 2;
    f.address = 0xcafe'0000;
    k.c.s.eflags |= flag_if;
    ASSERT_EQ(deliver(k.c, event_kind::exception, f, 0x8888), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], 0x12'3456u);
    EXPECT_EQ(k.c.s.cr2, 0xcafe'0000u);
    EXPECT_EQ(k.c.s.r[rsp], stack_at - 16);
    EXPECT_EQ(k.get<words32<4>>(stack_at - 16), (words32<4>{2, 0x8888, code32, 0x1'0202}));
    EXPECT_EQ(k.c.s.eflags, 2u);
}

TEST(sys_events_protected, inner_level_and_back) {
    sys_machine k;
    k.enter_protected_mode(3);
    k.set_gate(0x80, gate_of(15, 3, code32, handler_at));
    ASSERT_EQ(k.run({0xcd, 0x80}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.seg[ss].selector, data0);
    EXPECT_EQ(k.c.s.r[rsp], stack0_at - 20);
    EXPECT_EQ(k.get<words32<5>>(stack0_at - 20),
              (words32<5>{code_at + 2, user32, 2, stack_at, data3}));
    k.c.s.seg[fs] = k.segment_of(data0);
    ASSERT_EQ(k.run({0xcf}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.r[rip], code_at + 2);
    EXPECT_EQ(k.c.s.r[rsp], stack_at);
    EXPECT_EQ(k.c.s.seg[ss].selector, data3);
    EXPECT_EQ(k.c.s.seg[fs].selector, 0u);
    EXPECT_EQ(k.c.s.seg[ds].selector, data3);
}

TEST(sys_events_protected, gates_of_16_bits) {
    sys_machine k;
    k.enter_protected_mode();
    k.set_gate(0x30, gate_of(6, 0, code32, 0x9'4321));  // only 16 bits of the offset count
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x30), 0x8765),
              delivery::done);
    EXPECT_EQ(k.c.s.r[rip], 0x4321u);
    EXPECT_EQ(k.c.s.r[rsp], stack_at - 6);
    EXPECT_EQ(k.get<words16>(stack_at - 6), (words16{0x8765, code32, 2}));
}

TEST(sys_events_protected, inner_stack_that_cannot_be_used) {
    struct row {
        const char* what;
        std::uint16_t selector;
        std::uint8_t vector;
        std::uint32_t error;
    };
    const row rows[] = {{"null", 0, vector_ts, 0},
                        {"outside the table", 0x200, vector_ts, 0x200},
                        {"RPL", data0 | 1, vector_ts, data0},
                        {"DPL", data3 & ~3u, vector_ts, data3 & ~3u},
                        {"code", code32, vector_ts, code32},
                        {"absent", scratch, vector_ss, scratch},
                        {"no room", scratch + 8, vector_ss, scratch + 8}};
    for (const row& x : rows) {
        sys_machine k;
        k.enter_protected_mode(3);
        k.set_descriptor(scratch, descriptor_of(0, 0xfffff, 0x12, 0xc));
        k.set_descriptor(scratch + 8, descriptor_of(0, 0xfff, 0x92, 0x4));
        k.set_gate(0x80, gate_of(14, 3, code32, handler_at));
        k.put<std::uint16_t>(tss_at + 8, x.selector);
        EXPECT_EQ(k.run({0xcd, 0x80}), status::fault) << x.what;
        EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
        EXPECT_EQ(k.c.fault.error, x.error) << x.what;
        EXPECT_EQ(k.c.s.cpl, 3);
    }
}

TEST(sys_events_protected, handler_beyond_its_limit) {
    sys_machine k;
    k.enter_protected_mode();
    k.set_descriptor(scratch, descriptor_of(0, 0xfff, 0x9a, 0x4));
    k.set_gate(0x80, gate_of(14, 3, scratch, 0x1000));
    EXPECT_EQ(k.run({0xcd, 0x80}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_EQ(k.c.fault.error, 0u);
}

TEST(sys_events_protected, into_tests_overflow) {
    sys_machine k;
    k.enter_protected_mode();
    k.set_gate(4, gate_of(15, 0, code32, handler_at));
    k.c.s.arithmetic.set(0);
    ASSERT_EQ(k.run({0xce}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], code_at + 1);
    k.c.s.arithmetic.set(flag_of);
    ASSERT_EQ(k.run({0xce}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
}

// ---- virtual-8086 mode

// IRET from level 0 to CS:IP 0x0100:0x0010, SS:SP 0x0200:0x0400.
void enter_virtual_8086(sys_machine& k, std::uint32_t flags) {
    k.enter_protected_mode();
    const words32<9> f{0x10, 0x100, flags | flag_vm, 0x400, 0x200, 0x300, 0x301, 0x302, 0x303};
    k.put(stack_at - sizeof f, f);
    k.c.s.r[rsp] = stack_at - sizeof f;
    ASSERT_EQ(k.run({0xcf}), status::ok);
}

TEST(sys_events_virtual_8086, iret_enters_it) {
    sys_machine k;
    enter_virtual_8086(k, flag_if);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.mode, code_mode::bits16);
    EXPECT_TRUE(k.c.s.virtual_8086());
    EXPECT_EQ(k.c.s.r[rip], 0x10u);
    EXPECT_EQ(k.c.s.r[rsp], 0x400u);
    // ES DS FS GS follow SS in the frame.
    const std::pair<unsigned, unsigned> expected[] = {{cs, 0x100}, {ss, 0x200}, {es, 0x300},
                                                      {ds, 0x301}, {fs, 0x302}, {gs, 0x303}};
    for (const auto& [reg, selector] : expected) {
        EXPECT_EQ(k.c.s.seg[reg].selector, selector);
        EXPECT_EQ(k.c.s.seg[reg].base, selector * 16u);
        EXPECT_EQ(k.c.s.seg[reg].limit, 0xffffu);
        EXPECT_EQ(k.c.s.seg[reg].dpl(), 3u);
    }
}

TEST(sys_events_virtual_8086, interrupt_leaves_it_with_nine_words) {
    sys_machine k;
    enter_virtual_8086(k, flag_if);
    k.set_gate(0x20, gate_of(14, 0, code32, handler_at));
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x20), 0x10), delivery::done);
    EXPECT_EQ(k.c.s.r[rsp], stack0_at - 36);
    EXPECT_EQ(k.get<words32<9>>(stack0_at - 36),
              (words32<9>{0x10, 0x100, 0x2'0202, 0x400, 0x200, 0x300, 0x301, 0x302, 0x303}));
    EXPECT_FALSE(k.c.s.virtual_8086());
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.mode, code_mode::bits32);
    for (const unsigned reg : {ds, es, fs, gs}) EXPECT_FALSE(k.c.s.seg[reg].usable());
    ASSERT_EQ(k.run({0xcf}), status::ok);
    EXPECT_TRUE(k.c.s.virtual_8086());
    EXPECT_EQ(k.c.s.seg[gs].base, 0x3030u);
}

TEST(sys_events_virtual_8086, iopl_rules) {
    sys_machine k;
    enter_virtual_8086(k, 0);
    k.set_gate(0x80, gate_of(14, 3, code32, handler_at));
    k.set_gate(3, gate_of(14, 3, code32, handler_at));
    constexpr std::uint8_t sensitive[] = {0xcf, 0xfa, 0xfb, 0x9c, 0x9d};  // iret cli sti pushf popf
    for (const std::uint8_t opcode : sensitive) {
        EXPECT_EQ(k.run({opcode}), status::fault) << unsigned{opcode};
        EXPECT_EQ(k.c.fault.vector, vector_gp);
    }
    EXPECT_EQ(k.run({0xcd, 0x80}), status::fault);
    EXPECT_EQ(k.run({0xcc}), status::ok);  // INT3 does not look at IOPL
    enter_virtual_8086(k, flag_iopl);
    EXPECT_EQ(k.run({0xcd, 0x80}), status::ok);
    enter_virtual_8086(k, flag_iopl);
    EXPECT_EQ(k.run({0xfb}), status::ok);
    EXPECT_NE(k.c.s.eflags & flag_if, 0u);
}

TEST(sys_events_virtual_8086, a_handler_must_be_at_level_0) {
    sys_machine k;
    enter_virtual_8086(k, flag_iopl);
    k.set_gate(0x80, gate_of(14, 3, conforming32, handler_at));
    EXPECT_EQ(k.run({0xcd, 0x80}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_EQ(k.c.fault.error, std::uint32_t{conforming32});
}

}  // namespace
}  // namespace knc::isa::test

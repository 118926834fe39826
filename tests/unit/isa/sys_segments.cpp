// Segment register loads and the questions about descriptors.

#include <gtest/gtest.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint8_t load_of[] = {0xc0, 0, 0xd0, 0xd8, 0xe0, 0xe8};  // ModRM of MOV sreg, AX

status load(sys_machine& k, unsigned reg, std::uint16_t selector) {
    k.c.s.r[rax] = selector;
    return k.run({0x8e, load_of[reg]});
}

struct load_case {
    const char* what;
    unsigned cpl;
    unsigned reg;
    unsigned access;  // byte 5 of the descriptor at `scratch`
    unsigned rpl;
    std::uint8_t vector;  // 0: loads
};

TEST(sys_segments, checks_of_loads) {
    const load_case cases[] = {
        {"data", 0, ds, 0x92, 0, 0},
        {"read-only data", 0, ds, 0x90, 0, 0},
        {"readable code", 0, es, 0x9a, 0, 0},
        {"execute-only code", 0, es, 0x98, 0, vector_gp},
        {"conforming code from outside", 3, es, 0x9e, 3, 0},
        {"execute-only conforming code", 3, es, 0x9c, 3, vector_gp},
        {"system descriptor", 0, fs, 0x82, 0, vector_gp},
        {"RPL beyond DPL", 0, fs, 0x92, 3, vector_gp},
        {"CPL beyond DPL", 3, fs, 0x92, 0, vector_gp},
        {"outer data", 0, gs, 0xf2, 3, 0},
        {"absent", 0, gs, 0x12, 0, vector_np},
        {"stack", 0, ss, 0x92, 0, 0},
        {"stack RPL", 0, ss, 0x92, 3, vector_gp},
        {"stack DPL", 0, ss, 0xf2, 0, vector_gp},
        {"stack not writable", 0, ss, 0x90, 0, vector_gp},
        {"stack is code", 0, ss, 0x9a, 0, vector_gp},
        {"absent stack", 0, ss, 0x12, 0, vector_ss},
        {"user stack", 3, ss, 0xf2, 3, 0},
    };
    for (const bool long_mode : {false, true}) {
        for (const load_case& x : cases) {
            sys_machine k;
            if (long_mode) k.enter_long_mode(x.cpl);
            if (!long_mode) k.enter_protected_mode(x.cpl);
            k.set_descriptor(scratch, descriptor_of(0x1'0000, 0xfff, x.access, 4));
            const segment before = k.c.s.seg[x.reg];
            const auto selector = static_cast<std::uint16_t>(scratch | x.rpl);
            const status r = load(k, x.reg, selector);
            EXPECT_EQ(r == status::ok, x.vector == 0) << x.what;
            const segment& g = k.c.s.seg[x.reg];
            const bool accessed = (k.descriptor_at(scratch) >> 40 & 1) != 0;
            EXPECT_EQ(accessed, r == status::ok) << x.what;
            if (r != status::ok) {
                EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
                EXPECT_EQ(k.c.fault.error, std::uint32_t{scratch}) << x.what;
                EXPECT_EQ(g.selector, before.selector);
                continue;
            }
            EXPECT_EQ(g.selector, selector);
            EXPECT_EQ(g.limit, 0xfffu);
            // 64-bit mode has bases in FS and GS only.
            const bool based = !long_mode || x.reg == fs || x.reg == gs;
            EXPECT_EQ(g.base, based ? 0x1'0000u : 0u) << x.what;
            EXPECT_EQ(k.c.interrupt_shadow, x.reg == ss) << x.what;
        }
    }
}

TEST(sys_segments, null_selectors) {
    sys_machine k;
    k.enter_protected_mode();
    EXPECT_EQ(load(k, ds, 3), status::ok);
    EXPECT_FALSE(k.c.s.seg[ds].usable());
    EXPECT_EQ(k.c.s.seg[ds].selector, 3);
    EXPECT_EQ(load(k, ss, 0), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_EQ(k.c.fault.error, 0u);
    k.enter_long_mode();
    EXPECT_EQ(load(k, ss, 0), status::ok);  // at the level of its RPL, not at 3
    EXPECT_EQ(load(k, ss, 1), status::fault);
    k.enter_long_mode(3);
    EXPECT_EQ(load(k, ss, 3), status::fault);
}

TEST(sys_segments, table_limit_counts_whole_descriptors) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.gdtr.limit = data0 + 6;  // the last byte of the descriptor is outside
    EXPECT_EQ(load(k, ds, data0), status::fault);
    EXPECT_EQ(k.c.fault.error, std::uint32_t{data0});
    k.c.s.gdtr.limit = data0 + 7;
    EXPECT_EQ(load(k, ds, data0), status::ok);
}

TEST(sys_segments, real_mode_keeps_limits) {
    sys_machine k;
    k.enter_real_mode();
    k.c.s.seg[ds].limit = 0xffff'ffff;  // what protected mode may have left there
    ASSERT_EQ(load(k, ds, 0x1234), status::ok);
    EXPECT_EQ(k.c.s.seg[ds].base, 0x12340u);
    EXPECT_EQ(k.c.s.seg[ds].limit, 0xffff'ffffu);
    std::uint8_t v = 0;
    EXPECT_TRUE(k.c.load(ds, 0x10'0000, v));
}

TEST(sys_segments, stores_push_and_pop) {
    sys_machine k;
    k.enter_long_mode();
    k.c.s.seg[fs].selector = 0x1234;
    k.c.s.r[rax] = k.c.s.r[rbx] = ~0ull;
    ASSERT_EQ(k.run({0x8c, 0xe0}), status::ok);  // mov eax, fs
    EXPECT_EQ(k.c.s.r[rax], 0x1234u);
    ASSERT_EQ(k.run({0x66, 0x8c, 0xe3}), status::ok);  // mov bx, fs
    EXPECT_EQ(k.c.s.r[rbx], 0xffff'ffff'ffff'1234u);
    ASSERT_EQ(k.run({0x0f, 0xa0}), status::ok);  // push fs: eight bytes
    EXPECT_EQ(k.c.s.r[rsp], stack_at - 8);
    EXPECT_EQ(k.get<std::uint64_t>(stack_at - 8), 0x1234u);
    k.put<std::uint64_t>(stack_at - 8, 0xffff'0000u | data0);
    ASSERT_EQ(k.run({0x0f, 0xa9}), status::ok);  // pop gs
    EXPECT_EQ(k.c.s.seg[gs].selector, data0);
    EXPECT_EQ(k.c.s.r[rsp], stack_at);
    k.put<std::uint64_t>(stack_at, code64 | 3);
    EXPECT_EQ(k.run({0x0f, 0xa9}), status::fault);
    EXPECT_EQ(k.c.s.r[rsp], stack_at);
}

TEST(sys_segments, far_pointers) {
    sys_machine k;
    k.enter_protected_mode();
    k.put<std::uint32_t>(0x6000, 0x8899'aabb);
    k.put<std::uint16_t>(0x6004, data3);
    k.c.s.r[rbx] = 0x6000;
    ASSERT_EQ(k.run({0xc4, 0x0b}), status::ok);  // les ecx, [ebx]
    EXPECT_EQ(k.c.s.r[rcx], 0x8899'aabbu);
    EXPECT_EQ(k.c.s.seg[es].selector, data3);
    k.c.s.r[rcx] = 1;
    EXPECT_EQ(k.run({0x0f, 0xb2, 0x0b}), status::fault);  // lss: RPL 3 at level 0
    EXPECT_EQ(k.c.s.r[rcx], 1u);
}

TEST(sys_segments, sti_shadow) {
    sys_machine k;
    k.enter_long_mode();
    ASSERT_EQ(k.run({0xfb}), status::ok);
    EXPECT_TRUE(k.c.interrupt_shadow);
    k.c.interrupt_shadow = false;
    ASSERT_EQ(k.run({0xfb}), status::ok);  // IF was set already: no shadow
    EXPECT_FALSE(k.c.interrupt_shadow);
    ASSERT_EQ(k.run({0xfa}), status::ok);
    EXPECT_EQ(k.c.s.eflags & flag_if, 0u);
    k.set_cpl(3);
    k.c.s.eflags |= flag_iopl;
    EXPECT_EQ(k.run({0xfb}), status::ok);  // IOPL 3
}

// LAR, LSL, VERR, VERW of a selector in AX.
struct question {
    const char* what;
    unsigned cpl;
    unsigned access;
    unsigned rpl;
    bool lar, lsl, verr, verw;
};

TEST(sys_segments, questions) {
    const question cases[] = {
        {"data", 0, 0x92, 0, true, true, true, true},
        {"read-only data", 0, 0x90, 0, true, true, true, false},
        {"readable code", 0, 0x9a, 0, true, true, true, false},
        {"execute-only code", 0, 0x98, 0, true, true, false, false},
        {"inner data", 3, 0x92, 3, false, false, false, false},
        {"inner data by RPL", 0, 0x92, 1, false, false, false, false},
        {"conforming code", 3, 0x9e, 3, true, true, true, false},
        {"absent data", 0, 0x12, 0, true, true, true, true},  // P is not looked at
        {"LDT", 0, 0x82, 0, true, true, false, false},
        {"call gate", 0, 0x8c, 0, true, false, false, false},
        {"interrupt gate", 0, 0x8e, 0, false, false, false, false},
        {"16-bit TSS", 0, 0x81, 0, true, true, false, false},
    };
    for (const question& x : cases) {
        sys_machine k;
        k.enter_protected_mode(x.cpl);
        k.set_descriptor(scratch, descriptor_of(0, 0x12345, x.access, 0xc));
        const auto ask = [&](std::uint8_t opcode, std::uint8_t modrm) {
            k.c.s.r[rax] = scratch | x.rpl;
            k.c.s.r[rbx] = 0;
            EXPECT_EQ(k.run({0x0f, opcode, modrm}), status::ok);
            return k.c.s.arithmetic.zf();
        };
        EXPECT_EQ(ask(0x02, 0xd8), x.lar) << x.what;
        EXPECT_EQ(k.c.s.r[rbx], x.lar ? 0x00c0'0000u | x.access << 8 : 0u) << x.what;
        EXPECT_EQ(ask(0x03, 0xd8), x.lsl) << x.what;
        EXPECT_EQ(k.c.s.r[rbx], x.lsl ? 0x1234'5fffu : 0u) << x.what;  // in bytes
        EXPECT_EQ(ask(0x00, 0xe0), x.verr) << x.what;
        EXPECT_EQ(ask(0x00, 0xe8), x.verw) << x.what;
    }
    sys_machine k;
    k.enter_long_mode();
    k.set_descriptor(scratch, descriptor_of(0, 0, 0x81, 0));  // no 16-bit TSS there
    for (const unsigned selector : {unsigned{scratch}, 0u, 0x200u}) {
        k.c.s.r[rax] = selector;
        k.c.s.arithmetic.set(flag_zf);
        ASSERT_EQ(k.run({0x0f, 0x02, 0xd8}), status::ok);
        EXPECT_FALSE(k.c.s.arithmetic.zf());
    }
    k.enter_real_mode();
    EXPECT_EQ(k.run({0x0f, 0x02, 0xd8}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ud);
}

TEST(sys_segments, arpl) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.r[rax] = 0xffff'0010;
    k.c.s.r[rcx] = 0x1b;
    ASSERT_EQ(k.run({0x63, 0xc8}), status::ok);  // arpl ax, cx
    EXPECT_EQ(k.c.s.r[rax], 0xffff'0013u);
    EXPECT_TRUE(k.c.s.arithmetic.zf());
    ASSERT_EQ(k.run({0x63, 0xc8}), status::ok);
    EXPECT_FALSE(k.c.s.arithmetic.zf());
}

}  // namespace
}  // namespace knc::isa::test

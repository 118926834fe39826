// Control and debug registers, reset states.

#include <gtest/gtest.h>

#include <knc/isa/control_registers.h>
#include <knc/isa/event_delivery.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint8_t mov_to[] = {0xc0, 0, 0xd0, 0xd8, 0xe0};  // ModRM of MOV CRn, RAX

status write_cr(sys_machine& k, unsigned n, std::uint64_t value) {
    k.c.s.r[rax] = value;
    if (n == 8) return k.run({0x44, 0x0f, 0x22, 0xc0});
    return k.run({0x0f, 0x22, mov_to[n]});
}

TEST(sys_control, writes_in_long_mode) {
    constexpr std::uint64_t on = cr0_pe | cr0_pg;
    struct row {
        unsigned cr;
        std::uint64_t value;
        bool allowed;
    };
    const row rows[] = {
        {0, on, true},
        {0, on | cr0_wp | cr0_am | cr0_ne | cr0_mp | cr0_em | cr0_ts, true},
        {0, on | cr0_cd | cr0_nw, true},
        {0, on | cr0_cd, true},
        {0, on | cr0_nw, false},      // NW without CD
        {0, cr0_pg, false},           // PG without PE
        {0, cr0_pe, false},           // leaving long mode from 64-bit code
        {0, on | 1ull << 32, false},  // upper half
        {0, on | 0x0ff0'0000, true},  // reserved bits of the lower half are ignored
        {3, tables_at | 0x18, true},
        {3, 0xff'ffff'f000, true},  // 40 bits
        {3, 1ull << 40, false},
        {4, cr4_pae, true},
        {4, 0, false},  // PAE cannot be cleared here
        {4, cr4_pae | cr4_tsd | cr4_de | cr4_pse | cr4_mce | cr4_pce, true},
        {4, cr4_pae | cr4_vme, false},
        {4, cr4_pae | cr4_pvi, false},
        {4, cr4_pae | cr4_pge, false},  // reported by CPUID, refused by the card
        {4, cr4_pae | cr4_osfxsr, false},
        {4, cr4_pae | cr4_osxmmexcpt, false},
        {4, cr4_pae | 1ull << 13, false},
        {4, cr4_pae | 1ull << 32, false},
        {8, 15, true},
        {8, 16, false},
    };
    for (const row& x : rows) {
        sys_machine k;
        k.enter_long_mode();
        const state before = k.c.s;
        const status r = write_cr(k, x.cr, x.value);
        EXPECT_EQ(r == status::ok, x.allowed) << x.cr << ' ' << std::hex << x.value;
        if (r == status::ok) continue;
        EXPECT_EQ(k.c.fault.vector, vector_gp);
        EXPECT_EQ(k.c.fault.error, 0u);
        EXPECT_EQ(k.c.s.cr0, before.cr0);
        EXPECT_EQ(k.c.s.cr3, before.cr3);
        EXPECT_EQ(k.c.s.cr4, before.cr4);
    }
}

TEST(sys_control, compat_accepts_the_bits_of_ordinary_programs) {
    sys_machine k(profile::compat);
    k.enter_long_mode();
    EXPECT_EQ(write_cr(k, 4, cr4_pae | cr4_pge | cr4_osfxsr | cr4_osxmmexcpt), status::ok);
    EXPECT_EQ(write_cr(k, 4, cr4_pae | cr4_vme), status::fault);
}

TEST(sys_control, everything_is_privileged) {
    const std::initializer_list<std::uint8_t> instructions[] = {
        {0x0f, 0x20, 0xc0},        // mov rax, cr0
        {0x0f, 0x22, 0xd8},        // mov cr3, rax
        {0x44, 0x0f, 0x20, 0xc0},  // mov rax, cr8
        {0x0f, 0x21, 0xf8},        // mov rax, dr7
        {0x0f, 0x23, 0xf8},        // mov dr7, rax
        {0x0f, 0x01, 0xf0},        // lmsw ax
        {0x0f, 0x06},              // clts
        {0x0f, 0x01, 0x10},        // lgdt
        {0x0f, 0x01, 0x18},        // lidt
        {0x0f, 0x00, 0xd0},        // lldt
        {0x0f, 0x00, 0xd8},        // ltr
        {0x0f, 0x01, 0x38},        // invlpg
        {0x0f, 0x01, 0xf8},        // swapgs
        {0x0f, 0x08},              // invd
        {0x0f, 0x09},              // wbinvd
        {0x0f, 0x30},              // wrmsr
        {0x0f, 0x32},              // rdmsr
        {0xf4},                    // hlt
        {0xfa},                    // cli
        {0xfb},                    // sti
    };
    for (const auto& bytes : instructions) {
        sys_machine k;
        k.enter_long_mode(3);
        k.c.s.r[rcx] = 0xc000'0100;  // an MSR that exists
        EXPECT_EQ(k.run(bytes), status::fault) << std::hex << int{*(bytes.begin() + 1)};
        EXPECT_EQ(k.c.fault.vector, vector_gp);
        EXPECT_EQ(k.c.fault.error, 0u);
        EXPECT_FALSE(k.c.fault.unsupported);
    }
}

TEST(sys_control, entering_long_mode) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.cr3 = tables_at;
    k.c.s.efer = efer_lme;
    EXPECT_EQ(write_cr(k, 0, k.c.s.cr0 | cr0_pg), status::fault);  // CR4.PAE is clear
    k.c.s.cr4 = cr4_pae;
    k.c.s.tr.attributes = 0x83;  // a 16-bit TSS
    EXPECT_EQ(write_cr(k, 0, k.c.s.cr0 | cr0_pg), status::fault);
    EXPECT_FALSE(k.c.s.long_mode());
    k.c.s.tr.attributes = 0x8b;
    k.c.s.seg[cs] = k.segment_of(code64);  // CS.L set before long mode is active
    EXPECT_EQ(write_cr(k, 0, k.c.s.cr0 | cr0_pg), status::fault);
    k.c.s.seg[cs] = k.segment_of(code32);
    ASSERT_EQ(write_cr(k, 0, k.c.s.cr0 | cr0_pg), status::ok);
    EXPECT_EQ(k.c.s.efer, efer_lme | efer_lma);
    EXPECT_EQ(k.c.s.mode, code_mode::bits32);  // until CS is loaded
    ASSERT_EQ(write_cr(k, 0, k.c.s.cr0 & ~cr0_pg), status::ok);
    EXPECT_EQ(k.c.s.efer, efer_lme);
}

TEST(sys_control, pae_pointers_are_checked) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.cr4 = cr4_pae;
    k.c.s.cr3 = 0x11020;                             // 32-byte aligned
    k.put<std::uint64_t>(0x11020, 0x12000 | 1 | 2);  // bit 1 is reserved
    EXPECT_EQ(write_cr(k, 0, k.c.s.cr0 | cr0_pg), status::fault);
    EXPECT_FALSE(k.c.s.paging());
    k.put<std::uint64_t>(0x11020, 0x12000 | 1);
    k.put<std::uint64_t>(0x12000, 0x87);
    ASSERT_EQ(write_cr(k, 0, k.c.s.cr0 | cr0_pg), status::ok);
    EXPECT_EQ(k.c.s.pdpte[0], 0x12001u);
    k.put<std::uint64_t>(0x11028, 0x20);  // not present: its other bits do not count
    EXPECT_EQ(write_cr(k, 3, 0x11020), status::ok);
    k.put<std::uint64_t>(0x11028, 0x21);
    EXPECT_EQ(write_cr(k, 3, 0x11020), status::fault);
    EXPECT_EQ(write_cr(k, 4, cr4_pae | cr4_pse), status::fault);  // reloads them too
    EXPECT_EQ(write_cr(k, 4, cr4_pae | cr4_tsd), status::ok);
}

TEST(sys_control, machine_status_word) {
    sys_machine k;
    k.enter_real_mode();
    k.c.s.r[rax] = 0xfff1;
    ASSERT_EQ(k.run({0x0f, 0x01, 0xf0}), status::ok);  // lmsw ax
    EXPECT_EQ(k.c.s.cr0 & 0xf, 0x1u);
    k.c.s.r[rax] = 0x000e;
    ASSERT_EQ(k.run({0x0f, 0x01, 0xf0}), status::ok);
    EXPECT_EQ(k.c.s.cr0 & 0xf, 0xfu);  // PE cannot be cleared
    ASSERT_EQ(k.run({0x0f, 0x06}), status::ok);
    EXPECT_EQ(k.c.s.cr0 & 0xf, 0x7u);
    ASSERT_EQ(k.run({0x0f, 0x01, 0xe3}), status::ok);  // smsw bx
    EXPECT_EQ(k.c.s.r[rbx], k.c.s.cr0 & 0xffff);
}

TEST(sys_control, cr8_is_the_task_priority) {
    sys_machine k;
    k.enter_long_mode();
    ASSERT_EQ(write_cr(k, 8, 9), status::ok);
    EXPECT_EQ(k.priority, 9);
    k.priority = 4;
    ASSERT_EQ(k.run({0x44, 0x0f, 0x20, 0xc3}), status::ok);  // mov rbx, cr8
    EXPECT_EQ(k.c.s.r[rbx], 4u);
}

TEST(sys_control, debug_registers) {
    sys_machine k;
    k.enter_long_mode();
    k.c.s.r[rax] = 0xffff'ffff;
    ASSERT_EQ(k.run({0x0f, 0x23, 0xf0}), status::ok);  // dr6
    EXPECT_EQ(k.c.s.dr[6], 0xffff'efffu);              // bit 12 reads as 0
    k.c.s.r[rax] = 0;
    ASSERT_EQ(k.run({0x0f, 0x23, 0xf0}), status::ok);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'0ff0u);
    k.c.s.r[rax] = 0xffff'dfff;                        // all but GD
    ASSERT_EQ(k.run({0x0f, 0x23, 0xf8}), status::ok);  // dr7
    EXPECT_EQ(k.c.s.dr[7], 0xffff'07ffu);              // bits 11, 12, 14, 15 read as 0
    k.c.s.r[rax] = 1ull << 32;
    EXPECT_EQ(k.run({0x0f, 0x23, 0xf8}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    ASSERT_EQ(k.run({0x0f, 0x21, 0xe3}), status::ok);  // mov rbx, dr4 is dr6
    EXPECT_EQ(k.c.s.r[rbx], 0xffff'0ff0u);
    k.c.s.cr4 |= cr4_de;
    EXPECT_EQ(k.run({0x0f, 0x21, 0xe3}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ud);
    k.c.s.r[rax] = 1u << 13;
    ASSERT_EQ(k.run({0x0f, 0x23, 0xf8}), status::ok);
    EXPECT_EQ(k.run({0x0f, 0x21, 0xfb}), status::fault);  // DR7.GD: any access
    EXPECT_EQ(k.c.fault.vector, vector_db);
    EXPECT_EQ(k.c.fault.dr6, 1u << 13);
    k.set_gate(vector_db, gate_of(0xe, 0, code64, handler_at));
    ASSERT_EQ(deliver(k.c, event_kind::exception, k.c.fault, code_at), delivery::done);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'2ff0u);  // BD
    EXPECT_EQ(k.c.s.dr[7], 0x400u);
    EXPECT_EQ(k.run({0x0f, 0x21, 0xfb}), status::ok);  // the handler may
}

TEST(sys_reset, reset_and_init) {
    sys_machine k;
    state& s = k.c.s;
    k.enter_long_mode();
    s.star = s.lstar = s.sfmask = s.kernel_gs_base = 5;
    s.cr0 &= ~(cr0_cd | cr0_nw);
    init(s, 0xb13);
    EXPECT_EQ(s.cr0, cr0_et);  // CD and NW as they were: clear
    EXPECT_EQ(s.star + s.lstar + s.sfmask + s.kernel_gs_base, 20u);
    EXPECT_EQ(s.efer, 0u);
    reset(s, 0xb13);
    EXPECT_EQ(s.cr0, 0x6000'0010u);
    EXPECT_EQ(s.star, 0u);
    EXPECT_EQ(s.r[rdx], 0xb13u);
    EXPECT_EQ(s.r[rip], 0xfff0u);
    EXPECT_EQ(s.rflags(), 2u);
    EXPECT_EQ(s.seg[cs].selector, 0xf000);
    EXPECT_EQ(s.seg[cs].base, 0xffff'0000u);
    EXPECT_EQ(s.dr[6], 0xffff'0ff0u);
    EXPECT_EQ(s.dr[7], 0x400u);
    EXPECT_EQ(s.idtr.limit, 0xffff);
}

}  // namespace
}  // namespace knc::isa::test

// Hardware task switches.

#include <array>

#include <gtest/gtest.h>

#include <knc/isa/event_delivery.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t tss2_at = 0x4800, stack2_at = 0x70000, eip2 = 0x2'2222;
constexpr std::uint16_t tss2 = scratch, gate2 = scratch + 8, tss16 = scratch + 16;

// A second 32-bit task at level 0, ready to run; task gate 0x40 and `gate2` lead to it.
void prepare(sys_machine& k) {
    k.enter_protected_mode();
    k.set_descriptor(tss2, descriptor_of(tss2_at, 0x67, 0x89, 0));
    k.set_descriptor(gate2, gate_of(5, 0, tss2, 0));
    k.set_gate(0x40, gate_of(5, 0, tss2, 0));
    k.set_gate(vector_df, gate_of(5, 0, tss2, 0));
    k.put<std::uint32_t>(tss2_at + 0x20, eip2);
    k.put<std::uint32_t>(tss2_at + 0x24, 2 | flag_if);
    k.put<std::uint32_t>(tss2_at + 0x28, 0xaaaa'aaaa);                         // EAX
    k.put<std::uint32_t>(tss2_at + 0x38, stack2_at);                           // ESP
    k.put<std::uint32_t>(tss2_at + 0x44, 0xdddd'dddd);                         // EDI
    const std::uint16_t segments[] = {data0, code32, data0, data3, 0, data3};  // ES .. GS
    for (unsigned n = 0; n < 6; ++n) k.put<std::uint32_t>(tss2_at + 0x48 + 4 * n, segments[n]);
}

unsigned type_of(sys_machine& k, std::uint16_t selector) {
    return k.descriptor_at(selector) >> 40 & 15;
}

status jump_to(sys_machine& k, std::uint16_t selector, bool call = false) {
    k.put<std::uint32_t>(0x6000, 0);
    k.put<std::uint16_t>(0x6004, selector);
    k.c.s.r[rbx] = 0x6000;
    const std::uint8_t modrm = call ? 0x1b : 0x2b;
    return k.run({0xff, modrm});
}

TEST(sys_tasks, jump) {
    sys_machine k;
    prepare(k);
    k.c.s.r[rdi] = 0x1111'2222;
    ASSERT_EQ(jump_to(k, tss2), status::ok);
    EXPECT_EQ(k.c.s.r[rip], eip2);
    EXPECT_EQ(k.c.s.r[rax], 0xaaaa'aaaau);
    EXPECT_EQ(k.c.s.r[rdi], 0xdddd'ddddu);
    EXPECT_EQ(k.c.s.r[rsp], stack2_at);
    EXPECT_EQ(k.c.s.eflags, 2u | flag_if);  // no NT: nothing to return to
    EXPECT_EQ(k.c.s.tr.selector, tss2);
    EXPECT_EQ(k.c.s.tr.base, tss2_at);
    EXPECT_NE(k.c.s.cr0 & cr0_ts, 0u);
    EXPECT_EQ(k.c.s.seg[ds].selector, data3);
    EXPECT_FALSE(k.c.s.seg[fs].usable());
    EXPECT_EQ(type_of(k, tss), 9u);    // available
    EXPECT_EQ(type_of(k, tss2), 11u);  // busy
    // The old task as it was behind the jump.
    EXPECT_EQ(k.get<std::uint32_t>(tss_at + 0x20), code_at + 2);
    EXPECT_EQ(k.get<std::uint32_t>(tss_at + 0x44), 0x1111'2222u);
    EXPECT_EQ(k.get<std::uint32_t>(tss_at + 0x4c), std::uint32_t{code32});
    EXPECT_EQ(jump_to(k, tss2), status::fault);  // busy
    EXPECT_EQ(k.c.fault.error, std::uint32_t{tss2});
}

TEST(sys_tasks, call_through_a_gate_and_return) {
    sys_machine k;
    prepare(k);
    ASSERT_EQ(jump_to(k, gate2, true), status::ok);
    EXPECT_EQ(k.c.s.r[rip], eip2);
    EXPECT_EQ(k.c.s.eflags, 2u | flag_if | flag_nt);
    EXPECT_EQ(k.get<std::uint16_t>(tss2_at), tss);  // back link
    EXPECT_EQ(type_of(k, tss), 11u);
    ASSERT_EQ(k.run({0xcf}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], code_at + 2);
    EXPECT_EQ(k.c.s.tr.selector, tss);
    EXPECT_EQ(k.c.s.eflags & flag_nt, 0u);
    EXPECT_EQ(type_of(k, tss2), 9u);
    EXPECT_EQ(type_of(k, tss), 11u);
    EXPECT_EQ(k.get<std::uint32_t>(tss2_at + 0x20), eip2 + 1);
    EXPECT_EQ(k.get<std::uint32_t>(tss2_at + 0x24) & flag_nt, 0u);
}

TEST(sys_tasks, trap_bit_and_resume_flag) {
    sys_machine k;
    prepare(k);
    k.put<std::uint8_t>(tss2_at + 0x64, 0xfe);  // bit 0 is clear
    ASSERT_EQ(jump_to(k, tss2), status::ok);
    EXPECT_EQ(k.c.debug_conditions, 0u);
    sys_machine t;
    prepare(t);
    t.put<std::uint8_t>(tss2_at + 0x64, 1);
    t.put<std::uint32_t>(tss2_at + 0x24, 2 | flag_rf);
    ASSERT_EQ(jump_to(t, tss2), status::ok);
    EXPECT_EQ(t.c.debug_conditions, dr6_bt);
    EXPECT_TRUE(t.c.unusual);
    EXPECT_EQ(t.c.s.eflags, 2u | flag_rf);  // from the image
    // Local breakpoints are those of a task: none is left.
    t.c.s.dr[7] = 0x400 | 0x3ff;
    t.put<std::uint32_t>(tss_at + 0x20, code_at);
    t.c.debug_conditions = 0;
    ASSERT_EQ(jump_to(t, tss), status::ok);
    EXPECT_EQ(t.c.s.dr[7], 0x400u | 0x2aa);
    EXPECT_EQ(t.c.debug_conditions, 0u);
}

TEST(sys_tasks, event_with_an_error_code) {
    sys_machine k;
    prepare(k);
    fault f;
    f.vector = vector_df;
    f.has_error = true;
    ASSERT_EQ(deliver(k.c, event_kind::exception, f, 0x1234), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], eip2);
    EXPECT_EQ(k.c.s.r[rsp], stack2_at - 4);
    EXPECT_EQ(k.get<std::uint32_t>(stack2_at - 4), 0u);
    EXPECT_EQ(k.get<std::uint32_t>(tss_at + 0x20), 0x1234u);
    EXPECT_EQ(k.get<std::uint16_t>(tss2_at), tss);
}

TEST(sys_tasks, a_bad_task_changes_nothing) {
    struct row {
        const char* what;
        unsigned offset;  // of a word of the new TSS
        std::uint32_t value;
        std::uint8_t vector;
        std::uint32_t error;
    };
    const row rows[] = {
        {"CS null", 0x4c, 0, vector_ts, 0},
        {"CS is data", 0x4c, data0, vector_ts, data0},
        {"SS null", 0x50, 0, vector_ts, 0},
        {"SS level", 0x50, data3, vector_ts, data3 & ~3u},
        {"DS is not readable", 0x54, tss, vector_ts, tss},
        {"LDT", 0x60, data0, vector_ts, data0},
        {"FS outside", 0x58, 0x200, vector_ts, 0x200},
    };
    for (const row& x : rows) {
        sys_machine k;
        prepare(k);
        k.put<std::uint32_t>(tss2_at + x.offset, x.value);
        EXPECT_EQ(jump_to(k, tss2), status::fault) << x.what;
        EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
        EXPECT_EQ(k.c.fault.error, x.error) << x.what;
        EXPECT_EQ(k.c.s.tr.selector, tss);
        EXPECT_EQ(k.c.s.r[rsp], stack_at);
        EXPECT_EQ(type_of(k, tss), 11u);
        EXPECT_EQ(type_of(k, tss2), 9u);
    }
    sys_machine k;
    prepare(k);
    k.set_descriptor(tss2, descriptor_of(tss2_at, 0x66, 0x89, 0));  // one byte short
    EXPECT_EQ(jump_to(k, tss2), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ts);
    EXPECT_EQ(k.c.fault.error, std::uint32_t{tss2});
}

TEST(sys_tasks, to_a_16_bit_task_at_level_3) {
    sys_machine k;
    prepare(k);
    k.set_descriptor(tss16, descriptor_of(tss2_at, 0x2b, 0x81, 0));
    // IP, FLAGS, AX .. DI, ES CS SS DS, LDT: words from 0x0e.
    const std::array<std::uint16_t, 15> words{0x3333, 2, 1,     2,      3,     4,     0x5000, 6,
                                              7,      8, data3, user32, data3, data3, 0};
    k.put(tss2_at + 0x0e, words);
    ASSERT_EQ(jump_to(k, tss16), status::ok);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.r[rip], 0x3333u);
    EXPECT_EQ(k.c.s.r[rax], 1u);
    EXPECT_EQ(k.c.s.r[rsp], 0x5000u);
    EXPECT_EQ(k.c.s.r[rdi], 8u);
    EXPECT_EQ(k.c.s.seg[cs].selector, user32);
    EXPECT_FALSE(k.c.s.seg[gs].usable());
}

}  // namespace
}  // namespace knc::isa::test

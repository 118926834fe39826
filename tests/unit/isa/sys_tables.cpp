// Descriptor table registers.

#include <gtest/gtest.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

TEST(sys_tables, load_and_store) {
    sys_machine k;
    k.enter_long_mode();
    k.c.s.r[rbx] = 0x6000;
    k.put<std::uint16_t>(0x6000, 0x0fff);
    k.put<std::uint64_t>(0x6002, 0xffff'8000'0000'3000);
    ASSERT_EQ(k.run({0x0f, 0x01, 0x1b}), status::ok);  // lidt
    EXPECT_EQ(k.c.s.idtr.limit, 0x0fff);
    EXPECT_EQ(k.c.s.idtr.base, 0xffff'8000'0000'3000u);
    k.put<std::uint64_t>(0x6002, 0x8000'0000'0000);
    EXPECT_EQ(k.run({0x0f, 0x01, 0x13}), status::fault);  // lgdt: not canonical
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    k.c.s.r[rbx] = 0x6100;
    ASSERT_EQ(k.run({0x0f, 0x01, 0x0b}), status::ok);  // sidt
    EXPECT_EQ(k.get<std::uint16_t>(0x6100), 0x0fff);
    EXPECT_EQ(k.get<std::uint64_t>(0x6102), 0xffff'8000'0000'3000u);
    ASSERT_EQ(k.run({0x0f, 0x01, 0x03}), status::ok);  // sgdt
    EXPECT_EQ(k.get<std::uint64_t>(0x6102), gdt_at);
    k.enter_protected_mode();
    k.c.s.r[rbx] = 0x6000;
    k.put<std::uint64_t>(0x6002, 0x1234'5678);
    ASSERT_EQ(k.run({0x66, 0x0f, 0x01, 0x13}), status::ok);  // 16-bit operand size: 24 bits
    EXPECT_EQ(k.c.s.gdtr.base, 0x34'5678u);
}

TEST(sys_tables, task_register) {
    sys_machine k;
    k.enter_long_mode();
    k.set_descriptor(scratch, descriptor_of(0x4000, 0x67, 0x89, 0), 0xffff'8000);
    k.c.s.r[rax] = scratch;
    ASSERT_EQ(k.run({0x0f, 0x00, 0xd8}), status::ok);  // ltr ax
    EXPECT_EQ(k.c.s.tr.base, 0xffff'8000'0000'4000u);
    EXPECT_EQ(k.descriptor_at(scratch) >> 40 & 0xff, 0x8bu);  // busy in memory
    EXPECT_EQ(k.run({0x0f, 0x00, 0xd8}), status::fault);      // and so not loadable again
    EXPECT_EQ(k.c.fault.error, std::uint32_t{scratch});
    ASSERT_EQ(k.run({0x0f, 0x00, 0xcb}), status::ok);  // str ebx
    EXPECT_EQ(k.c.s.r[rbx], scratch);
    k.c.s.r[rax] = 0;
    EXPECT_EQ(k.run({0x0f, 0x00, 0xd8}), status::fault);
    EXPECT_EQ(k.c.fault.error, 0u);
    k.c.s.r[rax] = scratch | 4;  // in the LDT
    EXPECT_EQ(k.run({0x0f, 0x00, 0xd8}), status::fault);
    EXPECT_EQ(k.c.fault.error, scratch | 4u);
    k.set_descriptor(scratch, descriptor_of(0x4000, 0x67, 0x09, 0));
    k.c.s.r[rax] = scratch;
    EXPECT_EQ(k.run({0x0f, 0x00, 0xd8}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_np);
}

TEST(sys_tables, local_table) {
    sys_machine k;
    k.enter_protected_mode();
    k.set_descriptor(scratch, descriptor_of(0x4c00, 0x0f, 0x82, 0));
    k.put(0x4c08, descriptor_of(0x1'0000, 0xffff, 0x92, 4));
    k.c.s.r[rax] = scratch;
    ASSERT_EQ(k.run({0x0f, 0x00, 0xd0}), status::ok);  // lldt ax
    k.c.s.r[rax] = 0x0c;                               // entry 1 of the LDT
    ASSERT_EQ(k.run({0x8e, 0xe0}), status::ok);        // mov fs, ax
    EXPECT_EQ(k.c.s.seg[fs].base, 0x1'0000u);
    k.c.s.r[rax] = 0x14;  // entry 2 is beyond the limit
    EXPECT_EQ(k.run({0x8e, 0xe0}), status::fault);
    EXPECT_EQ(k.c.fault.error, 0x14u);
    k.c.s.r[rax] = 0;
    ASSERT_EQ(k.run({0x0f, 0x00, 0xd0}), status::ok);  // no LDT
    k.c.s.r[rax] = 0x0c;
    EXPECT_EQ(k.run({0x8e, 0xe0}), status::fault);
    k.c.s.r[rax] = tss;
    EXPECT_EQ(k.run({0x0f, 0x00, 0xd0}), status::fault);  // not an LDT
    EXPECT_EQ(k.c.fault.error, std::uint32_t{tss});
}

}  // namespace
}  // namespace knc::isa::test

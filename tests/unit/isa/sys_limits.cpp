// Checks of addresses: canonical form, limits and types of segments, wrap-around.

#include <gtest/gtest.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

TEST(sys_limits, canonical_addresses) {
    sys_machine k;
    k.enter_long_mode();
    std::uint64_t v = 0;
    EXPECT_FALSE(k.c.load(ds, 0x8000'0000'0000, v));
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_EQ(k.c.fault.error, 0u);
    EXPECT_FALSE(k.c.load(ss, 0x8000'0000'0000, v));
    EXPECT_EQ(k.c.fault.vector, vector_ss);
    EXPECT_FALSE(k.c.load(ds, 0x7fff'ffff'fff9, v));  // its last byte is not canonical
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_FALSE(k.c.load(ds, 0xffff'8000'0000'0000, v));
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    EXPECT_EQ(k.c.fault.address, 0xffff'8000'0000'0000u);
    k.c.s.seg[fs].base = 0x7fff'ffff'0000;
    EXPECT_FALSE(k.c.load(fs, 0x1'0000, v));
    EXPECT_EQ(k.c.fault.vector, vector_gp);
}

struct limit_case {
    unsigned access;  // byte 5 of the descriptor
    unsigned flags;
    std::uint32_t limit;
    std::uint64_t offset;
    bool readable, writable;
};

TEST(sys_limits, limits_and_types_outside_64_bit_mode) {
    const limit_case cases[] = {
        {0x93, 4, 0x0fff, 0x0ffc, true, true},       // last four bytes
        {0x93, 4, 0x0fff, 0x0ffd, false, false},     // one byte past the limit
        {0x91, 4, 0x0fff, 0, true, false},           // read only
        {0x9b, 4, 0x0fff, 0, true, false},           // readable code
        {0x99, 4, 0x0fff, 0, false, false},          // execute only
        {0x97, 4, 0x0fff, 0x0fff, false, false},     // expand down: up to the limit is outside
        {0x97, 4, 0x0fff, 0x1000, true, true},       // first byte inside
        {0x97, 4, 0x0fff, 0xffff'fffc, true, true},  // B = 1: up to 4 GB
        {0x97, 4, 0x0fff, 0xffff'fffd, false, false},
        {0x97, 0, 0x0fff, 0xfffc, true, true},  // B = 0: up to 64 KB
        {0x97, 0, 0x0fff, 0xfffd, false, false},
        {0x97, 0xc, 0xf'ffff, 0, false, false},          // expand down from 4 GB: empty
        {0x93, 0xc, 0xf'ffff, 0xffff'fff0, true, true},  // 4 GB: no check is needed
        {0x9b, 0xc, 0xf'ffff, 0, true, false},
    };
    for (const limit_case& x : cases) {
        sys_machine k;
        k.enter_protected_mode();
        k.set_descriptor(scratch, descriptor_of(0x10000, x.limit, x.access, x.flags));
        for (const unsigned reg : {gs, ss}) {
            k.c.s.seg[reg] = k.segment_of(scratch);
            k.c.update_mode();
            // Through another segment the same bytes are allowed, and then remembered.
            std::uint32_t same = 0;
            ASSERT_TRUE(k.c.load(ds, (0x10000 + x.offset) & 0xffff'ffff, same));
            ASSERT_TRUE(k.c.store(ds, (0x10000 + x.offset) & 0xffff'ffff, same));
            for (int twice = 0; twice < 2; ++twice) {  // before and after it is remembered
                std::uint32_t v = 0;
                EXPECT_EQ(k.c.load(reg, x.offset, v), x.readable) << x.access << ' ' << x.offset;
                if (!x.readable) {
                    EXPECT_EQ(k.c.fault.vector, reg == ss ? vector_ss : vector_gp);
                }
                EXPECT_EQ(k.c.store(reg, x.offset, v), x.writable) << x.access << ' ' << x.offset;
                if (!x.writable) {
                    EXPECT_EQ(k.c.fault.error, 0u);
                }
            }
        }
    }
}

TEST(sys_limits, null_segments) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.seg[es] = {};
    k.c.update_mode();
    std::uint8_t v = 0;
    EXPECT_FALSE(k.c.load(es, 0, v));
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    k.enter_long_mode();
    k.c.s.seg[es] = {};
    k.c.update_mode();
    EXPECT_TRUE(k.c.load(es, 0, v));  // 64-bit mode does not look
}

TEST(sys_limits, real_mode_limit) {
    sys_machine k;
    k.enter_real_mode();
    k.c.s.seg[ds].base = 0x10000;
    std::uint16_t v = 0;
    EXPECT_TRUE(k.c.load(ds, 0xfffe, v));
    EXPECT_FALSE(k.c.load(ds, 0xffff, v));
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    EXPECT_FALSE(k.c.store<std::uint32_t>(ss, 0xfffd, 0));
    EXPECT_EQ(k.c.fault.vector, vector_ss);
    EXPECT_TRUE(k.c.store<std::uint16_t>(cs, 0x100, 0));  // code is writable there
}

TEST(sys_limits, linear_addresses_wrap_at_4_gb) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.seg[gs].base = 0xffff'f000;
    k.put<std::uint32_t>(0x234, 0x4711);
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(gs, 0x1234, v));
    EXPECT_EQ(v, 0x4711u);
}

TEST(sys_limits, page_faults_behind_4_gb_are_at_0) {
    sys_machine k;
    k.enter_protected_mode();
    k.put<std::uint32_t>(tables_at + 4 * 0x3ff, 0x87);  // the last 4 MB; the first are not mapped
    k.c.s.cr3 = tables_at;
    k.c.s.cr4 = cr4_pse;
    k.c.s.cr0 |= cr0_pg;
    std::uint32_t v = 0;
    EXPECT_FALSE(k.c.load(ds, 0xffff'fffe, v));
    EXPECT_EQ(k.c.fault.vector, vector_gp);  // the offset passes the limit
    k.c.s.seg[gs].base = 0x8000'0000;
    EXPECT_FALSE(k.c.load(gs, 0x7fff'fffe, v));
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    EXPECT_EQ(k.c.fault.address, 0u);
}

}  // namespace
}  // namespace knc::isa::test

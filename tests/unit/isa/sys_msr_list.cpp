// The table of MSRs: every row is what it says.

#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <knc/isa/msr.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

bool is_ours(const msr_row& m) {
    return m.owner == msr_owner::thread && !m.only_compat;
}

// LSTAR and the bases of FS and GS.
bool holds_address(std::uint32_t number) {
    return number == 0xc000'0082 || (number >= 0xc000'0100 && number <= 0xc000'0102);
}
// The lower half of a variable range, and the default type.
bool holds_range_type(std::uint32_t number) {
    return (number >= 0x200 && number < 0x210 && number % 2 == 0) || number == 0x2ff;
}
// The fixed ranges.
bool holds_range_types(std::uint32_t number) {
    return number >= 0x250 && number <= 0x26f;
}

TEST(sys_msr_list, numbers_ascend_and_rows_have_their_own_storage) {
    state s;
    std::set<const std::uint64_t*> places;
    std::int64_t last = -1;
    for (const msr_row& m : msrs()) {
        EXPECT_GT(std::int64_t{m.address}, last) << m.name;
        last = m.address;
        const bool constant =
            m.access == base::register_access::read_only || m.owner == msr_owner::local_apic;
        EXPECT_EQ(m.of == nullptr, constant) << m.name;
        if (m.of == nullptr) continue;
        EXPECT_TRUE(places.insert(&m.of(s)).second) << m.name;
    }
    // 13 of the Pentium, APIC base, 30 of memory types, 15 of machine check, core C6, 8 of the
    // 64-bit architecture; 3 that kernels of PCs read, in profile compat.
    EXPECT_EQ(std::distance(msrs().begin(), msrs().end()), 13 + 1 + 30 + 15 + 1 + 8 + 3);
}

TEST(sys_msr_list, reset_values) {
    for (const msr_row& m : msrs()) {
        if (!is_ours(m)) continue;
        sys_machine k;
        reset(k.c.s);
        std::uint64_t value = ~m.reset();
        ASSERT_TRUE(read_msr(k.c, m.address, value)) << m.name;
        EXPECT_EQ(value, m.reset()) << m.name;
    }
}

TEST(sys_msr_list, writable_bits_and_reserved_bits) {
    for (const msr_row& m : msrs()) {
        if (!is_ours(m) || m.address == 0xc000'0080) continue;  // EFER: sys_msr.rules
        sys_machine k;
        reset(k.c.s);
        std::uint64_t value = 0;
        if (m.access == base::register_access::read_only) {
            EXPECT_FALSE(write_msr(k.c, m.address, m.reset())) << m.name;
            continue;
        }
        // The highest value its rule allows.
        std::uint64_t most = m.writable;
        if (holds_address(m.address)) most = ~0ull;
        if (holds_range_type(m.address)) most = (m.writable & ~0xffull) | 6;
        if (holds_range_types(m.address)) most = 0x0606'0606'0606'0606;
        if (m.address == 0x277) most = 0x0707'0707'0707'0707;
        ASSERT_TRUE(write_msr(k.c, m.address, most)) << m.name;
        ASSERT_TRUE(read_msr(k.c, m.address, value)) << m.name;
        EXPECT_EQ(value, most) << m.name;
        for (unsigned n = 0; n < 64; ++n) {
            const std::uint64_t bit = 1ull << n;
            if ((m.writable & bit) != 0) continue;
            EXPECT_FALSE(write_msr(k.c, m.address, bit)) << m.name << ' ' << n;
        }
        ASSERT_TRUE(read_msr(k.c, m.address, value));
        EXPECT_EQ(value, most) << m.name;  // refused writes change nothing
    }
}

TEST(sys_msr_list, types_that_do_not_exist_are_refused) {
    sys_machine k;
    reset(k.c.s);
    for (std::uint64_t type = 0; type < 256; ++type) {
        const bool range = type == 0 || type == 1 || type == 4 || type == 5 || type == 6;
        EXPECT_EQ(write_msr(k.c, 0x200, 0x1000 | type), range) << type;
        EXPECT_EQ(write_msr(k.c, 0x2ff, 0x800 | type), range) << type;
        for (unsigned byte = 0; byte < 8; ++byte) {
            EXPECT_EQ(write_msr(k.c, 0x250, type << 8 * byte), range) << type;
            EXPECT_EQ(write_msr(k.c, 0x277, type << 8 * byte), range || type == 7) << type;
        }
    }
}

TEST(sys_msr_list, capabilities) {
    sys_machine k;
    std::uint64_t value = 0;
    ASSERT_TRUE(read_msr(k.c, 0xfe, value));
    EXPECT_EQ(value, 0x508u);  // 8 variable ranges, fixed ranges, write combining
    ASSERT_TRUE(read_msr(k.c, 0x179, value));
    EXPECT_EQ(value, 0x103u);  // 3 banks, MCG_CTL
    // An error can be cleared, not made.
    EXPECT_TRUE(write_msr(k.c, 0x405, 0));
    EXPECT_FALSE(write_msr(k.c, 0x405, 1));
}

TEST(sys_msr_list, numbers_the_card_does_not_have) {
    // SPU_BASE, CESR, PerfCntr2, PerfEvtSel2, PLATFORM_ID, BIOS_SIGN_ID, SYSENTER_CS, MISC_ENABLE,
    // CBOX_SPU_PA, a ninth range, a fourth bank, CSTAR.
    for (const std::uint32_t number : {0x1cu, 0x11u, 0x22u, 0x2au, 0x17u, 0x8bu, 0x174u, 0x1a0u,
                                       0x17eu, 0x210u, 0x40cu, 0xc000'0083u}) {
        sys_machine k;
        std::uint64_t value = 0;
        EXPECT_FALSE(read_msr(k.c, number, value)) << std::hex << number;
        EXPECT_FALSE(write_msr(k.c, number, 0)) << std::hex << number;
    }
}

TEST(sys_msr_list, init_keeps_what_the_table_says) {
    for (const msr_row& m : msrs()) {
        if (m.of == nullptr) continue;
        state s;
        reset(s);
        m.of(s) = 0x100;
        init(s);
        EXPECT_EQ(m.of(s), m.kept_by_init ? 0x100 : m.reset()) << m.name;
    }
}

TEST(sys_msr_list, local_apic_base_is_the_environments) {
    sys_machine k;
    std::uint64_t value = 0;
    EXPECT_FALSE(read_msr(k.c, 0x1b, value));
    k.msrs[0x1b] = 0xfee0'0900;
    ASSERT_TRUE(read_msr(k.c, 0x1b, value));
    EXPECT_EQ(value, 0xfee0'0900u);
    EXPECT_TRUE(write_msr(k.c, 0x1b, 5));
    EXPECT_EQ(k.msrs[0x1b], 5u);
}

}  // namespace
}  // namespace knc::isa::test

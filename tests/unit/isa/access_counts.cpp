// What a Pentium's events say of accesses: alignment, I/O cycles, breakpoints that are not enabled.
#include <gtest/gtest.h>

#include <knc/isa/access_counts.h>

namespace knc::isa {
namespace {

access_counts data(std::uint64_t la, unsigned size, bool write = false, bool mmx = false,
                   const state& s = {}) {
    access_counts c;
    c.data(s, la, size, write, mmx);
    return c;
}
access_counts ports(std::uint16_t first, unsigned size, const state& s = {}, bool write = false) {
    access_counts c;
    c.ports(s, first, size, write);
    return c;
}

TEST(access_counts, boundaries_of_data) {
    EXPECT_EQ(data(0x1003, 1).misaligned, 0u);
    EXPECT_EQ(data(0x1001, 2).misaligned, 0u);  // within four bytes
    EXPECT_EQ(data(0x1003, 2).misaligned, 1u);
    EXPECT_EQ(data(0x1000, 4).misaligned, 0u);
    EXPECT_EQ(data(0x1002, 4).misaligned, 1u);
    EXPECT_EQ(data(0x1004, 8).misaligned, 1u);
    EXPECT_EQ(data(0x1008, 8).misaligned, 0u);
    EXPECT_EQ(data(0x1008, 10).misaligned, 0u);
    EXPECT_EQ(data(0x1001, 10).misaligned, 1u);  // 8 bytes are, 2 are not
    EXPECT_EQ(data(0x1003, 10).misaligned, 2u);  // both
    EXPECT_EQ(data(0x1002, 108).misaligned, 1u);
    EXPECT_EQ(data(0x1004, 108).misaligned, 0u);
}

TEST(access_counts, mmx) {
    EXPECT_EQ(data(0x1004, 8).mmx_misaligned, 0u);
    EXPECT_EQ(data(0x1004, 8, false, true).mmx_misaligned, 1u);
    EXPECT_EQ(data(0x1004, 8, false, true).misaligned, 1u);
    EXPECT_EQ(data(0x1000, 8, false, true).mmx_misaligned, 0u);
}

TEST(access_counts, ports_across_a_boundary_take_two_cycles) {
    EXPECT_EQ(ports(0x3f8, 1).io_cycles, 1u);
    EXPECT_EQ(ports(0x3f9, 2).io_cycles, 1u);
    EXPECT_EQ(ports(0x3f9, 2).misaligned, 0u);
    EXPECT_EQ(ports(0x3fb, 2).io_cycles, 2u);
    EXPECT_EQ(ports(0x3fb, 2).misaligned, 1u);
    EXPECT_EQ(ports(0x3fa, 4).io_cycles, 2u);
    EXPECT_EQ(ports(0x3fa, 4).uncached_writes, 0u);
    EXPECT_EQ(ports(0x3fa, 4, {}, true).uncached_writes, 2u);
    EXPECT_EQ(ports(0x3f8, 1, {}, true).uncached_writes, 1u);
    EXPECT_EQ(ports(0x3f8, 1, {}, true).uncached_reads, 0u);
}

// R/W and LEN of breakpoint n in DR7; none is enabled.
state watched(unsigned n, std::uint64_t at, unsigned kind, unsigned length, bool on = false) {
    state s;
    s.dr[n] = at;
    s.dr[7] = (kind | length << 2) << (16 + 4 * n) | (on ? 1u << 2 * n : 0);
    // The others are at an address that nobody uses.
    for (unsigned m = 0; m < 4; ++m)
        if (m != n) s.dr[m] = 0xdead0000;
    return s;
}

TEST(access_counts, matches_of_data) {
    constexpr unsigned writes = 1, accesses = 3, four = 3;
    for (unsigned n = 0; n < 4; ++n) {
        state s = watched(n, 0x1000, accesses, four);
        EXPECT_EQ(data(0x1003, 2, false, false, s).matches[n], 1u);
        EXPECT_EQ(data(0x0fff, 2, true, false, s).matches[n], 1u);
        EXPECT_EQ(data(0x1004, 4, false, false, s).matches[n], 0u);
        EXPECT_EQ(data(0x0ffc, 4, false, false, s).matches[n], 0u);
        for (unsigned m = 0; m < 4; ++m)
            EXPECT_EQ(data(0x1000, 4, true, false, s).matches[m], m == n ? 1u : 0u);
        s = watched(n, 0x1000, writes, four);
        EXPECT_EQ(data(0x1000, 4, false, false, s).matches[n], 0u);
        EXPECT_EQ(data(0x1000, 4, true, false, s).matches[n], 1u);
        // An enabled one matches as well.
        EXPECT_EQ(data(0x1000, 4, true, false, watched(n, 0x1000, writes, four, true)).matches[n],
                  1u);
    }
}

TEST(access_counts, matches_of_instructions_and_ports) {
    access_counts c;
    c.instruction(watched(1, 0x1000, 0, 0), 0x1000);
    EXPECT_EQ(c.matches[1], 1u);
    c.instruction(watched(1, 0x1000, 0, 0), 0x1001);
    EXPECT_EQ(c.matches[1], 1u);
    c.instruction(watched(1, 0x1000, 0, 0, true), 0x1000);  // its exception counts
    EXPECT_EQ(c.matches[1], 1u);
    c.instruction(watched(1, 0x1000, 3, 0), 0x1000);  // of data
    EXPECT_EQ(c.matches[1], 1u);

    state s = watched(2, 0x3f8, 2, 0);
    EXPECT_EQ(ports(0x3f8, 1, s).matches[2], 0u);  // CR4.DE is 0
    s.cr4 |= cr4_de;
    EXPECT_EQ(ports(0x3f8, 1, s).matches[2], 1u);
    EXPECT_EQ(ports(0x3f9, 1, s).matches[2], 0u);
}

TEST(access_counts, any) {
    EXPECT_FALSE(access_counts{}.any());
    EXPECT_TRUE(data(0x1002, 4).any());
    EXPECT_TRUE(ports(0x3f8, 1).any());
    EXPECT_TRUE(data(0x1000, 4, true, false, watched(3, 0x1000, 1, 3)).any());
}

}  // namespace
}  // namespace knc::isa

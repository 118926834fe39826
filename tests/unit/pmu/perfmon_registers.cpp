// The registers of architectural performance monitoring: reset, bits, access, RDPMC.
#include <gtest/gtest.h>

#include <knc/base/memory_archive.h>

#include "perfmon_fixture.h"

namespace pmu_test {
namespace {

namespace m = perfmon_msr;

struct rule {
    std::uint32_t first, count;
    std::uint64_t reset, writable;
    bool kept;  // reads as what was written
};
constexpr std::uint64_t all_counters = 0x7'0000'000F;
// SDM vol. 4. PMC: the upper half is ignored, the sign extended, so it is not kept.
constexpr rule rules[] = {
    {m::pmc, 4, 0, ~std::uint64_t{0}, false},
    {m::evtsel, 4, 0, 0x4'FFFF'FFFF, true},
    {m::misc, 1, 0x881, 0x1881, false},
    {m::debugctl, 1, 0, 0x1002, true},
    {m::fixed, 3, 0, top48, true},
    {m::capabilities, 1, 0x64C0, 0, false},
    {m::fixed_ctrl, 1, 0, 0x111'0000'0FFF, true},
    {m::status, 1, 0, 0, false},
    {m::ctrl, 1, 0xF, all_counters, true},
    {m::ovf, 1, 0, all_counters | std::uint64_t{3} << 62, false},
    {m::pebs_enable, 1, 0, all_counters, true},
    {m::pebs_config, 1, 0, 0xFF00'000F, true},
    {m::a_pmc, 4, 0, top48, true},
    // Each bit alone makes a canonical address, but for bits 47 to 62.
    {m::ds_area, 1, 0, top48 >> 1 | std::uint64_t{0x8000} << 48, false},
};

TEST(perfmon_registers, reset_values) {
    perfmon_bench b;
    for (const rule& r : rules)
        for (std::uint32_t n = 0; n < r.count; ++n)
            for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(b.read(r.first + n, t), r.reset);
    // Everything differs, then a reset.
    for (const rule& r : rules)
        if (r.writable != 0) b.write(r.first, r.writable, 2);
    b.tick(10);
    b.registers.reset();
    for (const rule& r : rules) EXPECT_EQ(b.read(r.first, 2), r.reset) << std::hex << r.first;
}

TEST(perfmon_registers, each_bit) {
    for (const auto mode : {pmu::reserved_bits::gp, pmu::reserved_bits::ignore}) {
        pmu::parameters p = perfmon_parameters();
        p.reserved_bits = mode;
        perfmon_bench b(p);
        for (const rule& r : rules) {
            for (unsigned bit = 0; bit < 64 * r.count; ++bit) {
                const std::uint32_t address = r.first + bit / 64;
                const std::uint64_t value = std::uint64_t{1} << bit % 64;
                const bool exists = (r.writable & value) != 0;
                if (r.kept) {
                    ASSERT_TRUE(b.write(address, 0));
                }
                const bool accepted =
                    r.first == m::ds_area
                        ? bit < 47
                        : exists || (mode == pmu::reserved_bits::ignore && r.first != m::status &&
                                     r.first != m::capabilities);
                EXPECT_EQ(b.write(address, value), accepted) << std::hex << address << ' ' << value;
                if (r.kept) {
                    EXPECT_EQ(b.read(address), exists ? value : 0);
                }
            }
            if (r.kept) continue;
            if (r.first == m::misc || r.first == m::capabilities) {
                EXPECT_EQ(b.read(r.first), r.reset);
            }
        }
    }
}

TEST(perfmon_registers, a_refused_write_changes_nothing) {
    perfmon_bench b;
    ASSERT_TRUE(b.write(m::ctrl, 5));
    EXPECT_FALSE(b.write(m::ctrl, 0x15));
    EXPECT_EQ(b.read(m::ctrl), 5u);
    ASSERT_TRUE(b.write(m::a_pmc, 7));
    EXPECT_FALSE(b.write(m::a_pmc, 0xffff'ff01'2345'6789));
    EXPECT_EQ(b.read(m::pmc), 7u);
}

TEST(perfmon_registers, banked_by_thread) {
    perfmon_bench b;
    b.write(m::evtsel + 3, 0x12, 1);
    EXPECT_EQ(b.read(m::evtsel + 3, 1), 0x12u);
    EXPECT_EQ(b.read(m::evtsel + 3, 0), 0u);
    EXPECT_EQ(b.read(m::evtsel + 2, 1), 0u);
}

TEST(perfmon_registers, no_others) {
    perfmon_bench b;
    // Knights Corner's; the neighbours; load latency, front-end PEBS.
    for (const std::uint32_t address :
         {0x20u,  0x21u,  0x28u,  0x29u,  0x2Cu,  0x2Du,  0x2Eu,  0x2Fu,
          0xC0u,  0xC5u,  0x185u, 0x18Au, 0x308u, 0x30Cu, 0x391u, 0x392u,
          0x3F0u, 0x3F3u, 0x3F6u, 0x3F7u, 0x4C0u, 0x4C5u, 0x601u}) {
        std::uint64_t value = 0;
        EXPECT_FALSE(b.registers.read(0, address, value)) << std::hex << address;
        EXPECT_FALSE(b.write(address, 0)) << std::hex << address;
    }
}

TEST(perfmon_registers, a_card_of_knights_corner_has_none_of_them) {
    bench b;
    for (const rule& r : rules) {
        std::uint64_t value = 0;
        EXPECT_FALSE(b.registers.read(0, r.first, value)) << std::hex << r.first;
        EXPECT_FALSE(b.write(r.first, 0)) << std::hex << r.first;
    }
}

TEST(perfmon_registers, narrow_and_full_writes) {
    perfmon_bench b;
    for (unsigned n = 0; n < 4; ++n) {
        ASSERT_TRUE(b.write(m::pmc + n, 0xff01'2345'6789));
        EXPECT_EQ(b.read(m::pmc + n), 0x2345'6789u);
        // Bit 31 goes to 47:32, whatever stands in 63:32.
        ASSERT_TRUE(b.write(m::pmc + n, 0x1234'5678'8000'0001));
        EXPECT_EQ(b.read(m::pmc + n), 0xffff'8000'0001u);
        ASSERT_TRUE(b.write(m::a_pmc + n, 0xff01'2345'6789));
        EXPECT_EQ(b.read(m::pmc + n), 0xff01'2345'6789u);
        EXPECT_EQ(b.read(m::a_pmc + n), 0xff01'2345'6789u);
    }
    EXPECT_EQ(b.read(m::status), 0u);
}

TEST(perfmon_registers, without_full_width) {
    pmu::parameters p = perfmon_parameters();
    p.perfmon.full_width = false;
    perfmon_bench b(p);
    std::uint64_t value = 0;
    EXPECT_FALSE(b.registers.read(0, m::a_pmc, value));
    EXPECT_FALSE(b.write(m::a_pmc, 0));
    EXPECT_EQ(b.read(m::capabilities), 0x44C0u);
    EXPECT_TRUE(b.write(m::pmc, 1));
}

TEST(perfmon_registers, without_pebs) {
    pmu::parameters p = perfmon_parameters();
    p.perfmon.pebs = false;
    perfmon_bench b(p);
    std::uint64_t value = 0;
    for (const std::uint32_t address : {m::pebs_enable, m::pebs_config, m::ds_area}) {
        EXPECT_FALSE(b.registers.read(0, address, value));
        EXPECT_FALSE(b.write(address, 0));
    }
    EXPECT_EQ(b.read(m::capabilities), 0x2000u);
    EXPECT_EQ(b.read(m::misc), 0x1881u);
    EXPECT_FALSE(b.write(m::evtsel, std::uint64_t{1} << 34));
    EXPECT_FALSE(b.write(m::fixed_ctrl, std::uint64_t{1} << 32));
    EXPECT_TRUE(b.write(m::debugctl, 2));
}

TEST(perfmon_registers, the_area_is_canonical) {
    perfmon_bench b;
    for (const std::uint64_t v : {std::uint64_t{0xffff'8000'0000'0000}, top48 >> 1}) {
        EXPECT_TRUE(b.write(m::ds_area, v));
        EXPECT_EQ(b.read(m::ds_area), v);
    }
    EXPECT_FALSE(b.write(m::ds_area, std::uint64_t{1} << 47));
    EXPECT_EQ(b.read(m::ds_area), top48 >> 1);
}

TEST(perfmon_registers, version_2_has_no_any_bits) {
    pmu::parameters p = perfmon_parameters();
    p.perfmon.version = 2;
    perfmon_bench b(p);
    EXPECT_FALSE(b.write(m::evtsel, any));
    EXPECT_TRUE(b.write(m::evtsel, ~any & 0xFFFF'FFFF));
    for (const std::uint64_t bit : {0x4u, 0x40u, 0x400u}) EXPECT_FALSE(b.write(m::fixed_ctrl, bit));
    EXPECT_TRUE(b.write(m::fixed_ctrl, 0xBBB));
}

TEST(perfmon_registers, rdpmc) {
    for (const auto fast : {pmu::rdpmc_fast::gp, pmu::rdpmc_fast::low32}) {
        pmu::parameters p = perfmon_parameters();
        p.perfmon.rdpmc_fast = fast;
        perfmon_bench b(p);
        for (unsigned n = 0; n < 4; ++n) b.write(m::a_pmc + n, 0xff01'2345'6780 + n);
        for (unsigned n = 0; n < 3; ++n) b.write(m::fixed + n, 0xff02'2345'6780 + n);
        std::uint64_t value = 0;
        for (std::uint32_t n = 0; n < 4; ++n) {
            ASSERT_TRUE(b.registers.rdpmc(0, n, value));
            EXPECT_EQ(value, 0xff01'2345'6780 + n);
            ASSERT_EQ(b.registers.rdpmc(0, 0x8000'0000 | n, value), fast == pmu::rdpmc_fast::low32);
            if (fast == pmu::rdpmc_fast::low32) {
                EXPECT_EQ(value, 0x2345'6780u + n);
            }
        }
        for (std::uint32_t n = 0; n < 3; ++n) {
            ASSERT_TRUE(b.registers.rdpmc(0, 0x4000'0000 | n, value));
            EXPECT_EQ(value, 0xff02'2345'6780 + n);
        }
        for (const std::uint32_t index : {4u, 64u, 0x2000'0000u, 0x4000'0003u, 0x4000'0040u,
                                          0x8000'0004u, 0xC000'0003u, 0xFFFF'FFFFu})
            EXPECT_FALSE(b.registers.rdpmc(0, index, value)) << std::hex << index;
    }
}

TEST(perfmon_registers, time_stamp_counter) {
    perfmon_bench b;
    b.tick(100);
    EXPECT_EQ(b.read(0x10, 3), 100u);
    b.write(0x10, 5000, 1);
    b.tick(10);
    EXPECT_EQ(b.read(0x10, 0), 5010u);
    EXPECT_EQ(b.registers.tsc(b.counters.settled() + 5), 5015u);
}

TEST(perfmon_registers, checkpoint) {
    perfmon_bench a, b;
    a.arm(retired | os | intr, top48 - 9, 3, 1);
    a.arm_fixed(1, 1, 500, 1);
    a.write(m::debugctl, 0x1000, 1);
    a.raise(1, base::instructions_executed, 2);
    base::memory_writer w;
    w(a.ledger.counts, a.ledger.at, a.registers);
    a.counters.serialize(w);
    base::memory_reader r(w.content());
    r(b.ledger.counts, b.ledger.at, b.registers);
    b.counters.serialize(r);
    EXPECT_TRUE(r.left().empty());
    for (const rule& x : rules)
        for (std::uint32_t n = 0; n < x.count; ++n)
            EXPECT_EQ(b.read(x.first + n, 1), a.read(x.first + n, 1)) << std::hex << x.first;
    // 2 of 10 are counted, 8 more overflow it, and the PMI stops all.
    for (int n = 0; n < 4; ++n) b.raise(1, base::instructions_executed, 2);
    EXPECT_EQ(b.read(m::status, 1), 8u);
    EXPECT_EQ(b.read(m::ctrl, 1), 0u);
    EXPECT_EQ(b.record.seen, (pmis{{1, 5}}));
}

}  // namespace
}  // namespace pmu_test

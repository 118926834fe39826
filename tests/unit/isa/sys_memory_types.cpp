// Memory types: MTRRs, PAT, CR0.CD, and what uncacheable memory costs in events.

#include <gtest/gtest.h>

#include <knc/isa/memory_type.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr memory_type uc = memory_type::uncacheable, wc = memory_type::write_combining,
                      wt = memory_type::write_through, wp = memory_type::write_protected,
                      wb = memory_type::write_back, ucm = memory_type::uncached;

TEST(sys_memory_types, both_sources_combine_as_in_table_11_7) {
    struct row {
        memory_type range, page, effective;
    };
    const row rows[] = {
        {uc, uc, uc}, {uc, ucm, uc}, {uc, wc, wc}, {uc, wt, uc}, {uc, wb, uc}, {uc, wp, uc},
        {wc, uc, uc}, {wc, ucm, wc}, {wc, wc, wc}, {wc, wt, uc}, {wc, wb, wc}, {wc, wp, uc},
        {wt, uc, uc}, {wt, ucm, uc}, {wt, wc, wc}, {wt, wt, wt}, {wt, wb, wt}, {wt, wp, wp},
        {wb, uc, uc}, {wb, ucm, uc}, {wb, wc, wc}, {wb, wt, wt}, {wb, wb, wb}, {wb, wp, wp},
        {wp, uc, uc}, {wp, ucm, wc}, {wp, wc, wc}, {wp, wt, wt}, {wp, wb, wp}, {wp, wp, wp},
    };
    for (const row& x : rows) {
        EXPECT_EQ(effective_type(x.range, x.page), x.effective)
            << static_cast<int>(x.range) << ' ' << static_cast<int>(x.page);
    }
}

std::uint64_t code(memory_type t) {
    return static_cast<std::uint64_t>(t);
}

TEST(sys_memory_types, ranges) {
    memory_type_registers r;
    r.default_type = code(wb);
    EXPECT_EQ(range_type(r, 0x1234'5000), uc);  // all MTRRs are off
    r.default_type |= ranges_enabled;
    EXPECT_EQ(range_type(r, 0x1234'5000), wb);
    r.base[3] = 0x4000'0000 | code(wt);
    r.mask[3] = range_mask(0x1000'0000);  // not valid
    EXPECT_EQ(range_mask(0x1000'0000), 0xff'f000'0000u);
    EXPECT_EQ(range_type(r, 0x4000'0000), wb);
    r.mask[3] |= range_valid;
    EXPECT_EQ(range_type(r, 0x4000'0000), wt);
    EXPECT_EQ(range_type(r, 0x4fff'ffff), wt);
    EXPECT_EQ(range_type(r, 0x5000'0000), wb);
    EXPECT_EQ(range_type(r, 0x3fff'ffff), wb);
    EXPECT_EQ(range_type(r, 0x1'4000'0000), wb);
    // Overlaps within it: UC wins, WT wins over WB, another mixture is taken as UC.
    r.base[5] = 0x4100'0000 | code(wb);
    r.mask[5] = range_mask(0x100'0000) | range_valid;
    r.base[6] = 0x4200'0000 | code(uc);
    r.mask[6] = range_mask(0x100'0000) | range_valid;
    r.base[7] = 0x4300'0000 | code(wp);
    r.mask[7] = range_mask(0x100'0000) | range_valid;
    EXPECT_EQ(range_type(r, 0x4100'0000), wt);
    EXPECT_EQ(range_type(r, 0x4200'0000), uc);
    EXPECT_EQ(range_type(r, 0x4300'0000), uc);
    EXPECT_EQ(range_type(r, 0x4400'0000), wt);
}

TEST(sys_memory_types, fixed_ranges) {
    struct row {
        std::uint64_t paddr;
        unsigned register_number, byte;
    };
    const row rows[] = {
        {0x0'0000, 0, 0}, {0x0'ffff, 0, 0}, {0x1'0000, 0, 1},  {0x7'ffff, 0, 7},  // 64 KB
        {0x8'0000, 1, 0}, {0x8'4000, 1, 1}, {0x9'ffff, 1, 7},  {0xa'0000, 2, 0},  // 16 KB
        {0xb'ffff, 2, 7}, {0xc'0000, 3, 0}, {0xc'1000, 3, 1},  {0xc'7fff, 3, 7},  // 4 KB
        {0xc'8000, 4, 0}, {0xf'0000, 9, 0}, {0xf'8000, 10, 0}, {0xf'ffff, 10, 7},
    };
    for (const row& x : rows) {
        memory_type_registers r;
        r.default_type = code(wb) | ranges_enabled | fixed_ranges_enabled;
        r.fixed[x.register_number] = code(wp) << 8 * x.byte;
        EXPECT_EQ(range_type(r, x.paddr), wp) << std::hex << x.paddr;
        EXPECT_EQ(range_type(r, x.paddr ^ 0x10'0000), wb);  // 1 MB on
        r.default_type &= ~fixed_ranges_enabled;
        EXPECT_EQ(range_type(r, x.paddr), wb);
    }
}

TEST(sys_memory_types, reset_is_all_uncacheable_and_boot_code_makes_memory_write_back) {
    state s;
    reset(s);
    EXPECT_EQ(s.memory_types.pat, 0x0007'0406'0007'0406u);
    EXPECT_EQ(s.memory_types.default_type, 0u);
    EXPECT_FALSE(cacheable(access_type(s, 0x1000, 0)));
    s.cr0 &= ~cr0_cd;
    EXPECT_FALSE(cacheable(access_type(s, 0x1000, 0)));  // MTRRs are off
    reset(s);
    enable_caches(s);
    EXPECT_EQ(s.cr0 & (cr0_cd | cr0_nw), 0u);
    EXPECT_TRUE(cacheable(access_type(s, 0x1000, -1)));
    EXPECT_TRUE(cacheable(access_type(s, 0xfedf'ffff, -1)));
    EXPECT_FALSE(cacheable(access_type(s, 0xfee0'0000, -1)));  // the hole, to 4 GB
    EXPECT_FALSE(cacheable(access_type(s, 0xfeff'ffff, -1)));
    EXPECT_FALSE(cacheable(access_type(s, 0xff00'0000, -1)));
    EXPECT_FALSE(cacheable(access_type(s, 0xffff'ffff, -1)));
    EXPECT_TRUE(cacheable(access_type(s, 0x1'0000'0000, -1)));
    s.cr0 |= cr0_cd;
    EXPECT_FALSE(cacheable(access_type(s, 0x1000, -1)));
    init(s);  // keeps all of it, CR0.CD too
    EXPECT_EQ(s.memory_types.default_type, 6u | ranges_enabled);
    EXPECT_NE(s.cr0 & cr0_cd, 0u);
}

// Entries 0-7 of the PAT at reset: WB, WT, UC-, UC, twice.
TEST(sys_memory_types, page_tables_select_pat_entries) {
    constexpr std::uint64_t small_table = 0x14000;
    for (const bool large : {true, false}) {
        for (unsigned n = 0; n < 8; ++n) {
            sys_machine k;
            k.enter_long_mode();
            // Entry n only is WB.
            k.c.s.memory_types.pat = code(wb) << 8 * n;
            for (unsigned selected = 0; selected < 8; ++selected) {
                const std::uint64_t bits =
                    (selected & 1) << 3 | (selected & 2) << 3 | (selected & 4) << (large ? 10 : 5);
                if (large) {
                    k.put<std::uint64_t>(tables_at + 0x2008, 0x20'0087 | bits);
                } else {
                    k.put<std::uint64_t>(tables_at + 0x2008, small_table | 7);
                    k.put<std::uint64_t>(small_table + 8, 0x20'1007 | bits);
                }
                k.c.flush_translations();
                translation t;
                ASSERT_TRUE(k.c.translate(0x20'1000, access_kind::read, false, t));
                EXPECT_EQ(t.cacheable, selected == n) << large << ' ' << n << ' ' << selected;
            }
        }
    }
}

// In long mode with the second 2 MB page UC by its PCD and PWT.
void uncache_second_page(sys_machine& k) {
    k.enter_long_mode();
    k.put<std::uint64_t>(tables_at + 0x2008, 0x20'0087 | 0x18);
    k.c.flush_translations();
}

TEST(sys_memory_types, events_of_uncacheable_memory) {
    sys_machine k;
    uncache_second_page(k);
    std::uint32_t v = 0;
    // The page is not remembered: each access misses.
    for (unsigned n = 1; n <= 3; ++n) {
        ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));
        EXPECT_EQ(k.events[base::data_read], n);
        EXPECT_EQ(k.events[base::data_read_miss], n);
        EXPECT_EQ(k.events[base::data_read_miss_or_write_miss], n);
        EXPECT_EQ(k.c.uncached, n);
    }
    EXPECT_TRUE(k.c.unusual);
    // DATA_WRITE_MISS leaves UC writes out.
    ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x20'0000, 5));
    EXPECT_EQ(k.events[base::data_write], 1u);
    EXPECT_EQ(k.events[base::data_write_miss], 0u);
    EXPECT_EQ(k.events[base::data_read_miss], 3u);
    EXPECT_EQ(k.events[base::data_read_miss_or_write_miss], 4u);
    // A read-modify-write is both; the data is what memory holds.
    k.c.s.r[rbx] = 0x20'0000;
    ASSERT_EQ(k.run({0xff, 0x03}), status::ok);  // inc dword [rbx]
    EXPECT_EQ(k.get<std::uint32_t>(0x20'0000), 6u);
    EXPECT_EQ(k.events[base::data_read_miss], 4u);
    EXPECT_EQ(k.events[base::data_read_miss_or_write_miss], 6u);
    // Write-back memory beside it does not miss.
    k.c.uncached = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 4u);
    EXPECT_EQ(k.c.uncached, 0u);
}

TEST(sys_memory_types, an_access_across_two_types_counts_the_uncacheable_lines) {
    sys_machine k;
    uncache_second_page(k);
    std::uint8_t block[200];
    ASSERT_TRUE(k.c.read(ds, 0x20'0000 - 100, sizeof block, block));
    EXPECT_EQ(k.events[base::data_read], 4u);       // bytes -100..99: lines -2, -1, 0, 1
    EXPECT_EQ(k.events[base::data_read_miss], 2u);  // the upper two
    EXPECT_EQ(k.c.uncached, 2u);
}

TEST(sys_memory_types, devices_miss_too_but_their_time_is_their_own) {
    sys_machine k;
    k.enter_protected_mode();
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x8000'0000, v));  // write-back by its MTRR; nothing there is cached
    ASSERT_TRUE(k.c.store(ds, 0x8000'0000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 1u);
    EXPECT_EQ(k.events[base::data_read_miss_or_write_miss], 2u);
    EXPECT_EQ(k.c.uncached, 0u);
    k.device_blocks = 1;
    EXPECT_FALSE(k.c.load(ds, 0x8000'0000, v));  // counts when it completes
    EXPECT_EQ(k.events[base::data_read_miss], 1u);
}

TEST(sys_memory_types, msr_writes_take_effect_at_once) {
    const auto wrmsr = [](sys_machine& k, std::uint32_t number, std::uint64_t value) {
        k.c.s.r[rcx] = number;
        k.c.s.r[rax] = value & 0xffff'ffff;
        k.c.s.r[rdx] = value >> 32;
        return k.run({0x0f, 0x30});
    };
    sys_machine k;
    k.enter_protected_mode();
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 0u);
    ASSERT_EQ(wrmsr(k, 0x204, 0x20'0000), status::ok);  // base 2: UC
    ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));            // remembered again
    ASSERT_EQ(wrmsr(k, 0x205, range_mask(4096) | range_valid), status::ok);
    ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 1u);
    ASSERT_TRUE(k.c.load(ds, 0x20'1000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 1u);
    ASSERT_EQ(wrmsr(k, 0x205, 0), status::ok);
    ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 1u);
    ASSERT_EQ(wrmsr(k, 0x2ff, 6), status::ok);  // all MTRRs off
    ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 2u);
    ASSERT_EQ(wrmsr(k, 0x2ff, 6 | ranges_enabled), status::ok);
    k.c.s.r[rax] = k.c.s.cr0 | cr0_cd;
    ASSERT_EQ(k.run({0x0f, 0x22, 0xc0}), status::ok);  // mov cr0, eax
    ASSERT_TRUE(k.c.load(ds, 0x20'0000, v));
    EXPECT_EQ(k.events[base::data_read_miss], 3u);
}

TEST(sys_memory_types, instruction_fetch_knows_the_type) {
    sys_machine k;
    uncache_second_page(k);
    std::uint8_t bytes[15];
    std::uint64_t paddr = 0;
    EXPECT_EQ(k.c.fetch(0x20'0000 - 8, 15, bytes, paddr), 15u);
    EXPECT_TRUE(k.c.code_cacheable);
    EXPECT_EQ(k.c.fetch(0x20'0000, 15, bytes, paddr), 15u);
    EXPECT_FALSE(k.c.code_cacheable);
}

}  // namespace
}  // namespace knc::isa::test

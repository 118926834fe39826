// Loads and stores: page boundaries, the fast path, devices, alignment, code pages, data
// events, instruction fetch.

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

// Page tables of 4 KB pages for the first 2 MB in long mode.
constexpr std::uint64_t table_at = 0x14000;

void map_small_pages(sys_machine& k) {
    for (unsigned n = 0; n < 512; ++n) k.put<std::uint64_t>(table_at + 8 * n, n << 12 | 7);
    k.put<std::uint64_t>(tables_at + 0x2000, table_at | 7);
    k.c.flush_translations();
}
std::uint64_t pte_at(std::uint64_t la) {
    return table_at + 8 * (la >> 12);
}

TEST(sys_access, load_and_store_through_the_front) {
    sys_machine k;
    k.enter_long_mode(3);
    std::uint32_t v = 0;
    for (int n = 0; n < 3; ++n) {  // the first misses the fast path, the others hit
        ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x5000, 0x1234'5678u + n));
        ASSERT_TRUE(k.c.load(ds, 0x5000, v));
        EXPECT_EQ(v, 0x1234'5678u + n);
        EXPECT_EQ(k.get<std::uint32_t>(0x5000), 0x1234'5678u + n);
    }
    EXPECT_EQ(k.events[base::data_read], 3u);
    EXPECT_EQ(k.events[base::data_write], 3u);
}

TEST(sys_access, events_count_lines_touched) {
    sys_machine k;
    k.enter_long_mode();
    std::uint64_t v = 0;
    k.c.load(ds, 0x5038, v);  // bytes 56..63 of a line: one line
    EXPECT_EQ(k.events[base::data_read], 1u);
    for (int n = 0; n < 2; ++n) k.c.load(ds, 0x503c, v);  // bytes 60..67: two lines, slow and fast
    EXPECT_EQ(k.events[base::data_read], 5u);
    std::uint8_t block[512];
    k.c.read(ds, 0x5010, sizeof block, block);  // bytes 16..527: lines 0..8
    EXPECT_EQ(k.events[base::data_read], 14u);
    EXPECT_FALSE(k.c.load(ds, 0x40'0000, v));  // not mapped: not committed
    EXPECT_EQ(k.events[base::data_read], 14u);
}

TEST(sys_access, write_to_a_clean_page_sets_dirty_after_a_read_was_remembered) {
    sys_machine k;
    k.enter_long_mode();
    map_small_pages(k);
    std::uint8_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    EXPECT_EQ(k.get<std::uint64_t>(pte_at(0x5000)) & 0x60, 0x20u);
    ASSERT_TRUE(k.c.store<std::uint8_t>(ds, 0x5000, 1));
    EXPECT_EQ(k.get<std::uint64_t>(pte_at(0x5000)) & 0x60, 0x60u);
}

TEST(sys_access, stale_translation_lives_until_invlpg) {
    sys_machine k;
    k.enter_long_mode();
    map_small_pages(k);
    k.put<std::uint8_t>(0x5000, 0x55);
    k.put<std::uint8_t>(0x6000, 0x66);
    std::uint8_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    ASSERT_TRUE(k.c.store<std::uint8_t>(ds, 0x5001, 1));
    k.put<std::uint64_t>(pte_at(0x5000), 0x6000 | 7);
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    EXPECT_EQ(v, 0x55);  // still the old page
    k.c.s.r[rax] = 0x5fff;
    ASSERT_EQ(k.run({0x0f, 0x01, 0x38}), status::ok);  // invlpg [rax]
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    EXPECT_EQ(v, 0x66);
    ASSERT_TRUE(k.c.store<std::uint8_t>(ds, 0x5001, 2));
    EXPECT_EQ(k.get<std::uint8_t>(0x6001), 2);
}

TEST(sys_access, invlpg_forgets_a_whole_large_page) {
    sys_machine k;
    k.enter_long_mode();
    std::uint8_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    k.put<std::uint64_t>(tables_at + 0x2000, 0);
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    k.c.s.r[rax] = 0x1f'f000;  // the other end of the same 2 MB page
    ASSERT_EQ(k.run({0x0f, 0x01, 0x38}), status::ok);
    EXPECT_FALSE(k.c.load(ds, 0x5000, v));
}

// 64 large pages whose lines share the slots of the fast path: loads and stores succeed in those
// that are mapped, and in no other, however the pages come and go.
TEST(sys_access, a_large_page_that_ends_leaves_no_line) {
    constexpr unsigned pages = 64;
    constexpr std::uint64_t page_bytes = 1u << 21, present = 0x87;
    sys_machine k;
    k.enter_long_mode();
    const auto entry_at = [](unsigned page) { return tables_at + 0x2000 + 8 * page; };
    std::vector<bool> mapped(pages, true);
    for (unsigned page = 0; page < pages; ++page) k.put<std::uint64_t>(entry_at(page), present);
    k.c.flush_translations();
    std::mt19937 g(20260101);
    for (int step = 0; step < 200'000; ++step) {
        const unsigned page = g() % pages;
        if (g() % 16 == 0) {
            mapped[page] = !mapped[page];
            k.put<std::uint64_t>(entry_at(page), mapped[page] ? present : 0);
            if (!mapped[page])
                k.c.flush_translation(page * page_bytes + g() % page_bytes, page_bytes);
            continue;
        }
        // 16 lines, so that many of them are in the fast path.
        const std::uint64_t la = page * page_bytes + 0x5000 + g() % 16 * 64;
        std::uint8_t v = 0;
        const bool store = g() % 2 != 0;
        ASSERT_EQ(store ? k.c.store(ds, la, v) : k.c.load(ds, la, v), mapped[page])
            << "step " << step << ", page " << page;
    }
}

// Writes to CR0, CR3, CR4 and EFER forget translations.
TEST(sys_access, control_register_writes_forget_translations) {
    const std::initializer_list<std::uint8_t> writes[] = {
        {0x0f, 0x22, 0xc0}, {0x0f, 0x22, 0xd8}, {0x0f, 0x22, 0xe0}, {0x0f, 0x30}};
    unsigned which = 0;
    for (const auto& bytes : writes) {
        sys_machine k;
        k.enter_long_mode();
        map_small_pages(k);
        std::uint8_t v = 0;
        ASSERT_TRUE(k.c.load(ds, 0x5000, v));
        k.put<std::uint64_t>(pte_at(0x5000), 0);
        const std::uint64_t values[] = {k.c.s.cr0, k.c.s.cr3, k.c.s.cr4, k.c.s.efer};
        k.c.s.r[rax] = values[which];
        k.c.s.r[rcx] = 0xc000'0080;
        k.c.s.r[rdx] = 0;
        ASSERT_EQ(k.run(bytes), status::ok);
        EXPECT_FALSE(k.c.load(ds, 0x5000, v)) << which;
        ++which;
    }
}

TEST(sys_access, privileges_have_their_own_translations) {
    sys_machine k;
    k.enter_long_mode();
    map_small_pages(k);
    k.put<std::uint64_t>(pte_at(0x5000), 0x5000 | 3);  // supervisor only
    std::uint8_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    k.set_cpl(3);
    EXPECT_FALSE(k.c.load(ds, 0x5000, v));
    EXPECT_EQ(k.c.fault.error, 5u);
    k.set_cpl(0);
    EXPECT_TRUE(k.c.load(ds, 0x5000, v));
}

TEST(sys_access, page_boundary_faults_before_anything_is_written) {
    sys_machine k;
    k.enter_long_mode();
    map_small_pages(k);
    k.put<std::uint64_t>(pte_at(0x6000), 0x6000 | 5);  // read only
    k.put<std::uint32_t>(0x5ffc, 0);
    ASSERT_FALSE(k.c.store<std::uint64_t>(ds, 0x5ffc, ~0ull));
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    EXPECT_EQ(k.c.fault.error, 3u);
    EXPECT_EQ(k.c.fault.address, 0x6000u);  // the first byte that is refused
    EXPECT_EQ(k.get<std::uint32_t>(0x5ffc), 0u);
    EXPECT_EQ(k.events[base::data_write], 0u);
    k.put<std::uint64_t>(pte_at(0x6000), 0x7000 | 7);
    ASSERT_TRUE(k.c.store<std::uint64_t>(ds, 0x5ffc, 0x1122'3344'5566'7788));
    EXPECT_EQ(k.get<std::uint32_t>(0x5ffc), 0x5566'7788u);
    EXPECT_EQ(k.get<std::uint32_t>(0x7000), 0x1122'3344u);
}

TEST(sys_access, load_for_update_needs_the_rights_of_the_store) {
    sys_machine k;
    k.enter_long_mode();
    map_small_pages(k);
    k.put<std::uint64_t>(pte_at(0x5000), 0x5000 | 5);
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    ASSERT_FALSE(k.c.load_for_update(ds, 0x5000, v));
    EXPECT_EQ(k.c.fault.error, 3u);  // as a write
    EXPECT_FALSE(k.c.check_write(ds, 0x5000, 4));
    k.put<std::uint64_t>(pte_at(0x5000), 0x5000 | 7);
    EXPECT_TRUE(k.c.check_write(ds, 0x5000, 4));
    EXPECT_TRUE(k.c.load_for_update(ds, 0x5000, v));
    EXPECT_EQ(k.events[base::data_read], 2u);
    EXPECT_EQ(k.events[base::data_write], 0u);
}

TEST(sys_access, writes_to_code_are_announced_and_never_remembered) {
    sys_machine k;
    k.enter_long_mode();
    k.code_pages.insert(5);
    for (int n = 0; n < 2; ++n) ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x5ffe, 0));
    // Bytes 5ffe and 5fff are in the page of code, the other two are not.
    ASSERT_EQ(k.code_writes.size(), 2u);
    EXPECT_EQ(k.code_writes[0], (std::pair<std::uint64_t, unsigned>{0x5ffe, 2}));
    for (int n = 0; n < 2; ++n) ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x5000, 0));
    EXPECT_EQ(k.code_writes.size(), 4u);
    // A page that becomes code after it was written.
    ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x7000, 0));
    k.code_pages.insert(7);
    k.c.forget_writes_to(0x7000, k.page(0x7000));
    ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x7010, 0));
    ASSERT_EQ(k.code_writes.size(), 5u);
    EXPECT_EQ(k.code_writes[4], (std::pair<std::uint64_t, unsigned>{0x7010, 4}));
}

TEST(sys_access, devices_block_and_are_asked_again) {
    sys_machine k;
    k.enter_protected_mode();
    k.device_value = 0x8877'6655'4433'2211;
    k.device_blocks = 1;
    std::uint32_t v = 0;
    EXPECT_FALSE(k.c.load(ds, 0xfee0'0020, v));
    EXPECT_EQ(k.c.failure, status::blocked);
    EXPECT_EQ(k.events[base::data_read], 0u);
    EXPECT_TRUE(k.c.load(ds, 0xfee0'0020, v));
    EXPECT_EQ(v, 0x4433'2211u);
    EXPECT_TRUE(k.c.store<std::uint16_t>(ds, 0xfee0'0021, 0xabcd));
    ASSERT_EQ(k.device_log.size(), 2u);
    EXPECT_FALSE(k.device_log[0].write);
    EXPECT_EQ(k.device_log[0].size, 4u);
    EXPECT_TRUE(k.device_log[1].write);
    EXPECT_EQ(k.device_log[1].paddr, 0xfee0'0021u);
    EXPECT_EQ(k.device_log[1].data, 0xabcdu);
    EXPECT_EQ(k.events[base::data_read], 1u);
    EXPECT_EQ(k.events[base::data_write], 1u);
}

TEST(sys_access, a_blocked_device_keeps_the_ram_half_unwritten) {
    sys_machine k;
    k.enter_protected_mode();
    k.device_blocks = 1;
    const std::uint64_t end = ram_size - 4;  // half of the access is the last word of RAM
    EXPECT_FALSE(k.c.store<std::uint64_t>(ds, end, 0x1122'3344'5566'7788));
    EXPECT_EQ(k.get<std::uint32_t>(end), 0u);
    EXPECT_TRUE(k.c.store<std::uint64_t>(ds, end, 0x1122'3344'5566'7788));
    EXPECT_EQ(k.get<std::uint32_t>(end), 0x5566'7788u);
    ASSERT_EQ(k.device_log.size(), 1u);
    EXPECT_EQ(k.device_log[0].data, 0x1122'3344u);
}

TEST(sys_access, alignment_checks) {
    sys_machine k;
    k.enter_long_mode(3);
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x5001, v));  // remembered, and not to be used once checks are on
    k.c.s.cr0 |= cr0_am;
    k.c.s.eflags |= flag_ac;
    k.c.update_mode();
    EXPECT_FALSE(k.c.load(ds, 0x5001, v));
    EXPECT_EQ(k.c.fault.vector, vector_ac);
    EXPECT_TRUE(k.c.fault.has_error);
    EXPECT_EQ(k.c.fault.error, 0u);
    EXPECT_TRUE(k.c.load(ds, 0x5004, v));
    EXPECT_FALSE(k.c.store<std::uint16_t>(ds, 0x5001, 0));
    std::uint64_t wide = 0;
    EXPECT_FALSE(k.c.load(ds, 0x5004, wide));
    std::uint8_t byte = 0;
    EXPECT_TRUE(k.c.load(ds, 0x5001, byte));
    EXPECT_FALSE(k.c.load(ds, 0x40'0001, v));  // the page fault comes first
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    k.set_cpl(0);  // level 3 only
    EXPECT_TRUE(k.c.load(ds, 0x5001, v));
}

TEST(sys_access, fetch_stops_where_the_next_page_faults) {
    sys_machine k;
    k.enter_long_mode(3);
    map_small_pages(k);
    for (unsigned n = 0; n < 16; ++n) k.put<std::uint8_t>(0x5ff8 + n, static_cast<std::uint8_t>(n));
    std::uint8_t bytes[15];
    std::uint64_t paddr = 0;
    EXPECT_EQ(k.c.fetch(0x5ff8, 15, bytes, paddr), 15u);
    EXPECT_EQ(paddr, 0x5ff8u);
    EXPECT_EQ(bytes[14], 14);
    k.put<std::uint64_t>(pte_at(0x6000), 0x6000 | 7 | 1ull << 63);  // no execution
    EXPECT_EQ(k.c.fetch(0x5ff8, 15, bytes, paddr), 8u);
    EXPECT_EQ(k.c.fetch(0x6000, 15, bytes, paddr), 0u);
    EXPECT_EQ(k.c.failure, status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    EXPECT_EQ(k.c.fault.error, 0x15u);  // present, user, instruction fetch
    EXPECT_EQ(k.c.fault.address, 0x6000u);
    EXPECT_EQ(k.c.fetch(0x7fff'ffff'fffe, 15, bytes, paddr), 0u);  // not mapped
    EXPECT_EQ(k.c.fetch(0x8000'0000'0000, 15, bytes, paddr), 0u);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
}

TEST(sys_access, fetch_ends_at_the_limit_and_reads_ones_outside_ram) {
    sys_machine k;
    k.enter_protected_mode();
    k.c.s.seg[cs].limit = 0x5003;
    std::uint8_t bytes[15];
    std::uint64_t paddr = 0;
    EXPECT_EQ(k.c.fetch(0x5000, 15, bytes, paddr), 4u);
    EXPECT_EQ(k.c.fetch(0x5004, 15, bytes, paddr), 0u);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
    k.c.s.seg[cs].limit = ~0u;
    EXPECT_EQ(k.c.fetch(0xf000'0000, 15, bytes, paddr), 15u);
    EXPECT_EQ(bytes[0], 0xff);
    EXPECT_EQ(bytes[14], 0xff);
}

}  // namespace
}  // namespace knc::isa::test

// Translations of a thread with TLBs: how many table entries are read, how long what is held stays
// in use, what a blocked walk leaves behind.
#include <knc/core/tlb.h>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <support/isa_machine.h>

namespace knc::core::test {
namespace {

using isa::access_kind;

constexpr std::uint64_t p = 1, w = 2, u = 4, accessed = 0x20, dirty = 0x40, ps = 0x80,
                        of_64k = 1ull << 51, all = p | w | u;
constexpr std::uint64_t kb4 = 0x1000, mb2 = 0x20'0000;
constexpr std::uint64_t root = 0x1'0000, pdpt = 0x1'1000, directory = 0x1'2000, table = 0x1'3000,
                        other_table = 0x1'4000;

// 4 MB of RAM behind TLBs, as a core has them; counts the lines that are asked for.
class machine final : public isa::test::isa_machine {
  public:
    machine() : isa_machine(isa::profile::knc, 4 << 20) {}

    tlb buffers;
    unsigned reads = 0, writes = 0, walks = 0;  // of table entries; walks that were complete
    tlb_result last;                            // of the last complete walk

    // 4-level tables: pages of 4 KB from 0 on, of 64 KB from 2 MB on, one of 2 MB at 4 MB. Each
    // page is mapped 1 GB higher, where there is no RAM: only the tables are read.
    void enter_long_mode() {
        c.s.cr0 = isa::cr0_pe | isa::cr0_pg | isa::cr0_wp;
        c.s.cr4 = isa::cr4_pae;
        c.s.efer = isa::efer_lme | isa::efer_lma | isa::efer_nxe;
        c.s.cr3 = root;
        put(root, pdpt | all);
        put(pdpt, directory | all);
        put(directory, table | all);
        put(directory + 8, other_table | all);
        put(directory + 16, (high + 2 * mb2) | all | ps);
        for (std::uint64_t n = 0; n < 512; ++n) {
            put(table + 8 * n, (high + n * kb4) | all);
            put(other_table + 8 * n, (high + mb2 + n * kb4) | all | of_64k);
        }
    }
    static constexpr std::uint64_t high = 0x4000'0000;

    // A translation, and what it took.
    std::string access(std::uint64_t la, access_kind kind, bool user = true) {
        reads = writes = walks = 0;
        isa::translation t;
        std::string r;
        if (c.translate(la, kind, user, t)) {
            r = t.paddr == high + la ? "there" : "elsewhere";
        } else {
            r = c.failure == isa::status::blocked ? "blocked" : "fault";
        }
        return r + ", read " + std::to_string(reads) + ", set " + std::to_string(writes);
    }
    std::string read(std::uint64_t la) { return access(la, access_kind::read); }
    std::string write(std::uint64_t la) { return access(la, access_kind::write); }
    std::string fetch(std::uint64_t la) { return access(la, access_kind::execute); }

    // isa::environment
    isa::status line(std::uint64_t paddr, access_kind kind, std::uint8_t*& host) override {
        const isa::status s = isa_machine::line(paddr, kind, host);
        if (s == isa::status::ok) ++(kind == access_kind::walk_update ? writes : reads);
        return s;
    }
    const isa::held_translation* held_page(std::uint64_t la, access_kind kind) override {
        return kind == access_kind::execute ? buffers.held_code(0, la) : buffers.held_data(0, la);
    }
    const isa::held_translation* held_region(std::uint64_t la) override {
        return buffers.held_region(0, la);
    }
    void looked_up(std::uint64_t la, access_kind kind, const isa::page_walk& walk,
                   bool allowed) override {
        ++walks;
        const bool code = kind == access_kind::execute;
        if (allowed)
            last = code ? buffers.access_code(0, la, walk) : buffers.access_data(0, la, walk);
        else
            last = code ? buffers.refuse_code(0, la) : buffers.refuse_data(0, la);
    }
};

TEST(tlb_translation, reads_the_entries_that_are_not_held) {
    machine m;
    m.enter_long_mode();
    // Four levels, each with an accessed bit to set; then nothing.
    EXPECT_EQ(m.read(0x5123), "there, read 4, set 4");
    EXPECT_EQ(m.last.clocks, 100u);
    EXPECT_EQ(m.read(0x5fff), "there, read 0, set 0");
    EXPECT_EQ(m.walks, 0u);
    // The next page of the region: the entry in the table that is known.
    EXPECT_EQ(m.read(0x6123), "there, read 1, set 1");
    EXPECT_EQ(m.last.clocks, 25u);
    // Code has a first level of its own; the accessed bit is set already.
    EXPECT_EQ(m.fetch(0x5123), "there, read 1, set 0");
    EXPECT_EQ(m.fetch(0x5fff), "there, read 0, set 0");
}

TEST(tlb_translation, the_second_level_has_large_pages_whole) {
    machine m;
    m.enter_long_mode();
    EXPECT_EQ(m.read(2 * mb2 + 0x12'3456), "there, read 3, set 3");
    EXPECT_EQ(m.read(2 * mb2), "there, read 0, set 0");
    EXPECT_EQ(m.walks, 0u);
    // A walk for code, in parts of 4 KB, that reads nothing.
    EXPECT_EQ(m.fetch(2 * mb2 + 0x1f'fabc), "there, read 0, set 0");
    EXPECT_EQ(m.walks, 1u);
    EXPECT_EQ(m.last.clocks, 8u);
    EXPECT_EQ(m.fetch(2 * mb2 + 0x1f'f000), "there, read 0, set 0");
    EXPECT_EQ(m.walks, 0u);
}

TEST(tlb_translation, one_entry_of_sixteen_maps_a_page_of_64_kb) {
    machine m;
    m.enter_long_mode();
    EXPECT_EQ(m.write(mb2 + 0x1'5678), "there, read 4, set 4");
    EXPECT_EQ(m.write(mb2 + 0x1'f000), "there, read 0, set 0");
    EXPECT_EQ(m.write(mb2 + 0x1'0fff), "there, read 0, set 0");
    // Only the entry that was read tells of it.
    EXPECT_EQ(m.get<std::uint64_t>(other_table + 8 * 0x15) & 0x60, accessed | dirty);
    EXPECT_EQ(m.get<std::uint64_t>(other_table + 8 * 0x1f) & 0x60, 0u);
    EXPECT_EQ(m.write(mb2 + 0x2'0000), "there, read 1, set 1");
}

TEST(tlb_translation, the_first_write_is_told_to_the_tables) {
    machine m;
    m.enter_long_mode();
    m.read(0x5000);
    EXPECT_EQ(m.write(0x5000), "there, read 1, set 1");
    EXPECT_TRUE(m.last.l1_hit);  // no miss: nothing to count
    EXPECT_EQ(m.get<std::uint64_t>(table + 8 * 5) & 0x60, accessed | dirty);
    EXPECT_EQ(m.write(0x5000), "there, read 0, set 0");
    // The second level knows the large page, but not what its entry is like now.
    m.read(2 * mb2);
    EXPECT_EQ(m.write(2 * mb2), "there, read 3, set 1");
    EXPECT_EQ(m.get<std::uint64_t>(directory + 16) & 0x60, accessed | dirty);
    EXPECT_EQ(m.write(2 * mb2), "there, read 0, set 0");
    // A page that was dirty before.
    m.put(table + 8 * 6, m.get<std::uint64_t>(table + 8 * 6) | accessed | dirty);
    EXPECT_EQ(m.read(0x6000), "there, read 1, set 0");
    EXPECT_EQ(m.write(0x6000), "there, read 0, set 0");
}

TEST(tlb_translation, rights_are_those_of_all_levels) {
    machine m;
    m.enter_long_mode();
    m.put(directory, table | p | w);  // not for user code
    EXPECT_EQ(m.access(0x5000, access_kind::read, false), "there, read 4, set 4");
    // The page is held, but refuses; its table refuses too; the root is asked, and says so.
    EXPECT_EQ(m.read(0x5000), "fault, read 5, set 0");
    EXPECT_EQ(m.c.fault.error, 5u);
    EXPECT_TRUE(m.last.l1_hit);
    // A page that is not held, of the same table.
    EXPECT_EQ(m.read(0x6000), "fault, read 5, set 0");
    EXPECT_FALSE(m.last.l1_hit);
    EXPECT_EQ(m.last.clocks, 25u);
}

// Nothing has to be flushed for rights to be used that have been granted.
TEST(tlb_translation, granted_rights_count_at_once) {
    machine m;
    m.enter_long_mode();
    m.put(table + 8 * 5, machine::high + 0x5000 + (p | u));
    EXPECT_EQ(m.read(0x5000), "there, read 4, set 4");
    EXPECT_EQ(m.write(0x5000), "fault, read 5, set 0");
    m.put(table + 8 * 5, m.get<std::uint64_t>(table + 8 * 5) | w);
    EXPECT_EQ(m.write(0x5000), "there, read 1, set 1");
    EXPECT_TRUE(m.last.l1_hit);
    EXPECT_EQ(m.write(0x5000), "there, read 0, set 0");
    // By the directory entry: the table held refuses, the root allows.
    m.buffers.flush(0, false);
    m.put(directory, table | p | u);
    m.read(0x6000);
    EXPECT_EQ(m.write(0x6000), "fault, read 5, set 0");
    m.put(directory, table | all);
    EXPECT_EQ(m.write(0x6000), "there, read 5, set 2");  // accessed in one, dirty in the other
    EXPECT_EQ(m.write(0x7000), "there, read 1, set 1");  // the new rights are held
    // A page that is there now.
    m.put<std::uint64_t>(table + 8 * 8, 0);
    EXPECT_EQ(m.read(0x8000), "fault, read 5, set 0");
    m.put(table + 8 * 8, machine::high + 0x8000 + all);
    EXPECT_EQ(m.read(0x8000), "there, read 1, set 1");
}

TEST(tlb_translation, what_is_held_stays_in_use_until_it_is_flushed) {
    machine m;
    m.enter_long_mode();
    m.write(0x5000);
    m.fetch(0x5000);
    m.put<std::uint64_t>(table + 8 * 5, 0);
    EXPECT_EQ(m.write(0x5000), "there, read 0, set 0");
    EXPECT_EQ(m.fetch(0x5000), "there, read 0, set 0");
    m.buffers.flush_page(0, 0x5abc);
    EXPECT_EQ(m.write(0x5000), "fault, read 4, set 0");  // the table was dropped as well
    EXPECT_EQ(m.fetch(0x5000), "fault, read 4, set 0");
    // A table is in use, too, until any page is flushed.
    m.read(0x6000);
    m.put(directory, other_table | all);
    EXPECT_EQ(m.read(0x7000), "there, read 1, set 1");
    m.buffers.flush_page(0, 8 * mb2);
    EXPECT_EQ(m.read(0x6000), "there, read 0, set 0");
    EXPECT_EQ(m.read(0x8000), "elsewhere, read 4, set 2");
    // CR3.
    m.buffers.flush(0, true);
    EXPECT_EQ(m.read(0x6000), "elsewhere, read 4, set 1");
}

// Whichever line is missing: no walk is known of, nothing is held, and the next attempt starts
// again.
TEST(tlb_translation, a_blocked_walk_leaves_nothing) {
    for (unsigned lines = 0; lines < 8; ++lines) {
        machine m;
        m.enter_long_mode();
        m.line_answers = lines;
        const std::string took = ", read " + std::to_string(std::min(lines, 4u)) + ", set " +
                                 std::to_string(lines - std::min(lines, 4u));
        EXPECT_EQ(m.write(0x5000), "blocked" + took);
        EXPECT_EQ(m.walks, 0u);
        EXPECT_EQ(m.buffers.held_data(0, 0x5000), nullptr);
        EXPECT_EQ(m.buffers.held_region(0, 0x5000), nullptr);
        m.line_answers = ~0u;
        // Accessed bits that were set remain so.
        EXPECT_EQ(m.write(0x5000),
                  "there, read 4, set " + std::to_string(4 - (lines - std::min(lines, 4u))));
        EXPECT_EQ(m.walks, 1u);
        EXPECT_EQ(m.last.clocks, 100u);
    }
    // From the second level: the old entry stays as it was.
    machine m;
    m.enter_long_mode();
    m.read(0x5000);
    m.line_answers = 1;
    EXPECT_EQ(m.write(0x5000), "blocked, read 1, set 0");
    EXPECT_FALSE(m.buffers.held_data(0, 0x5000)->dirty);
    m.line_answers = ~0u;
    EXPECT_EQ(m.read(0x5000), "there, read 0, set 0");
    EXPECT_EQ(m.write(0x5000), "there, read 1, set 1");
}

// Page-directory pointers are registers: two levels are read.
TEST(tlb_translation, pae) {
    machine m;
    m.c.s.cr0 = isa::cr0_pe | isa::cr0_pg;
    m.c.s.cr4 = isa::cr4_pae;
    m.c.s.pdpte[0] = directory | p;
    m.put(directory, table | all);
    m.put(directory + 8, (machine::high + mb2) | all | ps);
    for (std::uint64_t n = 0; n < 512; ++n) m.put(table + 8 * n, (machine::high + n * kb4) | all);
    EXPECT_EQ(m.read(0x5000), "there, read 2, set 2");
    EXPECT_EQ(m.read(0x6000), "there, read 1, set 1");
    EXPECT_EQ(m.read(mb2 + 0x1234), "there, read 1, set 1");
    EXPECT_EQ(m.fetch(mb2 + 0x1234), "there, read 0, set 0");
}

// The second level holds halves of what a directory entry of 32-bit paging covers.
TEST(tlb_translation, paging_of_32_bits) {
    machine m;
    m.c.s.cr0 = isa::cr0_pe | isa::cr0_pg;
    m.c.s.cr4 = isa::cr4_pse;
    m.c.s.cr3 = root;
    m.put<std::uint32_t>(root, table | all);
    m.put<std::uint32_t>(root + 4, machine::high + 2 * mb2 + (all | ps));
    for (std::uint32_t n = 0; n < 1024; ++n)
        m.put<std::uint32_t>(table + 4 * n,
                             static_cast<std::uint32_t>(machine::high + n * kb4 + all));
    EXPECT_EQ(m.read(0x1f'f000), "there, read 2, set 2");
    EXPECT_EQ(m.read(0x1f'e000), "there, read 1, set 1");
    EXPECT_EQ(m.read(0x20'0000), "there, read 2, set 1");
    EXPECT_EQ(m.read(0x3f'f000), "there, read 1, set 1");
    EXPECT_EQ(m.read(0x40'0000), "there, read 1, set 1");
    EXPECT_EQ(m.read(0x5f'ffff), "there, read 0, set 0");
    EXPECT_EQ(m.read(0x7f'ffff), "there, read 1, set 0");
    EXPECT_EQ(m.fetch(0x7f'1234), "there, read 0, set 0");
}

}  // namespace
}  // namespace knc::core::test

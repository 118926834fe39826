// Page walks: rights, error codes, accessed and dirty bits, reserved bits, page sizes.

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include <knc/isa/paging.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t p = 1, w = 2, u = 4, a = 0x20, d = 0x40, ps = 0x80, nx = 1ull << 63;

// The linear address under test and the page behind it; the low bits tell page offsets apart.
constexpr std::uint64_t la = 0x4080'5123;  // 32-bit: PDE 0x102, PTE 5; PAE: PDPTE 1, PDE 4, PTE 5
constexpr std::uint64_t frame = 0x30'0000;

// A paging mode with one path of entries to `la`, top first. The PAE pointer is not among them.
struct mode {
    const char* name;
    unsigned entry_bytes;
    std::uint64_t cr4, efer;
    bool large;
    std::vector<std::uint64_t> entries;  // their physical addresses
};

constexpr std::uint64_t t0 = tables_at, t1 = tables_at + 0x1000, t2 = tables_at + 0x2000,
                        t3 = tables_at + 0x3000;

const mode legacy{"32-bit", 4, 0, 0, false, {t0 + 4 * 0x102, t1 + 4 * 5}};
const mode legacy_4m{"32-bit 4 MB", 4, cr4_pse, 0, true, {t0 + 4 * 0x102}};
const mode pae{"PAE", 8, cr4_pae, efer_nxe, false, {t1 + 8 * 4, t2 + 8 * 5}};
const mode pae_2m{"PAE 2 MB", 8, cr4_pae, efer_nxe, true, {t1 + 8 * 4}};
const mode long_4k{"4-level", 8,
                   cr4_pae,   efer_nxe | efer_lma | efer_lme,
                   false,     {t0, t1 + 8, t2 + 8 * 4, t3 + 8 * 5}};
const mode long_2m{"4-level 2 MB",          8, cr4_pae, efer_nxe | efer_lma | efer_lme, true,
                   {t0, t1 + 8, t2 + 8 * 4}};

// What a full path with these flags looks like in memory.
std::uint64_t target(const mode& m, std::size_t level) {
    if (level + 1 == m.entries.size()) {
        if (!m.large) return frame;
        return frame & (m.entry_bytes == 4 ? ~0x3f'ffffull : ~0x1f'ffffull);
    }
    return m.entries[level + 1] & ~0xfffull;
}

std::uint64_t entry(sys_machine& k, const mode& m, std::size_t level) {
    return m.entry_bytes == 4 ? k.get<std::uint32_t>(m.entries[level])
                              : k.get<std::uint64_t>(m.entries[level]);
}

void set_entry(sys_machine& k, const mode& m, std::size_t level, std::uint64_t value) {
    if (m.entry_bytes == 4) {
        k.put(m.entries[level], static_cast<std::uint32_t>(value));
    } else {
        k.put(m.entries[level], value);
    }
}

void prepare(sys_machine& k, const mode& m) {
    k.c.s.cr0 = cr0_pe | cr0_pg | cr0_et;
    k.c.s.cr3 = t0;
    k.c.s.cr4 = m.cr4;
    k.c.s.efer = m.efer;
    if (&m == &pae || &m == &pae_2m) k.c.s.pdpte[1] = t1 | p;
    for (std::size_t n = 0; n < m.entries.size(); ++n) {
        const bool leaf = n + 1 == m.entries.size();
        set_entry(k, m, n, target(m, n) | p | w | u | (leaf && m.large ? ps : 0));
    }
}

struct access {
    access_kind kind;
    bool user;
    bool wp;
};

// Every combination of present, writable, user and execute-disable at every level, for every kind
// of access at both privileges and with CR0.WP clear and set, against a plain statement of the
// rules.
void check_all_rights(const mode& m) {
    SCOPED_TRACE(m.name);
    sys_machine k;
    prepare(k, m);
    const std::size_t levels = m.entries.size();
    const unsigned bits_per_level = m.entry_bytes == 8 ? 4 : 3;
    std::vector<std::uint64_t> plain;
    for (std::size_t n = 0; n < levels; ++n) plain.push_back(entry(k, m, n) & ~(p | w | u));
    unsigned failures = 0;
    for (unsigned combination = 0; combination < 1u << (bits_per_level * levels); ++combination) {
        bool present = true, writable = true, user_page = true, executable = true;
        std::vector<std::uint64_t> written;
        for (std::size_t n = 0; n < levels; ++n) {
            const unsigned bits = combination >> (bits_per_level * n);
            written.push_back(plain[n] | (bits & 7) |
                              ((bits & 8) != 0 && bits_per_level == 4 ? nx : 0));
            present = present && (bits & p) != 0;
            writable = writable && (bits & w) != 0;
            user_page = user_page && (bits & u) != 0;
            executable = executable && (written[n] & nx) == 0;
        }
        for (unsigned variant = 0; variant < 12; ++variant) {
            const access x{static_cast<access_kind>(variant % 3), variant / 3 % 2 != 0,
                           variant / 6 != 0};
            for (std::size_t n = 0; n < levels; ++n) set_entry(k, m, n, written[n]);
            k.c.s.cr0 = cr0_pe | cr0_pg | cr0_et | (x.wp ? cr0_wp : 0);
            bool allowed = present && (!x.user || user_page);
            if (x.kind == access_kind::write && (x.user || x.wp)) allowed = allowed && writable;
            if (x.kind == access_kind::execute) allowed = allowed && executable;
            translation t;
            const bool done = k.c.translate(la, x.kind, x.user, t);
            bool right = done == allowed;
            if (done) {
                // 4 KB page: frame + 0x123; 2 MB: 0x200000 + low 21 bits of la (0x005123); 4 MB:
                // 0 + low 22 bits of la (0x005123), the frame's bits below 4 MB being reserved.
                const std::uint64_t offset = m.large ? la & 0x1f'ffff : la & 0xfff;
                right = right && t.paddr == target(m, levels - 1) + offset;
                for (std::size_t n = 0; n < levels; ++n) {
                    const bool dirty = n + 1 == levels && x.kind == access_kind::write;
                    right = right && entry(k, m, n) == (written[n] | a | (dirty ? d : 0));
                }
            } else {
                const std::uint32_t error =
                    (present ? 1u : 0) | (x.kind == access_kind::write ? 2u : 0) |
                    (x.user ? 4u : 0) |
                    (x.kind == access_kind::execute && bits_per_level == 4 ? 16u : 0);
                right = right && k.c.fault.vector == 14 && k.c.fault.has_error &&
                        k.c.fault.error == error && k.c.fault.address == la &&
                        k.c.failure == status::fault;
                for (std::size_t n = 0; n < levels; ++n) {
                    right = right && entry(k, m, n) == written[n];
                }
            }
            if (!right && ++failures < 4) {
                ADD_FAILURE() << "flags " << std::hex << combination << " access " << variant
                              << " allowed " << allowed << " error " << k.c.fault.error;
            }
        }
    }
    EXPECT_EQ(failures, 0u);
}

TEST(sys_paging, rights_of_32_bit_pages) {
    check_all_rights(legacy);
}
TEST(sys_paging, rights_of_32_bit_large_pages) {
    check_all_rights(legacy_4m);
}
TEST(sys_paging, rights_of_pae_pages) {
    check_all_rights(pae);
}
TEST(sys_paging, rights_of_pae_large_pages) {
    check_all_rights(pae_2m);
}
TEST(sys_paging, rights_of_4_level_pages) {
    check_all_rights(long_4k);
}
TEST(sys_paging, rights_of_4_level_large_pages) {
    check_all_rights(long_2m);
}

// Bits that are reserved at each level: first .. last, for a supervisor read. All others of the
// entry are ignored or are not reserved.
struct reserved_case {
    const mode& m;
    std::size_t level;
    std::uint64_t efer_off;
    std::vector<unsigned> reserved;
};

std::vector<unsigned> range(unsigned first, unsigned last) {
    std::vector<unsigned> v;
    for (unsigned n = first; n <= last; ++n) v.push_back(n);
    return v;
}
std::vector<unsigned> operator+(std::vector<unsigned> x, const std::vector<unsigned>& y) {
    x.insert(x.end(), y.begin(), y.end());
    return x;
}

TEST(sys_paging, reserved_bits) {
    const reserved_case cases[] = {
        {legacy, 0, 0, {}},
        {legacy, 1, 0, {}},
        {legacy_4m, 0, 0, range(13, 21)},  // no PSE-36
        {pae, 0, 0, range(40, 62)},
        {pae, 1, 0, range(40, 50) + range(52, 62)},  // bit 51: 64 KB page
        {pae, 1, efer_nxe, range(40, 50) + range(52, 63)},
        {pae_2m, 0, 0, range(13, 20) + range(40, 62)},
        {long_4k, 0, 0, range(7, 7) + range(40, 51)},
        {long_4k, 1, 0, range(7, 7) + range(40, 51)},  // bit 7: no 1 GB pages
        {long_4k, 2, 0, range(40, 51)},
        {long_4k, 3, 0, range(40, 50)},
        {long_4k, 0, efer_nxe, range(7, 7) + range(40, 51) + range(63, 63)},
        {long_4k, 3, efer_nxe, range(40, 50) + range(63, 63)},
        {long_2m, 2, 0, range(13, 20) + range(40, 51)},
    };
    for (const reserved_case& x : cases) {
        for (unsigned bit = 3; bit < 8 * x.m.entry_bytes; ++bit) {
            sys_machine k;
            prepare(k, x.m);
            k.c.s.efer &= ~x.efer_off;
            const std::uint64_t old = entry(k, x.m, x.level);
            // PS in a directory entry makes another kind of entry of it, not a reserved bit.
            const bool directory = x.level + 2 == x.m.entries.size() && !x.m.large;
            if ((old >> bit & 1) != 0 || (bit == 7 && directory)) continue;
            set_entry(k, x.m, x.level, old | 1ull << bit);
            const bool reserved =
                std::find(x.reserved.begin(), x.reserved.end(), bit) != x.reserved.end();
            translation t;
            const bool done = k.c.translate(la, access_kind::read, false, t);
            if (reserved) {
                EXPECT_FALSE(done) << x.m.name << " level " << x.level << " bit " << bit;
                EXPECT_EQ(k.c.fault.error, 9u);  // P and RSVD
            } else if (bit < 12 || bit == 51 || bit >= 52) {
                EXPECT_TRUE(done) << x.m.name << " level " << x.level << " bit " << bit;
            }
        }
    }
}

TEST(sys_paging, page_size_bit_needs_cr4_pse) {
    sys_machine k;
    prepare(k, legacy);
    set_entry(k, legacy, 0, entry(k, legacy, 0) | ps);
    translation t;
    ASSERT_TRUE(k.c.translate(la, access_kind::read, false, t));
    EXPECT_EQ(t.paddr, frame + 0x123);  // PS ignored: the page table is walked
}

TEST(sys_paging, entry_outside_ram_reads_as_ones) {
    sys_machine k;
    prepare(k, long_4k);
    set_entry(k, long_4k, 1, 0x12'3456'7000 | p | w | u);  // a page directory where nothing is
    translation t;
    EXPECT_FALSE(k.c.translate(la, access_kind::write, true, t));
    EXPECT_EQ(k.c.fault.error, 15u);  // P, W, U, RSVD
}

TEST(sys_paging, pae_pointers_are_loaded_once) {
    sys_machine k;
    prepare(k, pae);
    k.put<std::uint64_t>(t0 + 8, t1 | p);
    ASSERT_EQ(load_page_directory_pointers(k.c.s, k, t0), status::ok);
    EXPECT_EQ(k.c.s.pdpte[1], t1 | p);
    k.put<std::uint64_t>(t0 + 8, 0);  // not seen before CR3 is loaded again
    translation t;
    EXPECT_TRUE(k.c.translate(la, access_kind::read, false, t));
    // Reserved in a pointer: 2:1, 8:5, 63:40.
    for (const unsigned bit : {1, 2, 5, 6, 7, 8, 40, 51, 63}) {
        k.put<std::uint64_t>(t0 + 8, t1 | p | 1ull << bit);
        EXPECT_EQ(load_page_directory_pointers(k.c.s, k, t0), status::fault) << bit;
    }
    EXPECT_EQ(k.c.s.pdpte[1], t1 | p);
    k.put<std::uint64_t>(t0 + 8, 6);  // not present: the rest does not count
    ASSERT_EQ(load_page_directory_pointers(k.c.s, k, t0), status::ok);
    EXPECT_FALSE(k.c.translate(la, access_kind::read, false, t));
    EXPECT_EQ(k.c.fault.error, 0u);
}

TEST(sys_paging, probe_changes_nothing) {
    sys_machine k;
    prepare(k, long_4k);
    std::array<std::uint64_t, 4> before;
    for (std::size_t n = 0; n < 4; ++n) before[n] = entry(k, long_4k, n);
    std::uint64_t paddr = 0;
    EXPECT_TRUE(k.c.probe(la, paddr));
    EXPECT_EQ(paddr, frame + 0x123);
    for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(entry(k, long_4k, n), before[n]);
    EXPECT_FALSE(k.c.probe(0x8000'0000'0000, paddr));  // not canonical
    EXPECT_FALSE(k.c.probe(la + (1ull << 39), paddr));
}

TEST(sys_paging, accessed_bit_in_a_page_of_code_is_announced) {
    sys_machine k;
    prepare(k, legacy);
    k.code_pages.insert(t1 >> 12);
    translation t;
    ASSERT_TRUE(k.c.translate(la, access_kind::read, false, t));
    ASSERT_TRUE(k.c.translate(la, access_kind::read, false, t));  // already set: no write
    ASSERT_EQ(k.code_writes.size(), 1u);
    EXPECT_EQ(k.code_writes[0].first, t1 + 4 * 5);
}

}  // namespace
}  // namespace knc::isa::test

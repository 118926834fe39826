// Prefetches, evictions and flushes: what of them reaches the machine's caches.
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/paging.h>
#include <knc/isa/segmentation.h>

#include "int_machine.h"
#include "sys_machine.h"

namespace knc::isa::test {
namespace {

using bytes = std::initializer_list<std::uint8_t>;
constexpr auto knc_profile = profile::knc, compat = profile::compat;

std::string text_of(const sys_machine& m) {
    std::string text;
    for (const sys_machine::cache_request& r : m.cache_log) {
        constexpr const char* levels[] = {"L1", "L2", "all"};
        const char* level = levels[static_cast<unsigned>(r.hint.level)];
        if (r.what == sys_machine::cache_request::kind::prefetch)
            text += fmt::format(
                "prefetch {:x} {}{}{}{};", r.paddr, level, r.hint.exclusive ? " exclusive" : "",
                r.hint.non_temporal ? " non-temporal" : "", r.cacheable ? "" : " uncacheable");
        else if (r.what == sys_machine::cache_request::kind::evict)
            text += fmt::format("evict {:x} {};", r.paddr, level);
        else
            text += "flush;";
    }
    return text;
}

// The 2 MB at `window` are the second 2 MB of RAM: RAX = `at` is physical address 201234.
constexpr std::uint64_t window = 0x40'0000, at = window + 0x1234;
// Its page directory entry: present, writable, user, 2 MB.
constexpr std::uint64_t window_entry = tables_at + 0x2010, mapped = 0x20'0087;
constexpr std::uint64_t present = 1, writable = 2, user = 4, disabled = 0x10, accessed = 0x20,
                        dirty = 0x40, reserved = 1u << 13;

void enter(sys_machine& m, unsigned cpl = 0) {
    m.enter_long_mode(cpl);
    m.put<std::uint64_t>(window_entry, mapped);
    m.c.s.r[rax] = at;
}

struct hint_case {
    const char* name;
    bytes code;  // of [rax]
    profile on;
    const char* asks;
};
const hint_case hints[] = {
    {"vprefetchnta",
     {0xC4, 0xE1, 0x78, 0x18, 0x00},
     knc_profile,
     "prefetch 201234 L1 non-temporal;"},
    {"vprefetch0", {0xC4, 0xE1, 0x78, 0x18, 0x08}, knc_profile, "prefetch 201234 L1;"},
    {"vprefetch1", {0xC4, 0xE1, 0x78, 0x18, 0x10}, knc_profile, "prefetch 201234 L2;"},
    {"vprefetch2", {0xC4, 0xE1, 0x78, 0x18, 0x18}, knc_profile, "prefetch 201234 L2 non-temporal;"},
    {"vprefetchenta",
     {0xC4, 0xE1, 0x78, 0x18, 0x20},
     knc_profile,
     "prefetch 201234 L1 exclusive non-temporal;"},
    {"vprefetche0", {0xC4, 0xE1, 0x78, 0x18, 0x28}, knc_profile, "prefetch 201234 L1 exclusive;"},
    {"vprefetche1", {0xC4, 0xE1, 0x78, 0x18, 0x30}, knc_profile, "prefetch 201234 L2 exclusive;"},
    {"vprefetche2",
     {0xC4, 0xE1, 0x78, 0x18, 0x38},
     knc_profile,
     "prefetch 201234 L2 exclusive non-temporal;"},
    {"vprefetch0, MVEX", {0x62, 0xF1, 0x78, 0x08, 0x18, 0x08}, knc_profile, "prefetch 201234 L1;"},
    {"vprefetche1, MVEX",
     {0x62, 0xF1, 0x78, 0x08, 0x18, 0x30},
     knc_profile,
     "prefetch 201234 L2 exclusive;"},
    {"clevict0", {0xC4, 0xE1, 0x7B, 0xAE, 0x38}, knc_profile, "evict 201234 L1;"},
    {"clevict1", {0xC4, 0xE1, 0x7A, 0xAE, 0x38}, knc_profile, "evict 201234 L2;"},
    {"clevict0, MVEX", {0x62, 0xF1, 0x7B, 0x08, 0xAE, 0x38}, knc_profile, "evict 201234 L1;"},
    {"clevict1, MVEX", {0x62, 0xF1, 0x7A, 0x08, 0xAE, 0x38}, knc_profile, "evict 201234 L2;"},
    {"prefetchnta", {0x0F, 0x18, 0x00}, compat, "prefetch 201234 L1 non-temporal;"},
    {"prefetcht0", {0x0F, 0x18, 0x08}, compat, "prefetch 201234 L1;"},
    {"prefetcht1", {0x0F, 0x18, 0x10}, compat, "prefetch 201234 L2;"},
    {"prefetcht2", {0x0F, 0x18, 0x18}, compat, "prefetch 201234 L2 non-temporal;"},
    {"prefetch", {0x0F, 0x0D, 0x00}, compat, "prefetch 201234 L1;"},
    {"prefetchw", {0x0F, 0x0D, 0x08}, compat, "prefetch 201234 L1 exclusive;"},
    {"prefetchwt1", {0x0F, 0x0D, 0x10}, compat, "prefetch 201234 L2 exclusive;"},
};
constexpr bytes clflush{0x0F, 0xAE, 0x38}, wbinvd{0x0F, 0x09}, invd{0x0F, 0x08};

std::uint64_t data_events(const sys_machine& m) {
    return m.events[base::data_read] + m.events[base::data_write] +
           m.events[base::data_read_or_write];
}

TEST(hint, each_mnemonic_asks_for_its_own) {
    for (const hint_case& h : hints) {
        sys_machine m(h.on);
        enter(m);
        ASSERT_EQ(m.run(h.code), status::ok) << h.name;
        EXPECT_EQ(text_of(m), h.asks) << h.name;
        EXPECT_EQ(m.c.s.r[rip], code_at + h.code.size()) << h.name;
        // No data access, as an event and for the pairing rules.
        EXPECT_EQ(data_events(m), 0u) << h.name;
        EXPECT_EQ(m.flags_of(h.code) & (insn_reads | insn_writes | insn_several_accesses), 0u)
            << h.name;
        // One translation, of a read; it marks the page accessed, and never dirty.
        ASSERT_EQ(m.lookups.size(), 1u) << h.name;
        EXPECT_EQ(m.lookups[0].la, at) << h.name;
        EXPECT_EQ(m.lookups[0].kind, access_kind::read) << h.name;
        EXPECT_TRUE(m.lookups[0].allowed) << h.name;
        EXPECT_EQ(m.get<std::uint64_t>(window_entry), mapped | accessed) << h.name;
        // The translation is remembered.
        ASSERT_EQ(m.run(h.code), status::ok) << h.name;
        EXPECT_EQ(m.cache_log.size(), 2u) << h.name;
        EXPECT_EQ(m.lookups.size(), 1u) << h.name;
    }
}

TEST(hint, clflush_asks_for_all_caches) {
    sys_machine m(compat);
    enter(m);
    ASSERT_EQ(m.run(clflush), status::ok);
    EXPECT_EQ(text_of(m), "evict 201234 all;");
    EXPECT_EQ(m.get<std::uint64_t>(window_entry), mapped | accessed);
    EXPECT_EQ(data_events(m), 0u);
    EXPECT_EQ(m.flags_of(clflush) & (insn_reads | insn_writes | insn_several_accesses), 0u);
}

// vprefetch0 gs:[rax + 4 * rcx + 0x40], plain and as MVEX, whose 8-bit displacement counts lines.
TEST(hint, address_has_all_its_parts) {
    sys_machine m;
    enter(m);
    m.c.s.seg[gs].base = 0x10'0000;
    m.c.s.r[rcx] = 0x100;
    ASSERT_EQ(m.run({0x65, 0xC4, 0xE1, 0x78, 0x18, 0x4C, 0x88, 0x40}), status::ok);
    ASSERT_EQ(m.run({0x65, 0x62, 0xF1, 0x78, 0x08, 0x18, 0x4C, 0x88, 0x01}), status::ok);
    // 201234 + 100000 + 4 * 100 + 40.
    EXPECT_EQ(text_of(m), "prefetch 301674 L1;prefetch 301674 L1;");
}

TEST(hint, uncacheable_memory_is_told) {
    sys_machine m;
    enter(m);
    m.put<std::uint64_t>(window_entry, mapped | disabled);
    ASSERT_EQ(m.run({0xC4, 0xE1, 0x78, 0x18, 0x08}), status::ok);
    EXPECT_EQ(text_of(m), "prefetch 201234 L1 uncacheable;");
}

// A page that may be read only: asking for it exclusively needs no more.
TEST(hint, exclusive_prefetch_needs_no_right_to_write) {
    sys_machine m;
    enter(m, 3);
    m.put<std::uint64_t>(window_entry, mapped & ~writable);
    ASSERT_EQ(m.run({0xC4, 0xE1, 0x78, 0x18, 0x28}), status::ok);
    EXPECT_EQ(text_of(m), "prefetch 201234 L1 exclusive;");
    EXPECT_EQ(m.get<std::uint64_t>(window_entry) & dirty, 0u);
}

// What the page tables refuse is looked up, once, and changes no entry.
TEST(hint, refused_address_is_dropped) {
    struct refusal {
        const char* what;
        unsigned cpl;
        std::uint64_t entry, address;
        std::size_t lookups;
    };
    constexpr refusal refusals[] = {
        {"not present", 0, mapped & ~present, at, 1},
        {"supervisor's", 3, mapped & ~user, at, 1},
        {"reserved bit", 0, mapped | reserved, at, 1},
        {"not canonical", 0, mapped, 0x8000'0000'0000, 0},
        {"not canonical, at the other end", 0, mapped, 0xffff'7fff'ffff'ffff, 0},
    };
    for (const refusal& r : refusals) {
        for (const hint_case& h : hints) {
            const std::string what = std::string(h.name) + ", " + r.what;
            sys_machine m(h.on);
            enter(m, r.cpl);
            m.put<std::uint64_t>(window_entry, r.entry);
            m.c.s.r[rax] = r.address;
            m.c.s.cr2 = 0x1111;
            ASSERT_EQ(m.run(h.code), status::ok) << what;
            EXPECT_EQ(m.c.s.r[rip], code_at + h.code.size()) << what;
            EXPECT_EQ(text_of(m), "") << what;
            EXPECT_EQ(m.c.failure, status::ok) << what;
            EXPECT_EQ(m.c.s.cr2, 0x1111u) << what;
            EXPECT_EQ(m.get<std::uint64_t>(window_entry), r.entry) << what;
            ASSERT_EQ(m.lookups.size(), r.lookups) << what;
            for (const sys_machine::lookup& l : m.lookups) EXPECT_FALSE(l.allowed) << what;
        }
    }
}

// PREFETCHT0 in 32-bit code: behind the limit of the segment, and through a null selector.
TEST(hint, segment_violation_is_dropped) {
    sys_machine m(compat);
    m.enter_protected_mode();
    m.c.s.r[rax] = 0x5000;
    ASSERT_EQ(m.run({0x0F, 0x18, 0x08}), status::ok);
    EXPECT_EQ(text_of(m), "prefetch 5000 L1;");  // no paging
    m.c.s.seg[ds].limit = 0x4fff;
    m.c.update_mode();
    ASSERT_EQ(m.run({0x0F, 0x18, 0x08}), status::ok);
    m.c.s.seg[ds] = null_segment(0);
    m.c.update_mode();
    ASSERT_EQ(m.run({0x0F, 0x18, 0x08}), status::ok);
    EXPECT_EQ(m.cache_log.size(), 1u);
}

TEST(hint, meets_no_data_breakpoint) {
    for (const hint_case& h : hints) {
        sys_machine m(h.on);
        enter(m);
        m.c.s.dr[0] = at;
        m.c.s.dr[7] = 0x3'0002;  // G0, reads and writes of one byte
        m.c.flush_translations();
        ASSERT_EQ(m.run(h.code), status::ok) << h.name;
        EXPECT_EQ(m.c.debug_conditions, 0u) << h.name;
        EXPECT_EQ(m.cache_log.size(), 1u) << h.name;
    }
}

TEST(hint, waits_for_the_page_tables) {
    for (const hint_case& h : hints) {
        sys_machine m(h.on);
        enter(m);
        m.line_blocks = 1;
        ASSERT_EQ(m.run(h.code), status::blocked) << h.name;
        EXPECT_EQ(text_of(m), "") << h.name;
        EXPECT_TRUE(m.lookups.empty()) << h.name;
        ASSERT_EQ(m.run(h.code), status::ok) << h.name;
        EXPECT_EQ(text_of(m), h.asks) << h.name;
        EXPECT_EQ(m.lookups.size(), 1u) << h.name;
    }
}

TEST(hint, eviction_may_have_to_wait) {
    const bytes evictions[] = {
        {0xC4, 0xE1, 0x7B, 0xAE, 0x38}, {0xC4, 0xE1, 0x7A, 0xAE, 0x38}, clflush};
    for (const bytes& code : evictions) {
        sys_machine m(compat);
        enter(m);
        m.cache_blocks = 2;
        EXPECT_EQ(m.run(code), status::blocked);
        EXPECT_EQ(m.run(code), status::blocked);
        EXPECT_EQ(m.c.s.r[rip], code_at);
        EXPECT_TRUE(m.cache_log.empty());
        EXPECT_EQ(m.run(code), status::ok);
        EXPECT_EQ(m.cache_log.size(), 1u);
    }
}

TEST(hint, clflush_faults_as_a_load) {
    struct refusal {
        const char* what;
        unsigned cpl;
        std::uint64_t entry, address;
        unsigned vector, error;
    };
    constexpr refusal refusals[] = {
        {"not present", 0, mapped & ~present, at, vector_pf, 0},
        {"supervisor's", 3, mapped & ~user, at, vector_pf, pf_present | pf_user},
        {"not canonical", 0, mapped, 0x8000'0000'0000, vector_gp, 0},
    };
    for (const refusal& r : refusals) {
        sys_machine m(compat);
        enter(m, r.cpl);
        m.put<std::uint64_t>(window_entry, r.entry);
        m.c.s.r[rax] = r.address;
        ASSERT_EQ(m.run(clflush), status::fault) << r.what;
        EXPECT_EQ(m.c.fault.vector, r.vector) << r.what;
        EXPECT_EQ(m.c.fault.error, r.error) << r.what;
        EXPECT_EQ(m.c.fault.address, r.vector == vector_pf ? at : 0) << r.what;
        EXPECT_TRUE(m.cache_log.empty()) << r.what;
    }
    sys_machine m(compat);
    enter(m);
    m.c.s.r[rsp] = 0x8000'0000'0000;
    ASSERT_EQ(m.run({0x0F, 0xAE, 0x3C, 0x24}), status::fault);  // clflush [rsp]
    EXPECT_EQ(m.c.fault.vector, vector_ss);
}

// clflush cs:[eax]; a load there is #GP.
TEST(hint, clflush_reaches_into_execute_only_code) {
    sys_machine m(compat);
    m.enter_protected_mode();
    m.c.s.r[rax] = 0x5000;
    m.c.s.seg[cs].attributes = 0xc098;  // 32-bit, execute-only
    m.c.update_mode();
    EXPECT_EQ(m.run({0x2E, 0x8B, 0x00}), status::fault);
    EXPECT_EQ(m.c.fault.vector, vector_gp);
    ASSERT_EQ(m.run({0x2E, 0x0F, 0xAE, 0x38}), status::ok);
    EXPECT_EQ(text_of(m), "evict 5000 all;");
    m.c.s.r[rax] = 0x5000;
    m.c.s.seg[cs].limit = 0x4fff;
    m.c.update_mode();
    EXPECT_EQ(m.run({0x2E, 0x0F, 0xAE, 0x38}), status::fault);
    EXPECT_EQ(m.c.fault.vector, vector_gp);
}

TEST(hint, wbinvd_and_invd_flush_the_caches) {
    for (const bytes& code : {wbinvd, invd}) {
        sys_machine m;
        m.enter_long_mode();
        EXPECT_NE(m.flags_of(code) & insn_serializing, 0u);
        m.cache_blocks = 1;
        EXPECT_EQ(m.run(code), status::blocked);
        EXPECT_EQ(m.c.s.r[rip], code_at);
        EXPECT_EQ(m.run(code), status::ok);
        EXPECT_EQ(text_of(m), "flush;");
        m.set_cpl(3);
        EXPECT_EQ(m.run(code), status::fault);
        EXPECT_EQ(m.c.fault.vector, vector_gp);
        EXPECT_EQ(m.cache_log.size(), 1u);
    }
}

// An environment without caches: registers but RIP, and memory, stay as they are.
TEST(hint, has_no_effect_on_memory_that_is_always_coherent) {
    constexpr std::uint64_t data = 0x1'0000;
    for (const bytes& code :
         {hints[1].code, hints[5].code, hints[10].code, hints[11].code, clflush, wbinvd, invd}) {
        int_machine m(code_mode::bits64, compat);
        m.c.s.r[rax] = data;
        m.put<std::uint64_t>(data, 0x1122'3344'5566'7788);
        const auto before = m.c.s.r;
        ASSERT_EQ(m.run(code), status::ok);
        auto after = m.c.s.r;
        EXPECT_EQ(after[rip], before[rip] + code.size());
        after[rip] = before[rip];
        EXPECT_EQ(after, before);
        EXPECT_EQ(m.get<std::uint64_t>(data), 0x1122'3344'5566'7788u);
    }
}

}  // namespace
}  // namespace knc::isa::test

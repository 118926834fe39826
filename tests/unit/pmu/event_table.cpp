// The event table against the guide's mechanics and against libpfm4's table of the same processor.
#include <cctype>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <perfmon/pfmlib.h>

#include <knc/pmu/event_table.h>

#include "fixture.h"

namespace {

using namespace pmu_test;

// libpfm4's intel_knc events: name -> umask:code.
std::map<std::string, unsigned> libpfm_events() {
    std::map<std::string, unsigned> events;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);  // the host is no Knights Corner
    if (pfm_initialize() != PFM_SUCCESS) return events;
    pfm_pmu_info_t pmu{};
    pmu.size = sizeof pmu;
    if (pfm_get_pmu_info(PFM_PMU_INTEL_KNC, &pmu) != PFM_SUCCESS) return events;
    for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
        pfm_event_info_t event{};
        event.size = sizeof event;
        if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS) continue;
        events[event.name] = static_cast<unsigned>(event.code);
    }
    return events;
}

TEST(event_table, agrees_with_libpfm4) {
    const auto theirs = libpfm_events();
    ASSERT_EQ(theirs.size(), 59u);  // table 1-6 of the guide
    for (const auto& [name, code] : theirs) {
        const base::event e = pmu::find_event(name);
        ASSERT_NE(e, base::event_count) << name;
        EXPECT_EQ(pmu::info(e).umask << 8 | pmu::info(e).select, code) << name;
    }
    std::set<std::string> extra;
    for (unsigned i = 0; i < base::event_count; ++i) {
        const std::string name(pmu::info(static_cast<base::event>(i)).name);
        if (theirs.count(name) == 0) extra.insert(name);
    }
    // Known from LIKWID only.
    EXPECT_EQ(extra, (std::set<std::string>{"HWP_L2HIT", "HWP_L2MISS"}));
}

TEST(event_table, counter_0_column) {
    // Event selects that Linux (knc.c) and libpfm4 allow on counter 0 only, as far as the table has
    // them.
    const std::set<unsigned> limited{0xC3, 0xC4, 0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xD7, 0xE3, 0xE6,
                                     0xE7, 0xF1, 0xF2, 0xF6, 0xF7, 0xFC, 0xFD, 0xFE, 0xFF};
    for (unsigned i = 0; i < base::event_count; ++i) {
        const pmu::event_info& e = pmu::info(static_cast<base::event>(i));
        EXPECT_EQ(e.counter0_only, limited.count(e.select) == 1) << e.name;
    }
}

TEST(event_table, rows_are_complete_and_distinct) {
    std::set<std::string_view> names;
    std::set<unsigned> codes;
    for (unsigned i = 0; i < base::event_count; ++i) {
        const auto e = static_cast<base::event>(i);
        const pmu::event_info& row = pmu::info(e);
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(codes.insert(row.umask << 8 | row.select).second) << row.name;
        EXPECT_EQ(pmu::find_event(row.name), e);
        EXPECT_EQ(pmu::find_event(row.select, row.umask), e);
        EXPECT_GT(row.bound, 0u) << row.name;
        EXPECT_FALSE(row.meaning.empty()) << row.name;
        EXPECT_FALSE(row.cause.empty()) << row.name;
        // The unit mask names the unit: 0x00 core, 0x10 L2 and ring, 0x20 vector unit.
        EXPECT_EQ(row.umask, 0x10 * static_cast<unsigned>(row.unit)) << row.name;
    }
    EXPECT_EQ(names.size(), 61u);  // 59 of the guide, 2 of LIKWID
    EXPECT_EQ(pmu::find_event("NO_SUCH_EVENT"), base::event_count);
}

TEST(event_table, scope_and_kind) {
    std::set<std::string_view> core;
    std::set<std::string_view> durations;
    for (unsigned i = 0; i < base::event_count; ++i) {
        const pmu::event_info& e = pmu::info(static_cast<base::event>(i));
        if (e.scope == pmu::event_scope::core) core.insert(e.name);
        if (e.kind == pmu::event_kind::duration) durations.insert(e.name);
    }
    EXPECT_EQ(core,
              (std::set<std::string_view>{"DATA_CACHE_LINES_WRITTEN_BACK", "CPU_CLK_UNHALTED",
                                          "L2_VICTIM_REQ_WITH_DATA", "SNP_HITM_BUNIT", "SNP_HIT_L2",
                                          "SNP_HITM_L2", "HWP_L2HIT", "HWP_L2MISS"}));
    EXPECT_EQ(durations, (std::set<std::string_view>{"CPU_CLK_UNHALTED", "MICROCODE_CYCLES",
                                                     "FE_STALLED", "EXEC_STAGE_CYCLES"}));
}

// Every (event, umask) pair is programmed while every event of the table occurs once: a pair of the
// table counts 1, the others 0, with each of the counter's ways of counting.
void only_the_table_counts(std::uint64_t how) {
    bench b;
    unsigned counted = 0;
    for (std::uint64_t pair = 0; pair <= 0xFFFF; ++pair) {
        b.arm(pair | how | os);
        for (auto& row : b.ledger.counts[0][base::supervisor]) ++row;
        b.tick();
        const bool known =
            pmu::find_event(static_cast<std::uint8_t>(pair & 0xFF),
                            static_cast<std::uint8_t>(pair >> 8)) != base::event_count;
        ASSERT_EQ(b.read(msr::cntr0), known ? 1u : 0u) << std::hex << pair;
        counted += known;
    }
    EXPECT_EQ(counted, 61u);
}

TEST(event_table, all_65536_pairs) {
    only_the_table_counts(0);
}
TEST(event_table, all_65536_pairs_by_clock) {
    only_the_table_counts(cmask(1));
}
// One event is fewer than two, and so would be the none of a pair that does not exist.
TEST(event_table, all_65536_pairs_inverted) {
    only_the_table_counts(cmask(2) | inv);
}

}  // namespace

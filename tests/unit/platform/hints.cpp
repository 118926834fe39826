// Hints: each mistake by itself, and what is none.
#include <platform/hints.h>

#include <gtest/gtest.h>

namespace platform {
namespace {

// A thread whose counter 0 counts instructions at ring 3 with interrupts, as a driver leaves it.
thread_report counting() {
    thread_report t;
    t.core = 1;
    t.thread = 2;
    t.pmu.evtsel[0] = 0x510016;
    t.pmu.global_ctrl = 1;
    t.counted[0] = {{{}, 1000}};
    t.pmu.overflows[0] = t.pmi = t.eoi = 5;
    t.lvt_performance = 0xe0;
    return t;
}

void expect_hint(const thread_report& t, const std::string& part) {
    const auto hints = hints_of({counting(), t});
    ASSERT_EQ(hints.size(), 1u) << part;
    EXPECT_NE(hints[0].find(part), std::string::npos) << hints[0];
    EXPECT_EQ(hints[0].find("thread 1.2"), 0u) << hints[0];
}

TEST(hints, none_for_a_driver_that_does_all) {
    EXPECT_TRUE(hints_of({counting(), thread_report{}}).empty());
}

TEST(hints, a_counter_that_counts_nothing) {
    thread_report t = counting();
    t.counted[0].clear();
    EXPECT_TRUE(hints_of({t}).empty());  // perhaps there was nothing to count
    t.pmu.global_ctrl = 2;
    expect_hint(t, "counter 0: has counted nothing: its bit of IA32_PERF_GLOBAL_CTRL");
    t.pmu.global_ctrl = 1;
    t.pmu.evtsel[0] = 0x110016;
    expect_hint(t, "bit 22 (EN)");
    t.pmu.evtsel[0] = 0x500016;
    expect_hint(t, "neither bit 16");
    t.pmu.evtsel[0] = 0x51007f;
    expect_hint(t, "no event has the code");
    t.pmu.evtsel[0] = 0x510016;
    t.pmu.spflt = 1;
    expect_hint(t, "USER_PREF is 0");
    t.counted[0] = {{{}, 1}};
    EXPECT_TRUE(hints_of({t}).empty());  // it has counted once
}

TEST(hints, a_service_that_is_not_complete) {
    thread_report t = counting();
    t.lvt_performance |= 1 << 16;
    EXPECT_TRUE(hints_of({t}).empty());  // masked when all was done
    t.pmi_lost = 3;
    expect_hint(t, "LVT entry 0x340 is masked");
    t = counting();
    t.pmu.status = 1;
    EXPECT_TRUE(hints_of({t}).empty());  // the last one
    t.pmu.overflows[0] = 7;
    expect_hint(t, "IA32_PERF_GLOBAL_STATUS still has the bit");
    t.pmu.evtsel[0] &= ~(std::uint64_t{1} << 20);
    EXPECT_TRUE(hints_of({t}).empty());  // without INT
    t = counting();
    t.performance_in_service = true;
    EXPECT_TRUE(hints_of({t}).empty());  // an interrupt of another source with its vector
    t.eoi = 0;
    expect_hint(t, "still in service");
}

TEST(hints, many_threads_are_one_line) {
    thread_report t = counting();
    t.pmi_lost = 1;
    t.lvt_performance |= 1 << 16;
    const auto hints = hints_of(std::vector<thread_report>(6, t));
    ASSERT_EQ(hints.size(), 1u);
    EXPECT_EQ(hints[0].find("thread 1.2, 1.2, 1.2, 1.2 and 2 more: "), 0u) << hints[0];
}

}  // namespace
}  // namespace platform

#include "counters.h"

#include <algorithm>

#include <gtest/gtest.h>

#include <knc/pmu/event_table.h>

namespace knc::caches {

namespace {

constexpr unsigned counters_per_thread = 2;
constexpr std::uint64_t top = std::uint64_t{1} << 40;

bool of_core(base::event e) {
    return pmu::info(e).scope == pmu::event_scope::core;
}

bool taken(const armed_counters& run, unsigned tile, unsigned thread, unsigned number) {
    return std::any_of(run.begin(), run.end(), [=](const armed_counter& c) {
        return c.tile == tile && c.thread == thread && c.number == number;
    });
}

// A counter of `run` for an event of the thread. False: there is none left.
bool find_counter(const armed_counters& run, armed_counter& c) {
    const unsigned owner = c.thread;
    for (unsigned n = 0; n < base::threads_per_core; ++n)
        for (c.number = 0; c.number < counters_per_thread; ++c.number) {
            c.thread = (owner + n) % base::threads_per_core;
            c.any_thread = n != 0 && !of_core(c.event);
            if (!taken(run, c.tile, c.thread, c.number)) return true;
        }
    c.thread = owner;
    return false;
}

// The counter is one of the first run that has one.
armed_counter& add(std::vector<armed_counters>& runs, armed_counter c) {
    auto run = std::find_if(runs.begin(), runs.end(),
                            [&](const armed_counters& r) { return find_counter(r, c); });
    if (run == runs.end()) {
        run = runs.insert(run, armed_counters{});
        find_counter(*run, c);
    }
    run->push_back(c);
    return run->back();
}

// What the counter is expected to count.
std::uint64_t counted(const armed_counter& c, const expectation& expected) {
    if (!c.any_thread) return expected(c.tile, c.thread, c.event);
    std::uint64_t n = 0;
    for (unsigned t = 0; t < base::threads_per_core; ++t) n += expected(c.tile, t, c.event);
    return n;
}

}  // namespace

std::vector<armed_counters> runs_to_count(unsigned tiles, const std::vector<base::event>& events,
                                          const expectation& expected) {
    std::vector<armed_counters> runs(1);
    for (unsigned tile = 0; tile < tiles; ++tile)
        for (const base::event e : events)
            for (unsigned t = 0; t < (of_core(e) ? 1 : base::threads_per_core); ++t) {
                if (expected(tile, t, e) == 0) continue;
                add(runs, {tile, t, 0, e, false, 0});
                armed_counter& near = add(runs, {tile, t, 0, e, false, 0});
                near.start = top - counted(near, expected);
            }
    return runs;
}

void arm(pmu::card_front_end& u, const armed_counter& c) {
    constexpr std::uint64_t usr = 1 << 16, os = 1 << 17, any_thread = 1 << 21, enable = 1 << 22;
    constexpr std::uint32_t perf_cntr0 = 0x20, perf_evt_sel0 = 0x28, global_ctrl = 0x2F;
    const pmu::event_info& e = pmu::info(c.event);
    const std::uint64_t select =
        e.select | e.umask << 8 | usr | os | enable | (c.any_thread ? any_thread : 0);
    std::uint64_t enabled = 0;
    EXPECT_TRUE(u.write(c.thread, perf_cntr0 + c.number, c.start));
    EXPECT_TRUE(u.write(c.thread, perf_evt_sel0 + c.number, select));
    EXPECT_TRUE(u.read(c.thread, global_ctrl, enabled));
    EXPECT_TRUE(u.write(c.thread, global_ctrl, enabled | 1u << c.number));
}

void expect_counted(const pmu::card_front_end& u, const armed_counter& c, std::uint64_t n) {
    SCOPED_TRACE(testing::Message()
                 << "counter " << c.number << " of tile " << c.tile << ", thread " << c.thread
                 << (c.any_thread ? ", any thread: " : ": ") << pmu::info(c.event).name
                 << (c.start == 0 ? " from zero" : " up to the top"));
    const pmu::thread_state s = u.state(c.thread);
    const bool overflows = n >= top - c.start;
    EXPECT_EQ(s.counter[c.number], (c.start + n) % top);
    EXPECT_EQ(s.overflows[c.number], overflows ? 1u : 0u);
    EXPECT_EQ(s.status >> c.number & 1, overflows ? 1u : 0u);
}

}  // namespace knc::caches

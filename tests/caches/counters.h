// Counters of the PMUs of a card, armed for the events a kernel is expected to raise.
//
// A core has eight counters, two for each thread: they count events of their own thread or, in
// any-thread mode, of all threads of the core. Each expected event of a thread is counted twice:
// from zero, and from so many below the top that the last event of them makes the counter overflow.
// Where the thread's own counters are taken, a counter of another thread counts in any-thread mode;
// where all eight are, one more run of the kernel is needed.
#ifndef KNC_TESTS_CACHES_COUNTERS_H
#define KNC_TESTS_CACHES_COUNTERS_H

#include <cstdint>
#include <functional>
#include <vector>

#include <knc/base/event.h>
#include <knc/pmu/front_end.h>

namespace knc::caches {

struct armed_counter {
    unsigned tile, thread, number;  // whose it is; 0 or 1
    base::event event;
    bool any_thread;
    std::uint64_t start;  // its value before the programs
};
// The counters of one run.
using armed_counters = std::vector<armed_counter>;

// How often an event is expected; of events that belong to no thread, how often any thread's
// counters see them.
using expectation = std::function<std::uint64_t(unsigned tile, unsigned thread, base::event)>;

// The runs in which the events of the threads of `tiles` tiles that are expected at all are
// counted; at least one.
std::vector<armed_counters> runs_to_count(unsigned tiles, const std::vector<base::event>& events,
                                          const expectation&);

void arm(pmu::card_front_end&, const armed_counter&);
// The counter is where `n` events since arm() take it.
void expect_counted(const pmu::card_front_end&, const armed_counter&, std::uint64_t n);

}  // namespace knc::caches

#endif

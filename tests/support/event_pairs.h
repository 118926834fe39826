// Events and the kernels that prove them: one that makes an event count, and one close to it that
// must not.
//
// `Kernel` has name(), all() and expected(event): what it is compared with when it runs.
#ifndef KNC_TESTS_SUPPORT_EVENT_PAIRS_H
#define KNC_TESTS_SUPPORT_EVENT_PAIRS_H

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <knc/base/event.h>
#include <knc/pmu/event_table.h>

namespace knc::test {

struct event_pair {
    base::event event;
    const char* counts;
    const char* does_not;
    const char* difference;
};

// How many of the pairs, or of other entries with an event, are of this one.
template <class Entries>
std::ptrdiff_t entries_of(base::event e, const Entries& entries) {
    return std::count_if(std::begin(entries), std::end(entries),
                         [e](const auto& x) { return x.event == e; });
}

template <class Kernel>
const Kernel* find_kernel(const std::string& name) {
    const auto& all = Kernel::all();
    const auto k = std::find_if(all.begin(), all.end(),
                                [&](const Kernel* each) { return each->name() == name; });
    EXPECT_NE(k, all.end()) << name;
    return k != all.end() ? *k : nullptr;
}

template <class Kernel, std::size_t N>
void expect_as_named(const event_pair (&pairs)[N]) {
    for (const event_pair& p : pairs) {
        const Kernel *counts = find_kernel<Kernel>(p.counts),
                     *does_not = find_kernel<Kernel>(p.does_not);
        if (counts == nullptr || does_not == nullptr) continue;
        EXPECT_GT(counts->expected(p.event), 0u) << p.counts << ' ' << pmu::info(p.event).name;
        EXPECT_EQ(does_not->expected(p.event), 0u) << p.does_not << ' ' << pmu::info(p.event).name;
    }
}

// There are more than `fewest` kernels, and no two of one name.
template <class Kernel>
void expect_own_names(std::size_t fewest) {
    std::vector<std::string> names;
    for (const Kernel* k : Kernel::all()) names.push_back(k->name());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    EXPECT_GT(names.size(), fewest);
}

}  // namespace knc::test

#endif

#include <knc/pmu/p55c_pins.h>

#include <algorithm>

namespace knc::pmu {

bool p55c_pins::high(std::size_t n, base::cycle_t from, base::cycle_t to) {
    std::deque<interval>& list = of_[n];
    if (!list.empty() && from <= list.back().to) {
        list.back().to = std::max(list.back().to, to);
        return false;
    }
    list.push_back({from, to});
    return true;
}

bool p55c_pins::level(std::size_t n, base::cycle_t at) const {
    return std::any_of(of_[n].begin(), of_[n].end(),
                       [at](const interval& i) { return i.from <= at && at < i.to; });
}

base::cycle_t p55c_pins::next_change(std::size_t n, base::cycle_t at) const {
    for (const interval& i : of_[n]) {
        if (i.from > at) return i.from;
        if (i.to > at) return i.to;
    }
    return base::never;
}

void p55c_pins::forget(base::cycle_t at) {
    for (auto& list : of_)
        while (!list.empty() && list.front().to < at) list.pop_front();
}

}  // namespace knc::pmu

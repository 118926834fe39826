#include <knc/ring/injection_queue.h>

#include <algorithm>

namespace knc::ring {

std::uint32_t injection_queue::make(const injection& m) {
    if (free_ == none) {
        free_ = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
    }
    const std::uint32_t e = free_;
    free_ = entries_[e].next;
    const auto sender = static_cast<std::uint64_t>(m.sender);
    entries_[e] = {std::uint64_t{m.from} << 48 | sender << 46 | calls_++, m, none};
    return e;
}

void injection_queue::add(base::cycle_t now, base::cycle_t cycle, const injection& m) {
    const std::uint32_t e = make(m);
    next_ = std::min(next_, cycle);
    if (cycle - now >= wheel_cycles)
        far_.push({cycle, e});
    else
        insert(cycle, e);
}

void injection_queue::insert(base::cycle_t cycle, std::uint32_t e) {
    const std::size_t place = cycle % wheel_cycles;
    list& l = wheel_[place];
    const std::uint64_t order = entries_[e].order;
    if (l.first == none) {
        l = {e, e};
        filled_[place / 64] |= std::uint64_t{1} << place % 64;
        filled_words_ |= std::uint32_t{1} << place / 64;
    } else if (entries_[l.last].order < order) {
        entries_[l.last].next = e;
        l.last = e;
    } else {
        std::uint32_t* link = &l.first;
        while (entries_[*link].order < order) link = &entries_[*link].next;
        entries_[e].next = *link;
        *link = e;
    }
}

// Moves the messages of cycle `t` from the heap to the wheel.
void injection_queue::collect_far(base::cycle_t t) {
    for (; !far_.empty() && far_.top().first == t; far_.pop()) insert(t, far_.top().second);
}

}  // namespace knc::ring

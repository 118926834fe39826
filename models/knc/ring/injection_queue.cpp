#include <knc/ring/injection_queue.h>

#include <algorithm>

namespace knc::ring {

void injection_queue::add(base::cycle_t now, transit& m) {
    const auto sender = static_cast<std::uint64_t>(m.sender);
    m.order = std::uint64_t{m.from} << 48 | sender << 46 | calls_++;
    next_ = std::min(next_, m.clock);
    if (m.clock - now >= wheel_cycles)
        far_.push({m.clock, &m});
    else
        insert(m);
}

void injection_queue::insert(transit& m) {
    const std::size_t place = m.clock % wheel_cycles;
    wheel_[place].insert(m, &transit::order);
    filled_[place / 64] |= std::uint64_t{1} << place % 64;
    filled_words_ |= std::uint32_t{1} << place / 64;
}

// Moves the messages of cycle `t` from the heap to the wheel.
void injection_queue::collect_far(base::cycle_t t) {
    for (; !far_.empty() && far_.top().first == t; far_.pop()) insert(*far_.top().second);
}

}  // namespace knc::ring

#include <knc/ring/injection_queue.h>

#include <algorithm>

namespace knc::ring {

void injection_queue::add(base::cycle_t now, base::cycle_t cycle, const injection& m) {
    const auto sender = static_cast<std::uint64_t>(m.sender);
    const entry e{std::uint64_t{m.from} << 48 | sender << 46 | calls_++, m};
    next_ = std::min(next_, cycle);
    if (cycle - now >= wheel_cycles) {
        far_.push({cycle, e});
        return;
    }
    const std::size_t place = cycle % wheel_cycles;
    wheel_[place].push_back(e);
    filled_[place / 64] |= std::uint64_t{1} << place % 64;
}

void injection_queue::collect(base::cycle_t t) {
    const std::size_t place = t % wheel_cycles;
    due_.clear();
    due_.swap(wheel_[place]);
    filled_[place / 64] &= ~(std::uint64_t{1} << place % 64);
    for (; !far_.empty() && far_.top().first == t; far_.pop()) due_.push_back(far_.top().second);
    if (due_.size() > 1) std::sort(due_.begin(), due_.end());
    next_ = std::min(next_near(t), far_.empty() ? base::never : far_.top().first);
}

// The first filled cycle of the wheel from `now` on, in one round.
base::cycle_t injection_queue::next_near(base::cycle_t now) const {
    constexpr std::size_t words = wheel_cycles / 64;
    const std::size_t first = now % wheel_cycles;
    std::uint64_t bits = filled_[first / 64] & ~std::uint64_t{0} << first % 64;
    for (std::size_t w = 0; w <= words; ++w) {
        const std::size_t word = (first / 64 + w) % words;
        if (w == words)
            bits = filled_[word] & ~(~std::uint64_t{0} << first % 64);
        else if (w != 0)
            bits = filled_[word];
        if (bits != 0) {
            const std::size_t place = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
            return now + (place + wheel_cycles - first) % wheel_cycles;
        }
    }
    return base::never;
}

}  // namespace knc::ring

#include <knc/card/departures.h>

#include <algorithm>

namespace knc::card {

void departures::add(base::cycle_t now, base::cycle_t clock, std::uint16_t stop, sender who,
                     std::uint32_t message) {
    const entry e{
        std::uint64_t{stop} << 48 | std::uint64_t{static_cast<std::uint8_t>(who)} << 46 | calls_++,
        message};
    next_ = std::min(next_, clock);
    if (clock - now >= wheel_cycles) {
        far_.push({clock, e});
        return;
    }
    const std::size_t place = clock % wheel_cycles;
    wheel_[place].push_back(e);
    filled_[place / 64] |= std::uint64_t{1} << place % 64;
}

void departures::collect_(base::cycle_t t) {
    const std::size_t place = t % wheel_cycles;
    due_.clear();
    due_.swap(wheel_[place]);
    filled_[place / 64] &= ~(std::uint64_t{1} << place % 64);
    for (; !far_.empty() && far_.top().first == t; far_.pop()) due_.push_back(far_.top().second);
    std::sort(due_.begin(), due_.end());
    next_ = std::min(next_near_(t), far_.empty() ? base::never : far_.top().first);
}

// The first filled clock of the wheel from `now` on, going round it once.
base::cycle_t departures::next_near_(base::cycle_t now) const {
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

}  // namespace knc::card

#include <knc/ring/arrivals.h>

namespace knc::ring {

namespace {

std::size_t wheel_size(base::cycle_t longest) {
    std::size_t n = 64;
    while (n <= longest) n *= 2;
    return n;
}

}  // namespace

arrivals::arrivals(base::cycle_t longest)
    : last_(wheel_size(longest) - 1), buckets_(last_ + 1), filled_(buckets_.size() / 64) {}

// The word that contains `now` has none from there on; the search ends with its lower part.
base::cycle_t arrivals::next_beyond(base::cycle_t now) const {
    const std::size_t b = bucket(now), words = filled_.size();
    for (std::size_t n = 1; n <= words; ++n) {
        const std::size_t w = (b / 64 + n) & (words - 1);
        if (filled_[w] == 0) continue;
        const std::size_t found = w * 64 + static_cast<unsigned>(__builtin_ctzll(filled_[w]));
        return now + ((found - b) & last_);
    }
    return base::never;
}

}  // namespace knc::ring

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
    : buckets_(wheel_size(longest)), filled_(buckets_.size() / 64) {}

void arrivals::enter(message_pool& pool, std::uint32_t message) {
    const std::size_t b = bucket(pool[message].content.clock);
    buckets_[b].append(pool, message);
    filled_[b / 64] |= std::uint64_t{1} << b % 64;
}

base::cycle_t arrivals::next(base::cycle_t now) const {
    const std::size_t b = bucket(now), words = filled_.size();
    // The search visits the word that contains `now` twice: first its upper part, last its lower
    // part.
    std::uint64_t word = filled_[b / 64] >> b % 64 << b % 64;
    for (std::size_t n = 0; n <= words; ++n) {
        const std::size_t w = (b / 64 + n) & (words - 1);
        if (n != 0) word = filled_[w];
        if (word == 0) continue;
        const std::size_t found = w * 64 + static_cast<unsigned>(__builtin_ctzll(word));
        return now + ((found - b) & (buckets_.size() - 1));
    }
    return base::never;
}

message_list arrivals::take(base::cycle_t t) {
    const std::size_t b = bucket(t);
    const message_list taken = buckets_[b];
    buckets_[b] = {};
    filled_[b / 64] &= ~(std::uint64_t{1} << b % 64);
    return taken;
}

}  // namespace knc::ring

#include <knc/cache/replacement.h>

#include <algorithm>

namespace knc::cache {

namespace {

unsigned least_recent(const base::cycle_t* used, unsigned ways, std::uint32_t allowed) {
    unsigned oldest = ways;
    for (unsigned w = 0; w < ways; ++w)
        if ((allowed >> w & 1) != 0 && (oldest == ways || used[w] < used[oldest])) oldest = w;
    return oldest;
}

unsigned end_of_tree(const base::cycle_t* used, unsigned ways) {
    unsigned first = 0;
    while (ways > 1) {
        ways /= 2;
        const base::cycle_t* lower = used + first;
        const base::cycle_t* upper = lower + ways;
        if (*std::max_element(upper, upper + ways) < *std::max_element(lower, lower + ways))
            first += ways;
    }
    return first;
}

// SplitMix64.
std::uint64_t next_random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

}  // namespace

unsigned choose_victim(replacement policy, const base::cycle_t* used, unsigned ways,
                       std::uint32_t allowed, std::uint64_t& random_state) {
    if (policy == replacement::random) {
        auto skip =
            next_random(random_state) % static_cast<std::uint64_t>(__builtin_popcount(allowed));
        while (skip-- != 0) allowed &= allowed - 1;
        return static_cast<unsigned>(__builtin_ctz(allowed));
    }
    if (policy == replacement::tree_plru) {
        const unsigned w = end_of_tree(used, ways);
        if ((allowed >> w & 1) != 0) return w;
    }
    return least_recent(used, ways, allowed);
}

}  // namespace knc::cache

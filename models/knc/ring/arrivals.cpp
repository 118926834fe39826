#include <knc/ring/arrivals.h>

#include <algorithm>

namespace knc::ring {

namespace {

std::size_t wheel_size(base::cycle_t longest) {
    std::size_t n = 64;
    while (n <= longest) n *= 2;
    return n;
}

}  // namespace

base::cycle_t longest_travel(const parameters& p, unsigned stops) {
    const base::cycle_t way = base::cycle_t{stops / 2} * p.hop_cycles + p.eject_cycles;
    return std::max<base::cycle_t>(way, p.local_cycles);
}

// Two messages reach a stop in one cycle by one ring only if they are local. Local messages keep
// the order in which they left. There are few, so each moves to its place at once.
void sort_due(transit_list list, std::vector<transit*>& due) {
    due.clear();
    while (!list.empty()) {
        transit& m = list.remove();
        m.order = std::uint64_t{m.to} << 8 | m.ring;
        std::size_t place = due.size();
        due.push_back(&m);
        for (; place != 0 && due[place - 1]->order > m.order; --place) due[place] = due[place - 1];
        due[place] = &m;
    }
}

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

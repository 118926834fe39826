#include <knc/ring/ring_group.h>

#include <numeric>

namespace knc::ring {

ring_group::ring_group(const parameters& p, unsigned stops, direction way, unsigned first_ring,
                       unsigned copies)
    : rings_(copies, one_ring{slot_ring(way, stops, p.hop_cycles), traffic(way, stops)}),
      queues_(stops),
      filled_((stops + 63) / 64),
      slots_of_ring_(base::cycle_t{stops} * p.hop_cycles),
      eject_cycles_(p.eject_cycles),
      local_cycles_(p.local_cycles),
      way_(way),
      alternates_(p.alternate_ejection),
      first_ring_(static_cast<std::uint8_t>(first_ring)) {}

void ring_group::wait(queue& q, transit& m) {
    q.messages.insert(m, &transit::clock);
    ++q.length;
    filled_[m.from / 64] |= std::uint64_t{1} << m.from % 64;
    next_attempt_ = std::min(next_attempt_, m.clock);
}

std::uint64_t ring_group::travel() const {
    return std::accumulate(
        rings_.begin(), rings_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const one_ring& r) { return sum + r.carried.travel(); });
}

}  // namespace knc::ring

#include <knc/ring/traffic.h>

namespace knc::ring {

void traffic::count(direction way, unsigned from, unsigned to, base::cycle_t waited) {
    ++stops_[from].injected;
    stops_[from].waited += waited;
    // The stops in between, in ascending order round the ring: first .. last - 1.
    const auto stops = static_cast<unsigned>(stops_.size());
    const unsigned begin = way == direction::up ? from : to,
                   last = way == direction::up ? to : from;
    const unsigned first = begin + 1 == stops ? 0 : begin + 1;
    hops_ += last >= begin ? last - begin : last + stops - begin;
    if (first == last) return;
    ++stops_[first].step;
    --stops_[last].step;
    if (first == 0 || (last < first && last != 0)) ++past_zero_;
}

std::vector<traffic_count> traffic::read() const {
    std::vector<traffic_count> counts;
    counts.reserve(stops_.size());
    std::int64_t passing = past_zero_ - stops_.front().step;
    for (const at_stop& s : stops_) {
        passing += s.step;
        counts.push_back({s.injected, s.waited, static_cast<std::uint64_t>(passing)});
    }
    return counts;
}

}  // namespace knc::ring

#include <knc/ring/traffic.h>

namespace knc::ring {

void traffic::count(direction way, unsigned from, unsigned to, base::cycle_t waited) {
    at_stop* const at = stops_.data();
    ++at[from].injected;
    at[from].waited += waited;
    // The stops in between, in ascending order round the ring: first .. last - 1.
    const unsigned begin = way == direction::up ? from : to,
                   last = way == direction::up ? to : from;
    const unsigned first = begin + 1 == number_ ? 0 : begin + 1;
    hops_ += last >= begin ? last - begin : last + number_ - begin;
    if (first == last) return;
    ++at[first].step;
    --at[last].step;
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

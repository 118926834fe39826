#include <knc/ring/traffic.h>

namespace knc::ring {

// Follows the messages round the ring, from stop 0 or to it.
std::vector<traffic_count> traffic::read() const {
    std::vector<traffic_count> counts(stops_.size());
    std::uint64_t coming = round_;
    for (std::size_t n = 0; n < stops_.size(); ++n) {
        const std::size_t s = way_ == direction::up ? n : stops_.size() - 1 - n;
        const at_stop& at = stops_[s];
        counts[s] = {at.injected, at.waited, coming - at.ejected};
        coming += at.injected - at.ejected;
    }
    return counts;
}

}  // namespace knc::ring

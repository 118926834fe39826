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

}  // namespace knc::ring

#include <knc/pentium/bus.h>

#include <algorithm>

#include <knc/base/archive.h>

namespace knc::pentium {

bus::transfer bus::occupy(base::cycle_t first_clocks, unsigned transfers, base::cycle_t now) {
    const base::cycle_t ratio = p_.bus_ratio;
    const base::cycle_t start = (std::max(now + 1, free_) + ratio - 1) / ratio * ratio;
    if (start > free_) since_ = start;
    transfer t{};
    t.first = start + first_clocks * ratio;
    t.end = t.first + (transfers - 1) * base::cycle_t{p_.burst_clocks} * ratio;
    free_ = t.end;
    client_->bus_busy(start, t.end);
    return t;
}

void bus::serialize(base::archive& a) {
    a(reads_, writes_);
}

}  // namespace knc::pentium

// What the ring has counted, field by field; docs/checkpoints.md.
#include <knc/base/archive.h>
#include <knc/ring/carrier.h>

namespace knc::ring {

void traffic_count::serialize(base::archive& a) {
    a(injected, waited, passed);
}

void carrier::serialize(base::archive& a) {
    base::cycle_t now = now_;
    a(now);
    if (a.loading()) reset(now);
    a(busy_before_, counted_before_);
}

}  // namespace knc::ring

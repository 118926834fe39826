#include <knc/coherence/annotation.h>

namespace knc::coherence {

void annotation::move_origin(base::cycle_t cycle) {
    constexpr base::cycle_t back = reach / 2;
    unit_ = sc_core::sc_time::from_value(1);
    origin_ = cycle > back ? cycle - back : 0;
    // start_ counts the whole seconds apart, so the product stays below 10^24.
    const base::cycle_t seconds = origin_ / clock_.hz(), part = origin_ % clock_.hz();
    __extension__ using wide = unsigned __int128;
    const wide ps = wide{part} * ps_per_s;
    start_ = seconds * ps_per_s + static_cast<std::uint64_t>(ps / clock_.hz());
    rest_ = static_cast<std::uint64_t>(ps % clock_.hz());
}

}  // namespace knc::coherence

// Converts a cycle into the sc_time argument of a transport: the delay from the present SystemC
// time.
//
// Models: the same times as base::clock::at(), computed with 64-bit arithmetic as long as
// successive cycles are near each other. A cycle in SystemC's past gives a delay of zero. Leaves
// out: nothing. Source: IEEE 1666-2011, 11.1 (timing annotation).
#ifndef KNC_COHERENCE_ANNOTATION_H
#define KNC_COHERENCE_ANNOTATION_H

#include <cstdint>

#include <systemc>

#include <knc/base/clock.h>

namespace knc::coherence {

class annotation {
  public:
    explicit annotation(const base::clock& c) : clock_(c) {}

    sc_core::sc_time operator()(base::cycle_t cycle) {
        const std::uint64_t at = time_of(cycle),
                            now = sc_core::sc_get_curr_simcontext()->time_stamp().value();
        sc_core::sc_time delay;
        if (at > now) {
            delay = unit_;
            delay *= static_cast<double>(static_cast<std::int64_t>(at - now));
        }
        return delay;
    }

  private:
    static constexpr std::uint64_t ps_per_s = 1'000'000'000'000;
    static constexpr base::cycle_t reach = base::cycle_t{1} << 22;

    // The start of the cycle, in units of SystemC's time resolution.
    std::uint64_t time_of(base::cycle_t cycle) {
        if (cycle - origin_ >= reach) move_origin(cycle);
        // At most 2^22 * 10^12 + 2 * 10^12, which 64 bits hold.
        return start_ + (rest_ + (cycle - origin_) * ps_per_s + clock_.hz() - 1) / clock_.hz();
    }
    void move_origin(base::cycle_t);

    base::clock clock_;
    sc_core::sc_time unit_;
    // A cycle shortly before the last one requested. It begins at start_ + rest_ / hz.
    base::cycle_t origin_ = base::never / 2;  // far from any cycle, so the first call moves it
    std::uint64_t start_ = 0, rest_ = 0;
};

}  // namespace knc::coherence

#endif

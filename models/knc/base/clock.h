// The core clock: time is an integer number of cycles; sc_time is derived from it.
//
// Models: exact conversion both ways for any frequency up to 1 THz at SystemC's 1 ps resolution.
// Leaves out: frequency changes at run time.
#ifndef KNC_BASE_CLOCK_H
#define KNC_BASE_CLOCK_H

#include <cstdint>
#include <systemc>

namespace knc::base {

// A point or a length of time in cycles of the core clock.
using cycle_t = std::uint64_t;
inline constexpr cycle_t never = ~cycle_t{0};

class clock {
  public:
    // `hz`: frequency, 1 .. 10^12.
    explicit clock(std::uint64_t hz) : hz_(hz) {}

    std::uint64_t hz() const { return hz_; }

    // The time at which cycle `c` begins, rounded up to SystemC's resolution of 1 ps.
    sc_core::sc_time at(cycle_t c) const {
        return sc_core::sc_time::from_value(
            static_cast<std::uint64_t>((wide{c} * ps_per_s + hz_ - 1) / hz_));
    }
    // The cycle in which time `t` lies: at(c) == t gives c.
    cycle_t cycle(const sc_core::sc_time& t) const {
        return static_cast<cycle_t>(wide{t.value()} * hz_ / ps_per_s);
    }

  private:
    __extension__ using wide = unsigned __int128;
    static constexpr std::uint64_t ps_per_s = 1'000'000'000'000;
    std::uint64_t hz_;
};

}  // namespace knc::base

#endif

// Core clocks and GDDR5 command clocks: exact conversion both ways.
//
// Models: two clocks of fixed frequency that begin together; clock n of one of f Hz begins at n/f
// seconds. Leaves out: synchronisers between the two (part of the controller's front and back end).
#ifndef KNC_MEMORY_CONTROLLER_CLOCK_H
#define KNC_MEMORY_CONTROLLER_CLOCK_H

#include <cstdint>
#include <numeric>

#include <knc/base/clock.h>
#include <knc/memory/gddr5_timing.h>

namespace knc::memory {

class controller_clock {
  public:
    // Frequencies in Hz, not 0; their product, once their common divisor is taken out, below 2^64.
    controller_clock(std::uint64_t core_hz, std::uint64_t ck_hz)
        : core_(core_hz / std::gcd(core_hz, ck_hz)), ck_(ck_hz / std::gcd(core_hz, ck_hz)) {}

    // The first CK that does not begin before core clock `c`.
    ck_t ck(base::cycle_t c) const { return not_before(c, core_, ck_); }
    // The first core clock that does not begin before `m`.
    base::cycle_t core(ck_t m) const { return not_before(m, ck_, core_); }
    // The first core clock that begins after the beginning of `m`.
    base::cycle_t core_after(ck_t m) const { return m / ck_ * core_ + m % ck_ * core_ / ck_ + 1; }

  private:
    // Whole multiples of `from` apart, no product exceeds from * to.
    static std::uint64_t not_before(std::uint64_t n, std::uint64_t from, std::uint64_t to) {
        const std::uint64_t part = n % from * to;
        return n / from * to + part / from + (part % from != 0 ? 1 : 0);
    }

    std::uint64_t core_, ck_;  // without their common divisor
};

}  // namespace knc::memory

#endif

// Exact conversion between core cycles and GDDR5 command clocks.
//
// Models: two clocks of fixed frequency that start together; cycle n of a clock of f Hz begins at
// n/f seconds. Leaves out: synchronisers between the two; the controller's front-end and back-end
// times include them.
#ifndef KNC_MEMORY_CONTROLLER_CLOCK_H
#define KNC_MEMORY_CONTROLLER_CLOCK_H

#include <cstdint>
#include <numeric>

#include <knc/base/clock.h>
#include <knc/memory/gddr5_timing.h>

namespace knc::memory {

class controller_clock {
  public:
    // Frequencies in Hz, not 0. Their product, each divided by their common divisor, must be below
    // 2^64.
    controller_clock(std::uint64_t core_hz, std::uint64_t ck_hz)
        : core_(core_hz / std::gcd(core_hz, ck_hz)), ck_(ck_hz / std::gcd(core_hz, ck_hz)) {}

    // The first CK that does not begin before core cycle `c`.
    ck_t ck(base::cycle_t c) const { return not_before(c, core_, ck_); }
    // The first core cycle that does not begin before `m`.
    base::cycle_t core(ck_t m) const { return not_before(m, ck_, core_); }
    // The first core cycle that begins after the beginning of `m`.
    base::cycle_t core_after(ck_t m) const { return m / ck_ * core_ + m % ck_ * core_ / ck_ + 1; }

  private:
    // Separates the whole multiples of `from`, so no product exceeds from * to.
    static std::uint64_t not_before(std::uint64_t n, std::uint64_t from, std::uint64_t to) {
        const std::uint64_t part = n % from * to;
        return n / from * to + part / from + (part % from != 0 ? 1 : 0);
    }

    std::uint64_t core_, ck_;  // divided by their common divisor
};

}  // namespace knc::memory

#endif

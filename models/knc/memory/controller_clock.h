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
    // Frequencies in Hz, not 0. Each, divided by their common divisor, must be below 2^63, and
    // every result below 2^64.
    controller_clock(std::uint64_t core_hz, std::uint64_t ck_hz)
        : cks_(ck_hz / std::gcd(core_hz, ck_hz), core_hz / std::gcd(core_hz, ck_hz)),
          cores_(core_hz / std::gcd(core_hz, ck_hz), ck_hz / std::gcd(core_hz, ck_hz)) {}

    // The first CK that does not begin before core cycle `c`.
    ck_t ck(base::cycle_t c) const { return cks_.up(c); }
    // The first core cycle that does not begin before `m`.
    base::cycle_t core(ck_t m) const { return cores_.up(m); }
    // The first core cycle that begins after the beginning of `m`.
    base::cycle_t core_after(ck_t m) const { return cores_.down(m) + 1; }

  private:
    // Multiplies by a fraction. A 64-bit division takes the host longer than three multiplications.
    class ratio {
      public:
        ratio(std::uint64_t times, std::uint64_t parts)
            : times_(times),
              parts_(parts),
              whole_(times / parts),
              fraction_(static_cast<std::uint64_t>((wide{times % parts} << 64) / parts)) {}

        std::uint64_t down(std::uint64_t n) const { return divided(n).quotient; }
        std::uint64_t up(std::uint64_t n) const {
            const result r = divided(n);
            return r.quotient + (r.rest != 0 ? 1 : 0);
        }

      private:
        __extension__ using wide = unsigned __int128;
        struct result {
            std::uint64_t quotient, rest;
        };

        // `fraction_` is too small by less than 2^-64, so the first quotient is right or one too
        // small.
        result divided(std::uint64_t n) const {
            const std::uint64_t quotient =
                n * whole_ + static_cast<std::uint64_t>(wide{n} * fraction_ >> 64);
            const std::uint64_t rest = n * times_ - quotient * parts_;
            return rest < parts_ ? result{quotient, rest} : result{quotient + 1, rest - parts_};
        }

        std::uint64_t times_, parts_, whole_, fraction_;
    };

    ratio cks_, cores_;
};

}  // namespace knc::memory

#endif

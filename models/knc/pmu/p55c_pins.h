// The pins PM0 and PM1 of a Pentium with MMX: when each is high.
//
// Models: intervals of clocks in which a pin is high; neighbouring ones are one. Leaves out: what
// makes a pin high (knc/pmu/p55c_front_end.h); the use of the pins as breakpoint pins. Source:
// Intel SDM vol. 3, performance monitoring of Pentium processors; docs/p55c.md.
#ifndef KNC_PMU_P55C_PINS_H
#define KNC_PMU_P55C_PINS_H

#include <array>
#include <cstddef>
#include <deque>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/pmu/p55c_registers.h>

namespace knc::pmu {

class p55c_pins {
  public:
    // Pin `n` is high in the clocks [from, to). Calls for a pin come in ascending order of `from`.
    // Returns whether it rises in `from`.
    bool high(std::size_t n, base::cycle_t from, base::cycle_t to);
    bool level(std::size_t n, base::cycle_t at) const;
    // The first known clock after `at` in which the pin has another level than in the one before;
    // base::never if there is none.
    base::cycle_t next_change(std::size_t n, base::cycle_t at) const;
    // Nobody asks for clocks before `at` any more.
    void forget(base::cycle_t at);
    void reset() { *this = {}; }
    void serialize(base::archive&);

  private:
    struct interval {
        base::cycle_t from, to;

        void serialize(base::archive&);
    };
    std::array<std::deque<interval>, p55c::counters> of_;
};

}  // namespace knc::pmu

#endif

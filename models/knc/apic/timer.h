// The count-down timer of the local APIC.
//
// Models: initial and current count, the eight dividers, one-shot and periodic mode, to the clock:
// the count reaches zero exactly `initial * divider * ratio` core clocks after the initial count is
// written, and in periodic mode again every so many clocks. Costs nothing while it counts. Leaves
// out: the phase of a free-running divider (a write to the initial count restarts it) and the
// TSC-deadline mode. Source: SDM vol. 3, 10.5.4.
#ifndef KNC_APIC_TIMER_H
#define KNC_APIC_TIMER_H

#include <cstdint>

#include <knc/base/clock.h>

namespace knc::apic {

class timer {
  public:
    // `ratio`: core clocks per timer clock before the divider, at least 1 (0 is taken as 1).
    explicit timer(std::uint32_t ratio);

    // Starts counting down from `count` at clock `now`; 0 stops.
    void start(std::uint32_t count, base::cycle_t now);
    // Divide configuration register, bits 3, 1 and 0. A running count goes on from where it is; the
    // part of a count that had passed is lost.
    void set_divide(std::uint32_t configuration, base::cycle_t now);
    void set_periodic(bool periodic, base::cycle_t now);

    std::uint32_t current(base::cycle_t now) const;
    // The clock at which the count next reaches zero, never if stopped. Holds until catch_up().
    base::cycle_t expiry() const;
    // Accounts for everything up to and including `now`; returns whether zero was reached.
    bool catch_up(base::cycle_t now);

  private:
    base::cycle_t ratio_;
    base::cycle_t tick_;        // core clocks per count
    std::uint32_t reload_ = 0;  // what a periodic timer starts again from
    std::uint32_t count_ = 0;   // the count at clock base_; 0: stopped
    base::cycle_t base_ = 0;
    bool periodic_ = false;
};

// What a divide configuration divides by: 1, 2, 4 .. 128.
std::uint32_t timer_divider(std::uint32_t configuration);

}  // namespace knc::apic

#endif

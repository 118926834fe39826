// The count-down timer of the local APIC.
//
// Models: initial and current count, the eight dividers, one-shot and periodic mode, exact to the
// cycle. The count reaches zero `initial * divider * ratio` core cycles after the write of the
// initial count, and in periodic mode again after each further period. A running timer costs no
// simulation time. Leaves out: the phase of a free-running divider (a write of the initial count
// restarts it), TSC-deadline mode. Source: SDM vol. 3, 10.5.4.
#ifndef KNC_APIC_TIMER_H
#define KNC_APIC_TIMER_H

#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace knc::apic {

class timer {
  public:
    // `ratio`: core cycles per timer cycle before the divider, at least 1 (0 is treated as 1).
    explicit timer(std::uint32_t ratio);

    // Starts to count down from `count` in cycle `now`; 0 stops the timer.
    void start(std::uint32_t count, base::cycle_t now);
    // Writes bits 3, 1 and 0 of the divide configuration register. A running count continues from
    // its value; the elapsed fraction of a count is lost.
    void set_divide(std::uint32_t configuration, base::cycle_t now);
    void set_periodic(bool periodic, base::cycle_t now);

    std::uint32_t current(base::cycle_t now) const;
    // The cycle in which the count next reaches zero; base::never if the timer is stopped. Valid
    // until catch_up().
    base::cycle_t expiry() const;
    // Advances the timer up to and including `now`; returns whether the count reached zero.
    bool catch_up(base::cycle_t now);
    void serialize(base::archive&);

  private:
    base::cycle_t ratio_;
    base::cycle_t tick_;        // core cycles per count
    std::uint32_t reload_ = 0;  // the value from which a periodic timer restarts
    std::uint32_t count_ = 0;   // the count in cycle base_; 0: stopped
    base::cycle_t base_ = 0;
    bool periodic_ = false;
};

// The divisor of a divide configuration: 1, 2, 4 .. 128.
std::uint32_t timer_divider(std::uint32_t configuration);

}  // namespace knc::apic

#endif

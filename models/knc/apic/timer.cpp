#include <knc/apic/timer.h>

#include <algorithm>

namespace knc::apic {

std::uint32_t timer_divider(std::uint32_t configuration) {
    // Bits 3, 1 and 0 form a number n. The divisor is 2^(n+1), except for 7: 1.
    const std::uint32_t n = (configuration >> 1 & 4) | (configuration & 3);
    return n == 7 ? 1 : 2u << n;
}

timer::timer(std::uint32_t ratio) : ratio_(std::max(ratio, 1u)), tick_(ratio_ * timer_divider(0)) {}

void timer::start(std::uint32_t count, base::cycle_t now) {
    reload_ = count_ = count;
    base_ = now;
}

void timer::set_divide(std::uint32_t configuration, base::cycle_t now) {
    const base::cycle_t tick = ratio_ * timer_divider(configuration);
    if (tick == tick_) return;
    catch_up(now);
    count_ = current(now);
    base_ = now;
    tick_ = tick;
}

void timer::set_periodic(bool periodic, base::cycle_t now) {
    catch_up(now);
    periodic_ = periodic;
}

std::uint32_t timer::current(base::cycle_t now) const {
    if (count_ == 0 || now < base_) return count_;
    const base::cycle_t counts = (now - base_) / tick_;
    if (counts < count_) return count_ - static_cast<std::uint32_t>(counts);
    if (!periodic_) return 0;
    return reload_ - static_cast<std::uint32_t>((counts - count_) % reload_);
}

base::cycle_t timer::expiry() const {
    return count_ == 0 ? base::never : base_ + count_ * tick_;
}

bool timer::catch_up(base::cycle_t now) {
    const base::cycle_t first = expiry();
    if (first == base::never || first > now) return false;
    if (periodic_) {
        const base::cycle_t period = reload_ * tick_;
        base_ = first + (now - first) / period * period;
        count_ = reload_;
    } else {
        count_ = 0;
    }
    return true;
}

}  // namespace knc::apic

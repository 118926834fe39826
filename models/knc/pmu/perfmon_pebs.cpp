// The records that the counters of a thread ask for.

#include <knc/base/bits.h>
#include <knc/pmu/perfmon_events.h>
#include <knc/pmu/perfmon_front_end.h>

namespace knc::pmu {

using wait = armed_counter::wait;

bool perfmon_front_end::has_pebs(const bank& b, std::size_t n) {
    return base::test(b.pebs_enable, perfmon::position(n));
}

bool perfmon_front_end::is_adaptive(const bank& b, std::size_t n) {
    return n < perfmon::general_counters
               ? base::test(b.evtsel[n], perfmon::adaptive)
               : perfmon::fixed_bit(b.fixed_control, n, perfmon::fixed_adaptive);
}

// What the counter counts has one instruction of its thread as cause.
bool perfmon_front_end::of_one_instruction(const bank& b, std::size_t n) const {
    const selection s = selected(b, n);
    return s.counts() && of_instruction(s.event) && !s.all_threads && s.threshold == 0 && !s.edge;
}

// The counter has overflowed in cycle `clock`, and no instruction is known that did it. One that
// acts in its last cycle is the only one of that cycle, and the PMU learns of its event before it
// retires.
void perfmon_front_end::set_armed(std::size_t thread, std::size_t n, base::cycle_t clock) {
    bank& b = banks_[thread];
    armed_counter& a = b.armed[n];
    if (a.what != wait::not_armed) return;
    if (!of_one_instruction(b, n))
        a = {wait::after_cycle, clock};
    else if (parameters_.perfmon.pebs_arm == pebs_arm::same)
        a = {wait::from_cycle, clock};
    else
        a = {wait::for_event, counters_->present(counter(thread, n))};
}

base::cycle_t perfmon_front_end::watch_from(std::size_t thread) const {
    const bank& b = banks_[thread];
    if (b.pebs_enable == 0 || b.held) return base::never;
    base::cycle_t from = base::never;
    for (std::size_t n = 0; n < perfmon::counters; ++n) {
        if (!has_pebs(b, n)) continue;
        if (b.armed[n].what != wait::not_armed) return counters_->settled();
        if (of_one_instruction(b, n))
            from = std::min(from, counters_->may_overflow(counter(thread, n)));
    }
    return from;
}

bool perfmon_front_end::retired(std::size_t thread, base::cycle_t clock) {
    bank& b = banks_[thread];
    if (b.held) return false;
    for (std::size_t n = 0; n < perfmon::counters; ++n) {
        if (!has_pebs(b, n)) continue;
        const std::size_t c = counter(thread, n);
        const auto own = static_cast<std::uint8_t>(1u << n);
        armed_counter& a = b.armed[n];
        bool recorded = false;
        switch (a.what) {
            case wait::not_armed:
                if ((b.noticed & own) != 0 || !of_one_instruction(b, n) || !counters_->exceeds(c))
                    break;
                b.noticed |= own;
                if (parameters_.perfmon.pebs_arm == pebs_arm::same)
                    recorded = true;
                else
                    a = {wait::for_event, counters_->present(c)};
                break;
            case wait::from_cycle:
                recorded = clock >= a.since;
                break;
            case wait::after_cycle:
                recorded = clock > a.since;
                break;
            case wait::for_event:
                recorded = counters_->present(c) != a.since;
                break;
        }
        if (!recorded) continue;
        a.what = wait::not_armed;
        b.due |= own;
    }
    return b.due != 0;
}

pebs_request perfmon_front_end::due(std::size_t thread) const {
    const bank& b = banks_[thread];
    pebs_request r;
    r.area = b.debug_store;
    for (std::size_t n = 0; n < perfmon::counters; ++n) {
        if ((b.due >> n & 1) == 0 || !has_pebs(b, n)) continue;
        r.counters |= base::bit(perfmon::position(n));
        r.adaptive = r.adaptive || is_adaptive(b, n);
    }
    if (r.adaptive) r.config = b.pebs_config;
    return r;
}

// The threshold's PMI does not depend on INT.
void perfmon_front_end::recorded(std::size_t thread,
                                 const std::array<std::uint64_t, perfmon::counters>& reset,
                                 pebs_outcome how) {
    bank& b = banks_[thread];
    ++(how == pebs_outcome::no_room ? b.pebs.no_room : b.pebs.records);
    for (std::size_t n = 0; n < perfmon::counters; ++n)
        if ((b.due >> n & 1) != 0 && has_pebs(b, n))
            counters_->set_value(counter(thread, n), reset[n]);
    b.due = 0;
    const bool before = base::test(b.status, perfmon::buffer_full);
    if (how != pebs_outcome::threshold_reached || before) return;
    b.status |= base::bit(perfmon::buffer_full);
    interrupt(thread, true);
}

void perfmon_front_end::hold(std::size_t thread) {
    bank& b = banks_[thread];
    for (std::size_t n = 0; n < perfmon::counters; ++n)
        if ((b.due >> n & 1) != 0) b.armed[n] = {wait::after_cycle, 0};
    b.due = 0;
    b.held = true;
    ++b.pebs.faults;
}

}  // namespace knc::pmu

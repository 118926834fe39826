#include <knc/pmu/perfmon_front_end.h>

#include <knc/base/bits.h>
#include <knc/pmu/knc_registers.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::pmu {

namespace {

using perfmon::fixed_bit;
using perfmon::general_counters;
using perfmon::position;

// The time-stamp counter counts core clocks, so its reference cycles are core cycles.
constexpr std::array<base::event, perfmon::fixed_counters> fixed_events = {
    base::instructions_executed, base::unhalted_core_cycles, base::unhalted_core_cycles};

}  // namespace

bool perfmon_front_end::rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value,
                              acceptance& a) {
    const bool fast = base::test(index, perfmon::rdpmc_fast);
    if (fast && parameters_.perfmon.rdpmc_fast == rdpmc_fast::gp) return false;
    const bool fixed = base::test(index, perfmon::rdpmc_fixed);
    const auto n = static_cast<std::uint32_t>(base::bits(index, perfmon::rdpmc_fixed - 1, 0));
    if (n >= (fixed ? perfmon::fixed_counters : general_counters)) return false;
    a.accepted();
    value = counters_->value(counter(thread, fixed ? general_counters + n : n));
    if (fast) value &= base::mask(32);
    return true;
}

std::vector<std::string> perfmon_front_end::counter_names() const {
    return {"pmc0", "pmc1", "pmc2", "pmc3", "fixed0", "fixed1", "fixed2"};
}

thread_state perfmon_front_end::state(std::size_t thread) const {
    const bank& b = banks_[thread];
    thread_state s = counts(thread);
    s.evtsel.assign(b.evtsel.begin(), b.evtsel.end());
    s.global_ctrl = b.global_control;
    s.status = b.status;
    s.fixed_control = b.fixed_control;
    s.debug_control = b.debug_control;
    s.pmi_line = b.level;
    if (parameters_.perfmon.pebs) s.pebs = b.pebs;
    return s;
}

std::vector<front_end_if::shown_register> perfmon_front_end::shown() const {
    using perfmon::width;
    return {{"pmc0", width, "general counter 0"},
            {"pmc1", width, "general counter 1"},
            {"pmc2", width, "general counter 2"},
            {"pmc3", width, "general counter 3"},
            {"fixed0", width, "fixed counter 0: instructions"},
            {"fixed1", width, "fixed counter 1: core cycles"},
            {"fixed2", width, "fixed counter 2: reference cycles"},
            {"evtsel0", 35, "event select 0"},
            {"evtsel1", 35, "event select 1"},
            {"evtsel2", 35, "event select 2"},
            {"evtsel3", 35, "event select 3"},
            {"fixed_ctrl", 41, "four bits for each fixed counter: OS, USR, any thread, PMI"},
            {"status", 63, "bit i, 32+j: general counter i, fixed counter j has overflowed"},
            {"global_ctrl", 35, "bit i, 32+j: general counter i, fixed counter j may count"},
            {"debugctl", 13, "bit 12: a PMI clears global_ctrl"},
            {"pebs_enable", 35, "bit i, 32+j: general counter i, fixed counter j makes records"},
            {"pmis", 32, "PMIs sent to the local APIC since reset"}};
}

void perfmon_front_end::show(std::size_t thread, std::uint64_t* values) const {
    const bank& b = banks_[thread];
    for (std::size_t n = 0; n < perfmon::counters; ++n)
        *values++ = counters_->value(counter(thread, n));
    for (const std::uint64_t e : b.evtsel) *values++ = e;
    *values++ = b.fixed_control;
    *values++ = b.status;
    *values++ = b.global_control;
    *values++ = b.debug_control;
    *values++ = b.pebs_enable;
    *values = b.pmis;
}

// What counter `n` counts now.
selection perfmon_front_end::selected(const bank& b, std::size_t n) const {
    if (!base::test(b.global_control, position(n))) return {};
    if (n >= general_counters) {
        selection s;
        s.event = fixed_events[n - general_counters];
        s.supervisor = fixed_bit(b.fixed_control, n, perfmon::fixed_control::os);
        s.user = fixed_bit(b.fixed_control, n, perfmon::fixed_control::usr);
        s.all_threads = fixed_bit(b.fixed_control, n, perfmon::fixed_control::any);
        return s;
    }
    const std::uint64_t e = b.evtsel[n];
    if (!base::test(e, event_select::enable)) return {};
    selection s = event_select::conditions(e);
    s.event =
        find_perfmon_event(static_cast<std::uint8_t>(base::bits(e, 7, 0)),
                           static_cast<std::uint8_t>(base::bits(e, 15, 8)), parameters_.perfmon.l3);
    return s;
}

bool perfmon_front_end::interrupts(const bank& b, std::size_t n) {
    return n < general_counters ? base::test(b.evtsel[n], event_select::interrupt)
                                : fixed_bit(b.fixed_control, n, perfmon::fixed_control::pmi);
}

// The WRMSR may be the instruction whose event a counter waits for.
void perfmon_front_end::changes(std::size_t thread) {
    for (std::size_t n = 0; n < perfmon::counters; ++n) {
        armed_counter& a = banks_[thread].armed[n];
        if (a.what == armed_counter::wait::for_event &&
            counters_->present(counter(thread, n)) != a.since)
            a = {armed_counter::wait::from_cycle, counters_->settled() - 1};
    }
}

// What a write of the counter itself adds is no event.
void perfmon_front_end::changed(std::size_t thread) {
    bank& b = banks_[thread];
    reconfigure(thread);
    bool armed = false;
    for (std::size_t n = 0; n < perfmon::counters; ++n) {
        armed_counter& a = b.armed[n];
        if (!has_pebs(b, n)) a.what = armed_counter::wait::not_armed;
        if (a.what == armed_counter::wait::for_event)
            a.since = counters_->present(counter(thread, n));
        armed = armed || a.what != armed_counter::wait::not_armed;
    }
    b.held = b.held && armed;
    if (parameters_.perfmon.pmi == perfmon_pmi::line) interrupt(thread, false);
}

// Updates the counters after a register of `thread` has changed.
void perfmon_front_end::reconfigure(std::size_t thread) {
    bank& b = banks_[thread];
    bool asked = false;
    for (std::size_t n = 0; n < perfmon::counters; ++n) {
        if (!counters_->select(counter(thread, n), selected(b, n)))
            asked |= overflow(thread, n, counters_->settled());
    }
    if (asked) interrupt(thread, true);
}

// Counter `n` of `thread` has overflowed in cycle `clock`. Returns whether it asks for a PMI.
bool perfmon_front_end::overflow(std::size_t thread, std::size_t n, base::cycle_t clock) {
    bank& b = banks_[thread];
    if (!has_pebs(b, n)) {
        b.status |= base::bit(position(n));
        return interrupts(b, n);
    }
    const auto own = static_cast<std::uint8_t>(1u << n);
    if ((b.noticed & own) == 0) set_armed(thread, n, clock);
    b.noticed &= static_cast<std::uint8_t>(~own);
    return false;
}

void perfmon_front_end::overflowed(const std::vector<counter_overflow>& counters,
                                   base::cycle_t now) {
    std::array<bool, base::threads_per_core> asked{};
    for (const counter_overflow& o : counters) {
        const std::size_t thread = thread_of(o.counter), n = number_of(o.counter);
        asked[thread] |= overflow(thread, n, now - 1);
    }
    for (std::size_t t = 0; t < asked.size(); ++t)
        if (asked[t]) interrupt(t, true);
}

// A counter of `thread` whose interrupt is on has overflowed, or (the line only) its registers have
// changed.
void perfmon_front_end::interrupt(std::size_t thread, bool overflow) {
    bank& b = banks_[thread];
    if (parameters_.perfmon.pmi == perfmon_pmi::line) {
        bool level = base::test(b.status, perfmon::buffer_full);
        for (std::size_t n = 0; n < perfmon::counters; ++n)
            level = level || (base::test(b.status, position(n)) && interrupts(b, n));
        overflow = level && !b.level;
        b.level = level;
    }
    if (!overflow) return;
    ++b.pmis;
    listener_->overflowed(thread, counters_->settled());
    if (!base::test(b.debug_control, perfmon::freeze_on_pmi)) return;
    b.global_control = 0;
    reconfigure(thread);
}

}  // namespace knc::pmu

#include <knc/pmu/p55c_front_end.h>

#include <algorithm>
#include <utility>

#include <knc/base/bits.h>
#include <knc/pmu/p55c_events.h>

namespace knc::pmu {

namespace {

// A core runs ahead of SystemC time, by which a pin is read, by no more clocks.
constexpr base::cycle_t pin_memory = 10'000'000;

}  // namespace

p55c_front_end::p55c_front_end(const parameters& p)
    : banked_front_end(p, 1, p55c::counters, p55c::width),
      observed_(p.p55c.pm_to != pm_target::none) {}

bool p55c_front_end::rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value,
                           acceptance& a) {
    if (index >= p55c::counters) return false;
    a.accepted();
    value = counters_->value(counter(thread, index));
    return true;
}

std::uint64_t p55c_front_end::tsc(base::cycle_t now) const {
    return (asleep_ ? std::min(asleep_since_, now) : now) - epoch_;
}

void p55c_front_end::sleeps(bool on, base::cycle_t now) {
    if (parameters_.p55c.tsc_in_hlt == tsc_in_hlt::runs || on == asleep_) return;
    if (!on && now > asleep_since_) epoch_ += now - asleep_since_;
    asleep_ = on;
    asleep_since_ = now;
}

void p55c_front_end::reset() {
    banked_front_end::reset();
    pins_.reset();
    added_ = {};
    control_ = 0;
    asleep_since_ = std::min(asleep_since_, epoch_);
    asleep_ = false;
}

std::vector<front_end_if::shown_register> p55c_front_end::shown() const {
    return {{"ctr0", p55c::width, "counter 0"},
            {"ctr1", p55c::width, "counter 1"},
            {"cesr", 32, "events, what counts, what the pins show"},
            {"pm0", 1, "pin PM0"},
            {"pm1", 1, "pin PM1"}};
}

void p55c_front_end::show(std::size_t thread, std::uint64_t* values) const {
    *values++ = counters_->value(counter(thread, 0));
    *values++ = counters_->value(counter(thread, 1));
    *values++ = banks_[thread].control;
    *values++ = pins_.level(0, counters_->settled()) ? 1 : 0;
    *values = pins_.level(1, counters_->settled()) ? 1 : 0;
}

thread_state p55c_front_end::state(std::size_t thread) const {
    thread_state s = counts(thread);
    s.evtsel = {banks_[thread].control};
    return s;
}

// The ten bits of CESR for counter `n`.
std::uint64_t p55c_front_end::field(std::size_t n) const {
    return banks_[0].control >> n * p55c::control::stride & p55c::control::of_one;
}

bool p55c_front_end::shows_overflows(std::size_t n) const {
    return shows_overflows(banks_[0].control, n);
}

bool p55c_front_end::shows_overflows(std::uint64_t control, std::size_t n) {
    return base::test(control >> n * p55c::control::stride, p55c::control::pin);
}

selection p55c_front_end::selected(std::size_t n) const {
    using namespace p55c::control;
    const std::uint64_t f = field(n);
    const p55c_event* const e = find_p55c_event(static_cast<unsigned>(base::bits(f, event_high, 0)),
                                                n, parameters_.p55c.manual_events);
    selection s;
    s.supervisor = base::test(f, below_3);
    s.user = base::test(f, at_3);
    if (e == nullptr || (!s.supervisor && !s.user)) return {};
    s.event = e->cell;
    const bool by_clocks = base::test(f, clocks);
    if (e->kind == event_kind::occurrence) {
        s.threshold = by_clocks ? 1 : 0;
    } else if (!by_clocks && parameters_.p55c.duration_needs_clock_code) {
        s.edge = true;
        // A processor that writes CESR is not halted; no other condition holds then.
        s.holds_before = e->cell == base::unhalted_core_cycles;
    }
    return s;
}

// The counters go on with what CESR says now. The pins still show the clock of the write as it said
// before.
void p55c_front_end::changed(std::size_t thread) {
    const std::uint64_t before = std::exchange(control_, banks_[thread].control);
    for (std::size_t n = 0; n < p55c::counters; ++n) {
        const std::size_t c = counter(thread, n);
        const bool overflow = !counters_->select(c, selected(n));
        if (shows_overflows(before, n)) {
            if (overflow) show_overflow(n, counters_->settled());
        } else if (observed_ && counters_->added(c) != added_[n]) {
            show_increments(n, counters_->settled(), counters_->settled() + 1);
        }
        added_[n] = counters_->added(c);
    }
    watch_counters();
}

// An overflow is noticed in time anyhow.
void p55c_front_end::watch_counters() {
    bool increments = false;
    for (std::size_t n = 0; n < p55c::counters; ++n)
        increments = increments || (selected(n).counts() && !shows_overflows(n));
    counters_->watch(observed_ && increments);
}

void p55c_front_end::observe_pins() {
    changed(0);
    observed_ = true;
    watch_counters();
}

void p55c_front_end::overflowed(const std::vector<counter_overflow>& counters, base::cycle_t now) {
    for (const counter_overflow& o : counters)
        if (shows_overflows(o.counter)) show_overflow(o.counter, now - 1);
}

// The clocks were all alike, but for the first of them, which may be the start of a condition.
void p55c_front_end::passed(base::cycle_t clocks, base::cycle_t now) {
    for (std::size_t n = 0; n < p55c::counters; ++n) {
        const std::uint64_t total = counters_->added(n), more = total - added_[n];
        added_[n] = total;
        if (more == 0 || shows_overflows(n)) continue;
        show_increments(n, now - clocks, more >= clocks ? now : now - clocks + 1);
    }
}

// Counter `n` overflows in clock `at`: the pin is high in the first whole bus clock after the
// delay.
void p55c_front_end::show_overflow(std::size_t n, base::cycle_t at) {
    if (!observed_) return;
    const base::cycle_t ratio = parameters_.p55c.bus_ratio;
    const base::cycle_t first = at + parameters_.p55c.pm_pin_delay;
    const base::cycle_t from = (first + ratio - 1) / ratio * ratio;
    raise_pin(n, from, from + ratio);
}

// Counter `n` advances in each clock of [from, to).
void p55c_front_end::show_increments(std::size_t n, base::cycle_t from, base::cycle_t to) {
    const base::cycle_t delay = parameters_.p55c.pm_pin_delay;
    raise_pin(n, from + delay, to + delay);
}

void p55c_front_end::raise_pin(std::size_t n, base::cycle_t from, base::cycle_t to) {
    if (from > pin_memory) pins_.forget(from - pin_memory);
    const bool rises = pins_.high(n, from, to);
    listener_->pin_changes(n, rises, from);
}

}  // namespace knc::pmu

#include <knc/pmu/unit.h>

#include <algorithm>

namespace knc::pmu {

namespace {

base::cycle_t after(base::cycle_t from, base::cycle_t clocks) {
    return clocks == base::never ? base::never : from + clocks;
}

unsigned position(std::size_t n) {
    return static_cast<unsigned>(n);
}

}  // namespace

bool parameters::default_audit() {
#ifdef NDEBUG
    return false;
#else
    return true;
#endif
}

unit::bank::bank(const base::ledger& events, const base::event_bounds& bounds, std::size_t thread)
    : counters{{{events, bounds, thread, counter_width}, {events, bounds, thread, counter_width}}} {
}

unit::unit(const parameters& p, base::ledger& events, pmi_listener& listener,
           const base::event_bounds& bounds)
    : parameters_(p),
      bounds_(bounds),
      ledger_(events),
      listener_(listener),
      banks_{{bank(events, bounds_, 0), bank(events, bounds_, 1), bank(events, bounds_, 2),
              bank(events, bounds_, 3)}} {
    if (p.audit) audit_.emplace(events, bounds_);
    plan();
}

void unit::settle(base::cycle_t now) {
    if (now <= settled_) return;
    const base::cycle_t clocks = now - settled_;
    settled_ = now;
    if (audit_) {
        if (const std::string why = audit_->check(clocks); !why.empty()) listener_.model_error(why);
        plan();
    }
    if (armed_count_ == 0) return;

    bank_set contextless = 0;
    bank_set with_context = 0;
    for (std::size_t i = 0; i < armed_count_; ++i) {
        auto [owner, n] = armed_[i];
        const counter& c = owner->counters[n];
        if (!owner->counters[n].advance(clocks)) continue;
        overflow(*owner, n);
        if (!interrupts(*owner, n)) continue;
        (c.contextless() ? contextless : with_context) |= 1u << (owner - banks_.data());
    }
    plan();
    drive_lines(contextless & ~with_context);
}

bool unit::read(std::size_t thread, std::uint32_t msr, std::uint64_t& value) const {
    const register_info* r = find_register(msr);
    if (r == nullptr || r->access == register_access::write_only) return false;
    const bank& b = banks_[thread];
    switch (r->kind) {
        case register_kind::time_stamp_counter:
            value = tsc(settled_);
            break;
        case register_kind::counter:
            value = b.counters[r->counter].value();
            break;
        case register_kind::event_select:
            value = b.evtsel[r->counter];
            break;
        case register_kind::spflt_control:
            value = b.spflt;
            break;
        case register_kind::global_status:
            value = b.status;
            break;
        case register_kind::global_control:
            value = b.global_ctrl;
            break;
        case register_kind::overflow_control:
            break;  // write-only
    }
    return true;
}

bool unit::accepts(std::uint32_t msr, std::uint64_t value) const {
    const register_info* r = find_register(msr);
    if (r == nullptr || r->access == register_access::read_only) return false;
    return (value & ~r->writable) == 0 || parameters_.reserved_bits == reserved_bits::ignore;
}

bool unit::write(std::size_t thread, std::uint32_t msr, std::uint64_t value) {
    if (!accepts(msr, value)) return false;
    const register_info* r = find_register(msr);
    value &= r->writable;
    bank& b = banks_[thread];
    switch (r->kind) {
        case register_kind::time_stamp_counter:
            epoch_ = settled_ - value;
            break;
        case register_kind::counter:
            b.counters[r->counter].set_value(value);
            break;
        case register_kind::event_select:
            b.evtsel[r->counter] = value;
            break;
        case register_kind::spflt_control:
            b.spflt = value;
            break;
        case register_kind::overflow_control:
            b.status &= ~value;
            break;
        case register_kind::global_control:
            b.global_ctrl = value;
            break;
        case register_kind::global_status:
            break;  // read-only
    }
    reconfigure(b);
    return true;
}

bool unit::rdpmc(std::size_t thread, std::uint32_t index, std::uint64_t& value) const {
    if (index >= counters_per_thread) return false;
    value = banks_[thread].counters[index].value();
    return true;
}

void unit::spflt(std::size_t thread, bool enable) {
    bank& b = banks_[thread];
    b.spflt = base::insert(b.spflt, spflt_control::user_pref, spflt_control::user_pref, enable);
    reconfigure(b);
}

void unit::reset() {
    for (std::size_t t = 0; t < banks_.size(); ++t) banks_[t] = bank(ledger_, bounds_, t);
    lines_ = 0;
    epoch_ = settled_;
    rearm();
}

thread_state unit::state(std::size_t thread) const {
    const bank& b = banks_[thread];
    return {{b.counters[0].value(), b.counters[1].value()},
            b.evtsel,
            b.global_ctrl,
            b.status,
            b.spflt,
            b.overflows,
            pmi_line(thread)};
}

bool unit::enabled(const bank& b, std::size_t n) const {
    const bool filtered_out =
        base::test(b.spflt, position(n)) && !base::test(b.spflt, spflt_control::user_pref);
    return base::test(b.evtsel[n], event_select::enable) &&
           base::test(b.global_ctrl, position(n)) && !filtered_out;
}

bool unit::interrupts(const bank& b, std::size_t n) const {
    return base::test(b.evtsel[n], event_select::interrupt);
}

void unit::overflow(bank& b, std::size_t n) {
    b.status |= base::bit(position(n));
    ++b.overflows[n];
}

// Brings counters and line into agreement with the registers of `b` after one of them changed.
void unit::reconfigure(bank& b) {
    for (std::size_t n = 0; n < counters_per_thread; ++n) {
        const selection s = enabled(b, n) ? event_select::decode(b.evtsel[n]) : selection{};
        if (b.counters[n].configure(s)) overflow(b, n);
    }
    rearm();
    drive_lines(0);
}

// Lists the counters that count, so that settle() visits no other.
void unit::rearm() {
    armed_count_ = 0;
    per_cycle_ = false;
    for (bank& b : banks_) {
        for (std::size_t n = 0; n < counters_per_thread; ++n) {
            if (!b.counters[n].counting()) continue;
            armed_[armed_count_++] = {&b, n};
            per_cycle_ = per_cycle_ || b.counters[n].per_cycle();
        }
    }
    plan();
}

void unit::plan() {
    base::cycle_t clocks = base::never;
    base::cycle_t quiet_cycles = base::never;
    for (std::size_t i = 0; i < armed_count_; ++i) {
        const counter& c = armed_[i].owner->counters[armed_[i].index];
        clocks = std::min(clocks, c.clocks_to_overflow());
        quiet_cycles = std::min(quiet_cycles, c.quiet_clocks_to_overflow());
    }
    if (audit_) clocks = 1;
    deadline_ = after(settled_, clocks);
    quiet_deadline_ = after(settled_, quiet_cycles);
}

// Follows the level of each bank after status or INT bits changed. A level that rises is an edge:
// to the bank's own thread, whose line then stands as long as the level does, or, if nothing but
// events without thread context made it rise (`contextless`), a pulse on the line of the thread in
// the execution stage. A pulse on a line that stands is no edge.
void unit::drive_lines(bank_set contextless) {
    const bank_set standing = lines_;
    bank_set rising = 0;
    if (parameters_.contextless_pmi == contextless_pmi::owner) contextless = 0;
    for (std::size_t t = 0; t < banks_.size(); ++t) {
        bank& b = banks_[t];
        bool level = false;
        for (std::size_t n = 0; n < counters_per_thread; ++n) {
            level = level || (base::test(b.status, position(n)) && interrupts(b, n));
        }
        if (level == b.level) continue;
        b.level = level;
        const bank_set own = 1u << t;
        if (!level) {
            lines_ &= ~own;
            continue;
        }
        const bank_set target = (contextless & own) != 0 ? 1u << ledger_.execution_stage : own;
        lines_ |= target & own;
        rising |= target;
    }
    rising &= ~standing;
    for (std::size_t t = 0; t < banks_.size(); ++t) {
        if ((rising >> t & 1) != 0) listener_.pmi(t, settled_);
    }
}

}  // namespace knc::pmu

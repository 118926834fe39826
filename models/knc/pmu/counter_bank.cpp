#include <knc/pmu/counter_bank.h>

#include <algorithm>

namespace knc::pmu {

namespace {

base::cycle_t after(base::cycle_t from, base::cycle_t clocks) {
    return clocks == base::never ? base::never : from + clocks;
}

}  // namespace

counter_bank::counter_bank(base::ledger& events, const base::event_bounds& bounds,
                           const std::vector<counter_shape>& shapes, counter_listener& l,
                           bool audit)
    : bounds_(bounds), ledger_(events), shapes_(shapes), listener_(l) {
    if (audit) audit_.emplace(events, bounds_);
    armed_.reserve(shapes.size());
    overflowed_.reserve(shapes.size());
    reset();
}

void counter_bank::reset() {
    counters_.clear();
    for (const counter_shape& s : shapes_)
        counters_.emplace_back(ledger_, bounds_, s.thread, s.width);
    overflows_.assign(shapes_.size(), 0);
    watched_ = false;
    rearm();
}

void counter_bank::settle(base::cycle_t now) {
    if (now <= settled_) return;
    const base::cycle_t clocks = now - settled_;
    settled_ = now;
    if (audit_) {
        if (const std::string why = audit_->check(clocks); !why.empty()) listener_.model_error(why);
        plan();
    }
    if (armed_.empty()) return;

    overflowed_.clear();
    for (const std::size_t n : armed_) {
        if (!counters_[n].advance(clocks)) continue;
        ++overflows_[n];
        overflowed_.push_back({n, counters_[n].contextless()});
    }
    plan();
    if (!overflowed_.empty()) listener_.overflowed(overflowed_, now);
    if (__builtin_expect(watched_, 0)) listener_.passed(clocks, now);
}

void counter_bank::pass_over(base::cycle_t now) {
    settled_ = std::max(settled_, now);
    plan();
}

void counter_bank::watch(bool on) {
    if (watched_ == on) return;
    watched_ = on;
    rearm();
}

bool counter_bank::select(std::size_t n, const selection& s) {
    if (counters_[n].counts_as(s)) return true;
    const bool overflowed = counters_[n].configure(s);
    if (overflowed) ++overflows_[n];
    rearm();
    return !overflowed;
}

void counter_bank::set_value(std::size_t n, std::uint64_t value) {
    counters_[n].set_value(value);
    plan();
}

void counter_bank::rearm() {
    armed_.clear();
    per_cycle_ = false;
    for (std::size_t n = 0; n < counters_.size(); ++n) {
        if (!counters_[n].counting()) continue;
        armed_.push_back(n);
        per_cycle_ = per_cycle_ || watched_ || counters_[n].per_cycle();
    }
    plan();
}

void counter_bank::plan() {
    base::cycle_t clocks = base::never;
    base::cycle_t quiet_clocks = base::never;
    for (const std::size_t n : armed_) {
        clocks = std::min(clocks, counters_[n].clocks_to_overflow());
        quiet_clocks = std::min(quiet_clocks, counters_[n].quiet_clocks_to_overflow());
    }
    if (audit_ || (watched_ && per_cycle_)) clocks = 1;
    deadline_ = after(settled_, clocks);
    quiet_deadline_ = after(settled_, quiet_clocks);
}

}  // namespace knc::pmu

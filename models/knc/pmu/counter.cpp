#include <knc/pmu/counter.h>

#include <knc/base/bits.h>
#include <knc/pmu/event_table.h>

namespace knc::pmu {

bool selection::operator==(const selection& o) const {
    return event == o.event && supervisor == o.supervisor && user == o.user &&
           all_threads == o.all_threads && threshold == o.threshold && invert == o.invert &&
           edge == o.edge && holds_before == o.holds_before;
}

counter::counter(const base::ledger& events, const base::event_bounds& bounds, std::size_t owner,
                 unsigned width)
    : ledger_(&events), bounds_(&bounds), owner_(owner), width_(width) {}

bool counter::configure(const selection& s) {
    if (s == selection_) return false;
    // The cycle is not over, so a per-cycle condition cannot be evaluated for it.
    const bool overflowed = counting() && !per_cycle() && advance(1);
    keep(history_, {selection_, counted_});
    counted_ = 0;
    selection_ = s;
    cell_count_ = 0;
    met_before_ = s.edge && s.holds_before;
    if (!s.counts()) return overflowed;

    // The rows of all threads contain an event without thread context, so the sum of the rows would
    // count it four times.
    const bool every_row = s.all_threads && info(s.event).scope == event_scope::thread;
    bound_ = std::uint64_t{(*bounds_)[s.event]} * (every_row ? base::threads_per_core : 1);
    for (std::size_t t = 0; t < base::threads_per_core; ++t) {
        if (t != owner_ && !every_row) continue;
        if (s.supervisor) cells_[cell_count_++] = &ledger_->counts[t][base::supervisor][s.event];
        if (s.user) cells_[cell_count_++] = &ledger_->counts[t][base::user][s.event];
    }
    accounted_ = events();
    return overflowed;
}

bool counter::contextless() const {
    if (!counting()) return false;
    const event_info& i = info(selection_.event);
    return i.scope == event_scope::core && i.kind == event_kind::occurrence;
}

void counter::keep(std::vector<counted>& history, const counted& last) {
    if (last.events == 0) return;
    for (counted& c : history) {
        if (c.what != last.what) continue;
        c.events += last.events;
        return;
    }
    history.push_back(last);
}

std::vector<counted> counter::history() const {
    std::vector<counted> all = history_;
    keep(all, {selection_, counted_});
    return all;
}

std::uint64_t counter::added() const {
    std::uint64_t sum = counted_;
    for (const counted& c : history_) sum += c.events;
    return sum;
}

void counter::set_value(std::uint64_t v) {
    value_ = v & base::mask(width_);
    // The write replaces events before it. A per-cycle condition of the present cycle still applies
    // to the whole cycle.
    if (!per_cycle()) accounted_ = events();
}

bool counter::advance(base::cycle_t clocks) {
    const std::uint64_t total = events();
    const std::uint64_t increase = total - accounted_;
    accounted_ = total;
    return add(per_cycle() ? clocks_met(increase / clocks, clocks) : increase);
}

std::uint64_t counter::events() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < cell_count_; ++i) sum += *cells_[i];
    return sum;
}

bool counter::condition(std::uint64_t events_in_clock) const {
    if (selection_.threshold == 0) return events_in_clock != 0;
    if (!selection_.invert) return events_in_clock >= selection_.threshold;
    // A cycle without events has no event that carries a privilege, so the owner's privilege
    // decides.
    const bool selected =
        ledger_->at[owner_] == base::supervisor ? selection_.supervisor : selection_.user;
    return selected && events_in_clock < selection_.threshold;
}

std::uint64_t counter::clocks_met(std::uint64_t events_in_clock, base::cycle_t clocks) {
    const bool met = condition(events_in_clock);
    const bool before = met_before_;
    met_before_ = met;
    if (!met) return 0;
    return selection_.edge ? !before : clocks;
}

bool counter::add(std::uint64_t n) {
    const bool overflowed = n >= distance();
    counted_ += n;
    value_ = (value_ + n) & base::mask(width_);
    return overflowed;
}

base::cycle_t counter::clocks_to_overflow() const {
    if (!counting()) return base::never;
    if (per_cycle() || bound_ == 1) return per_cycle() ? 1 : distance();
    // Most bounds are 2, and a division takes longer than the rest.
    return bound_ == 2 ? (distance() + 1) / 2 : (distance() + bound_ - 1) / bound_;
}

base::cycle_t counter::quiet_clocks_to_overflow() const {
    if (!counting()) return base::never;
    const event_kind kind = info(selection_.event).kind;
    const bool duration = kind != event_kind::occurrence;
    if (per_cycle() && kind == event_kind::periodic) return 1;
    if (!per_cycle()) return duration ? clocks_to_overflow() : base::never;
    const bool can_be_met = duration || (selection_.invert && selection_.threshold != 0);
    if (!can_be_met) return base::never;
    if (!selection_.edge) return distance();
    // In cycles that are all alike, only the first can have a rising edge of the condition.
    return distance() == 1 ? 1 : base::never;
}

}  // namespace knc::pmu

#include <knc/core/cycle_accounting.h>

#include <algorithm>

namespace knc::core {

namespace {

// The duration events of each cycle of an occupancy.
struct occupancy_events {
    bool microcode, exec, stalled;
};
constexpr occupancy_events events_of[] = {
    {false, false, false},  // idle
    {false, true, true},    // executing
    {true, true, true},     // microcode
    {false, false, true},   // waiting
};

}  // namespace

cycle_accounting::cycle_accounting(base::ledger& l, timeline& time, picker& p)
    : ledger_(l), time_(time), picker_(p) {}

void cycle_accounting::reset() {
    for (unsigned t = 0; t < threads; ++t) wakefulness_[t] = {false, 0, awake_cycles(t)};
    of_ = {};
    privileges_pending_ = 0;
    waits_ = {};
    stretches_ = {};
    awake_ = 0;
    ledger_.at.fill(base::supervisor);
}

// Counts the cycles of `t` before `now` by its occupancy.
void cycle_accounting::count_until(unsigned t, base::cycle_t now) {
    activity& a = of_[t];
    if (a.doing == occupancy::idle) return;
    count(t, a.doing, std::min(now, a.until));
    if (now > a.until) count(t, occupancy::waiting, std::min(now, a.waits_until));
    if (now >= a.waits_until) a.doing = occupancy::idle;
}

void cycle_accounting::count(unsigned t, occupancy what, base::cycle_t end) {
    activity& a = of_[t];
    if (end <= a.since) return;
    const base::cycle_t n = end - a.since;
    base::event_row& row = frozen_ ? uncounted_ : ledger_.counts[t][ledger_.at[t]];
    const occupancy_events& e = events_of[static_cast<std::size_t>(what)];
    if (e.microcode) row[base::microcode_cycles] += n;
    if (e.exec) row[base::exec_stage_cycles] += n;
    if (e.stalled) row[base::fe_stalled] += n;
    a.since = end;
}

// Counts the cycles before `now` in which a thread was awake.
void cycle_accounting::count_clock(base::cycle_t now) {
    if (now <= clock_counted_) return;
    if (awake_ != 0 && !frozen_) ledger_.raise_core(base::cpu_clk_unhalted, now - clock_counted_);
    clock_counted_ = now;
}

// Counts the cycles before `now` in which `t` was awake.
void cycle_accounting::count_thread_clocks(unsigned t, base::cycle_t now) {
    const wakefulness& w = wakefulness_[t];
    const base::cycle_t from = std::max(thread_counted_[t], w.since);
    if (!w.awake || now <= from) return;
    const auto ticks_before = [this](base::cycle_t c) { return (c + divider_ - 1) / divider_; };
    base::event_row& row = frozen_ ? uncounted_ : ledger_.counts[t][ledger_.at[t]];
    row[base::unhalted_core_cycles] += now - from;
    row[base::unhalted_reference_cycles] += ticks_before(now) - ticks_before(from);
    thread_counted_[t] = now;
}

void cycle_accounting::settle(base::cycle_t now) {
    count_clock(now);
    for (unsigned t = 0; t < threads; ++t) count_until(t, now);
    for (unsigned t = 0; t < threads && divider_ != 0; ++t) count_thread(t, now);
}

// What counts only if the cycles of each thread do.
void cycle_accounting::count_thread(unsigned t, base::cycle_t now) {
    count_thread_clocks(t, now);
    count_stretches(t, now);
}

void cycle_accounting::count_stretches(unsigned t, base::cycle_t now) {
    base::event_row& row = frozen_ ? uncounted_ : ledger_.counts[t][ledger_.at[t]];
    std::vector<stretch>& list = stretches_[t];
    for (stretch& s : list) {
        if (now <= s.from) continue;
        const base::cycle_t end = std::min(now, s.until);
        row[s.counts] += end - s.from;
        s.from = end;
    }
    const auto over = [](const stretch& s) { return s.from >= s.until; };
    list.erase(std::remove_if(list.begin(), list.end(), over), list.end());
}

void cycle_accounting::use_microcode(unsigned t, base::cycle_t cycles) {
    if (!frozen_) ledger_.raise(t, base::microcode_cycles);
    occupy(t, cycles - 1, 0);
    if (cycles > 1) of_[t].doing = occupancy::microcode;
    picker_.hold_stage(time_.now() + cycles);
}

void cycle_accounting::stall(unsigned t, base::cycle_t idle) {
    if (idle == 0) return;
    activity& a = of_[t];
    if (a.doing == occupancy::idle) {
        occupy(t, 0, idle);
        return;
    }
    a.waits_until += idle;
    picker_.not_before(t, a.waits_until);
}

void cycle_accounting::lose_slot(unsigned t, base::cycle_t cycles) {
    ledger_.raise(t, base::fe_stalled);
    picker_.set_ready(t, time_.now() + 1);
    occupy(t, 0, cycles - 1);
}

void cycle_accounting::wait(unsigned t, base::cycle_t busy, base::cycle_t ready) {
    occupy(t, busy, 1);
    activity& a = of_[t];
    a.waits_until = ready == base::never ? ready : std::max(ready, a.until);
    picker_.set_ready(t, a.waits_until);
}

void cycle_accounting::resume(unsigned t, base::cycle_t at) {
    activity& a = of_[t];
    a.waits_until = std::max(at, a.until);
    picker_.set_ready(t, a.waits_until);
}

void cycle_accounting::begin_delay(unsigned t, base::cycle_t cycles) {
    waits_[t].delay_from = picker_.ready(t);
    stall(t, cycles);
    waits_[t].delay_until = picker_.ready(t);
}

void cycle_accounting::end_delay(unsigned t) {
    if (std::exchange(waits_[t].delay_until, 0) <= time_.now()) return;
    of_[t].waits_until = std::max(time_.now(), waits_[t].delay_from);
    picker_.set_ready(t, of_[t].waits_until);
}

void cycle_accounting::halt(unsigned t, base::cycle_t otherwise) {
    of_[t].doing = occupancy::idle;
    waits_[t].halted_until = otherwise;
    sleep(t, time_.now() + 1);
}

void cycle_accounting::sleep(unsigned t, base::cycle_t from) {
    count_clock(from);
    if (divider_ != 0) count_thread_clocks(t, from);
    picker_.stop(t);
    --awake_;
    wakefulness& w = wakefulness_[t];
    w = {false, from, w.before + from - w.since};
}

void cycle_accounting::wake(unsigned t) {
    count_clock(time_.now());
    picker_.set_ready(t, std::max(time_.now(), waits_[t].halted_until));
    ++awake_;
    wakefulness& w = wakefulness_[t];
    // The cycle of a HLT is counted already.
    w = {true, std::max(time_.now(), w.since), w.before};
}

base::cycle_t cycle_accounting::awake_cycles(unsigned t) const {
    const wakefulness& w = wakefulness_[t];
    return w.awake ? w.before + time_.now() - w.since : w.before;
}

base::cycle_t cycle_accounting::next_change() const {
    base::cycle_t c = base::never;
    for (const activity& a : of_) {
        if (a.doing == occupancy::idle) continue;
        if (a.until > time_.now()) c = std::min(c, a.until);
        if (a.waits_until > time_.now()) c = std::min(c, a.waits_until);
    }
    for (const auto& list : stretches_)
        for (const stretch& s : list) c = std::min(c, s.from > time_.now() ? s.from : s.until);
    return c;
}

void cycle_accounting::freeze() {
    settle(time_.now());
    stretches_ = {};
    frozen_ = true;
    for (unsigned t = 0; t < threads; ++t) forget_occupancy(t);
}

void cycle_accounting::forget_occupancy(unsigned t) {
    of_[t] = {};
    privileges_pending_ &= ~(1u << t);
    if (wakefulness_[t].awake && !delayed(t)) picker_.set_ready(t, time_.now());
}

void cycle_accounting::thaw() {
    settle(time_.now());
    for (unsigned t = 0; t < threads; ++t) {
        forget_occupancy(t);
        waits_[t].walks = {};
    }
    picker_.hold_stage(time_.now());
    frozen_ = false;
}

base::event_row& cycle_accounting::count_at(unsigned t, base::privilege level) {
    privileges_pending_ &= ~(1u << t);
    if (frozen_) return uncounted_;
    if (level != ledger_.at[t]) {
        count_clock(time_.now());
        count_until(t, time_.now());
        if (divider_ != 0) count_thread(t, time_.now());
        ledger_.at[t] = level;
    }
    return ledger_.counts[t][level];
}

void cycle_accounting::follow_privilege(unsigned t, base::privilege level) {
    if (frozen_ || level == ledger_.at[t]) return;
    privileges_pending_ |= 1u << t;
    time_.due_at(picker_.ready(t));
}

base::cycle_t cycle_accounting::next_privilege() const {
    base::cycle_t c = base::never;
    if (privileges_pending_ == 0) return c;
    for (unsigned t = 0; t < threads; ++t)
        if ((privileges_pending_ >> t & 1) != 0) c = std::min(c, picker_.ready(t));
    return c;
}

}  // namespace knc::core

// Clocks and what they are spent on: duration events, privilege, the PMU's view of both.

#include <knc/core/core.h>

#include <algorithm>

namespace knc::core {

namespace {

// The duration events each clock of an occupancy raises.
struct occupancy_events {
    bool microcode, exec, stalled;
};
constexpr occupancy_events events_of[] = {
    {false, false, false},  // idle
    {false, true, true},    // executing
    {true, true, true},     // microcode
    {false, false, true},   // waiting
};

base::privilege privilege_of(const isa::state& s) {
    return s.cpl == 0 ? base::supervisor : base::user;
}

}  // namespace

// Counts what `t` did in the clocks before `now`.
void core::account(thread& t, base::cycle_t now) {
    if (t.doing == occupancy::idle) return;
    count_occupancy(t, t.doing, std::min(now, t.doing_until));
    if (now > t.doing_until) count_occupancy(t, occupancy::waiting, std::min(now, t.waits_until));
    if (now >= t.waits_until) t.doing = occupancy::idle;
}

void core::count_occupancy(thread& t, occupancy what, base::cycle_t end) {
    if (end <= t.doing_since) return;
    const base::cycle_t n = end - t.doing_since;
    base::event_row& row = ledger_.counts[t.index()][ledger_.at[t.index()]];
    const occupancy_events& e = events_of[static_cast<std::size_t>(what)];
    if (e.microcode) row[base::microcode_cycles] += n;
    if (e.exec) row[base::exec_stage_cycles] += n;
    if (e.stalled) row[base::fe_stalled] += n;
    t.doing_since = end;
}

// Counts the clocks before `now` in which some thread was awake.
void core::account_clock(base::cycle_t now) {
    if (now <= clock_counted_) return;
    if (awake_ != 0) ledger_.raise_core(base::cpu_clk_unhalted, now - clock_counted_);
    clock_counted_ = now;
}

// From the next clock on `t` holds the execution stage for `busy` clocks, then waits `idle` clocks.
void core::occupy(thread& t, base::cycle_t busy, base::cycle_t idle) {
    if ((busy | idle) == 0) return;
    t.doing = occupancy::executing;
    t.doing_since = now_ + 1;
    t.doing_until = now_ + 1 + busy;
    t.waits_until = t.doing_until + idle;
    if (busy != 0) pipe_until_ = t.doing_until;
    ready_[t.index()] = std::max(ready_[t.index()], t.waits_until);
}

// This clock and the next clocks - 1 run microcode of `t`; no thread issues meanwhile.
void core::use_microcode(thread& t, base::cycle_t clocks) {
    ledger_.raise(t.index(), base::microcode_cycles);
    occupy(t, clocks - 1, 0);
    if (clocks > 1) t.doing = occupancy::microcode;
    pipe_until_ = now_ + clocks;
}

// `t` goes on `idle` clocks later than what it does now would let it.
void core::stall(thread& t, base::cycle_t idle) {
    if (idle == 0) return;
    if (t.doing == occupancy::idle) {
        occupy(t, 0, idle);
        return;
    }
    t.waits_until += idle;
    ready_[t.index()] = std::max(ready_[t.index()], t.waits_until);
}

base::cycle_t core::occupancy_change() const {
    base::cycle_t c = base::never;
    for (const auto& t : threads_) {
        if (t->doing == occupancy::idle) continue;
        if (t->doing_until > now_) c = std::min(c, t->doing_until);
        if (t->waits_until > now_) c = std::min(c, t->waits_until);
    }
    return c;
}

void core::settle_to(base::cycle_t now) {
    account_clock(now);
    for (auto& t : threads_) account(*t, now);
    pmu_->settle(now);
}

void core::settle() {
    next_known_ = false;
    settle_to(now_);
    poll_apics();
    set_attention();
}

// What `t` does counts at `level` from this clock on. The PMU has been settled by the beginning of
// the clock if it must know the level of each: events of this one may be there.
void core::count_at(thread& t, base::privilege level) {
    t.privilege_pending = false;
    if (level == ledger_.at[t.index()]) return;
    account_clock(now_);
    account(t, now_);
    pmu_->set_privilege(t.index(), level);
    t.context.count_in(ledger_.counts[t.index()][level]);
}

void core::commit_privilege(thread& t) {
    count_at(t, privilege_of(t.context.s));
}

// An instruction may have changed CPL, or an event entry: what it still does belongs to the level
// it began at.
void core::follow_privilege(thread& t) {
    if (privilege_of(t.context.s) == ledger_.at[t.index()]) return;
    t.privilege_pending = true;
    due_ = std::min(due_, ready_[t.index()]);
    attention_ = std::min(attention_, due_);
}

}  // namespace knc::core

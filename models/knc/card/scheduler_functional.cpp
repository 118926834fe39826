// The scheduler in a fast-forward: when the card changes between time and no time, and which tile
// executes for how long.
//
// Tiles hold first, and everything in flight comes to its end in time. Nothing of that depends on
// the quantum: the tiles are looked at in fixed intervals. Then they take turns, in the order of
// their indices, up to a multiple of the fast-forward's quantum. What others want of the card
// (observations, limits) takes place at these cycles, so it changes nothing either.

#include <algorithm>

#include <knc/card/scheduler.h>

namespace knc::card {

namespace {

// Cycles between two looks at tiles that drain.
constexpr base::cycle_t drain_interval = 100;

base::cycle_t next_multiple(base::cycle_t c, base::cycle_t of) {
    return (c / of + 1) * of;
}

}  // namespace

// ---- to and fro

bool scheduler::may_fast_forward() const {
    const std::string why = card->why_timed();
    if (!why.empty() && control_.warning) control_.warning("no fast-forward: " + why);
    return why.empty();
}

void scheduler::begin_fast_forward() {
    if (!may_fast_forward()) return;
    const fast_forward_control& c = control_.fast_forward;
    using end = fast_forward_control::end;
    goal_ = {};
    if (c.until == end::instructions) goal_.instructions = c.value;
    if (c.until == end::pc) goal_.pc = c.value;
    ends_at_marker_ = c.until == end::marker;
    end_marker_ = static_cast<std::uint32_t>(c.value);
    wanted_end_ = c.text;
    hold();
    enter_functional();
}

void scheduler::request_fast_forward(bool on) {
    if (!on) {
        if (functional_ || switch_at_ != base::never) {
            goal_.reached = true;
            wanted_end_ = "test device";
        }
        return;
    }
    if (functional_ || switch_at_ != base::never) return;
    if (!may_fast_forward()) return;
    goal_ = {};
    ends_at_marker_ = false;
    wanted_end_ = "test device";
    switch_at_ = clock_.cycle(sc_core::sc_time_stamp()) + lookahead_.device;
    posted_ = true;
}

void scheduler::marked(std::uint32_t number) {
    if (functional_ && ends_at_marker_ && number == end_marker_) goal_.reached = true;
}

void scheduler::hold() {
    for (tile_if* const t : tiles_) t->hold();
    holding_ = true;
}

void scheduler::switch_if_drained() {
    if (warm_up_at_ != base::never) {
        switch_at_ = warm_up_at_;
        return;
    }
    run_all_to_now();
    run_network_to_now();
    if (!holding_) hold();
    bool drained = network_ == nullptr || network_->next_activity() == base::never;
    for (tile_if* const t : tiles_) drained = t->drained() && drained;
    if (drained)
        enter_functional();
    else
        switch_at_ = now_ + drain_interval;
}

void scheduler::enter_functional() {
    const core::functional_place place = card->empty_caches(now_, goal_);
    fast_forwards_.push_back({now_, now_, now_, instructions(), {}});
    for (tile_if* const t : tiles_) t->enter_functional(place);
    functional_ = true;
    holding_ = false;
    switch_at_ = sampled_at_ = base::never;
    checked_ = now_;
}

// No tile is ahead of now_.
void scheduler::leave_functional(const std::string& why) {
    run_network_to_now();
    for (tile_if* const t : tiles_) t->leave_functional(now_);
    functional_ = false;
    sampled_at_ = base::never;
    close_record(why);
}

void scheduler::close_record(const std::string& why) {
    fast_forward_record& r = fast_forwards_.back();
    r.to = r.warm = now_;
    r.instructions = instructions() - r.instructions;
    r.end = why;
}

// What devices do until now, and at this time, is done before anybody looks.
void scheduler::tell_of_end() {
    if (!control_.fast_forward_ended) return;
    run_network_to_now();
    catch_up();
    wait(sc_core::SC_ZERO_TIME);
    control_.fast_forward_ended();
}

// No device acts before the state is loaded.
bool scheduler::restore() {
    wait(clock_.at(control_.begin_at) - sc_core::sc_time_stamp());
    const bool loaded = control_.restore();
    synchronised_ = now_;
    return loaded;
}

// ---- warm caches. As before a fast-forward, the tiles are looked at in fixed intervals.

void scheduler::begin_warm_up() {
    std::vector<cache::footprint*> used;
    for (tile_if* const t : tiles_) used.push_back(t->used_lines());
    cache::settle_ownership(used);
    for (tile_if* const t : tiles_) t->begin_warm_up();
    sampled_at_ = base::never;
    warm_up_at_ = now_ + drain_interval;
}

void scheduler::look_at_warm_up() {
    run_all_to_now();
    run_network_to_now();
    bool warm = network_ == nullptr || network_->next_activity() == base::never;
    for (tile_if* const t : tiles_) warm = warm && t->warmed();
    if (warm)
        end_warm_up();
    else
        warm_up_at_ = now_ + drain_interval;
}

// All tiles are at now_.
void scheduler::end_warm_up() {
    for (tile_if* const t : tiles_) t->end_warm_up(now_);
    fast_forwards_.back().warm = now_;
    sampled_at_ = warm_up_at_ = base::never;
}

// ---- turns

base::cycle_t scheduler::functional_limit() const {
    const base::cycle_t quantum = control_.fast_forward.quantum;
    base::cycle_t l = std::min({next_multiple(now_, check_interval), control_.max_cycles, stop_at_,
                                reset_at_, boot_at_, deadline_, attention_at_, observation_at_});
    const base::cycle_t act = accessible_ ? 0 : devices_pending_from();
    if (act < l) l = std::min(l, std::max(act, synchronised_) + quantum);
    return next_multiple(std::max(l, now_ + 1) - 1, quantum);
}

void scheduler::step_functional(base::cycle_t horizon) {
    const activity a = next_activity(false);
    const base::cycle_t end = std::min(next_multiple(now_, control_.fast_forward.quantum), horizon);
    if (goal_.reached) {
        // It was to end before it began.
    } else if (a.first > now_) {
        now_ = std::min(a.first, horizon);
    } else if (a.second >= end) {
        // A message of the tile may make another one active.
        a.only->run_to(now_);
        a.only->run(std::min(a.second, horizon));
        now_ = a.only->now();
    } else {
        base::cycle_t most = now_;
        for (tile_if* const t : tiles_) {
            if (t->next_activity() >= end) continue;
            while (t->now() < end && !goal_.reached) t->run(end);
            most = std::max(most, t->now());
        }
        now_ = goal_.reached ? most : end;
    }
    // A device may have taken its time.
    const sc_core::sc_time reached = sc_core::sc_time_stamp();
    now_ = std::max(now_, clock_.cycle(reached));
    if (clock_.at(now_) < reached) ++now_;
    if (network_ != nullptr && network_->next_activity() != base::never) run_network_to_now();
    if (!goal_.reached) return;
    leave_functional(wanted_end_);
    ended_ = true;
}

// Whether finished() looks at everything: in a fast-forward, at the first cycle that is as far from
// the one before.
bool scheduler::checks_now() {
    if (!functional_) return now_ % check_interval == 0;
    if (now_ < checked_ + check_interval) return false;
    checked_ = now_;
    return true;
}

}  // namespace knc::card

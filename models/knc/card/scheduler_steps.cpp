// The scheduler's steps in time: which tiles run, up to which cycle.
//
// Those of a fast-forward are in scheduler_functional.cpp.

#include <algorithm>
#include <utility>

#include <knc/card/scheduler.h>

namespace knc::card {

// Somebody takes the samples, so that SystemC time need not follow each cycle. The other parts'
// signals show what their SystemC processes have done, and without a network, so does a thread that
// waits for a device.
bool scheduler::samples_apart() const {
    return control_.sampled && network_ != nullptr && card->samples_tiles_only();
}

void scheduler::sample() {
    run_all_to_now();
    run_network_to_now();
    card->sample();
    sampled_at_ = now_;
    if (control_.sampled) control_.sampled(now_, {});
}

// A step in cycles that are traced: of one cycle, unless no more than one tile changes its signals,
// and all others' have been sampled.
void scheduler::step_sampled(base::cycle_t horizon) {
    if (sampled_at_ == now_ && samples_apart()) {
        tile_if* only = nullptr;
        base::cycle_t rest = base::never;
        for (tile_if* const t : tiles_) {
            if (t->still()) {
                rest = std::min(rest, t->next_activity());
            } else if (only == nullptr) {
                only = t;
            } else {
                only = nullptr;
                break;
            }
        }
        if (only != nullptr && step_only(*only, rest, horizon)) return;
    }
    step_all(std::min(horizon, now_ + 1));
    sample();
}

// All other tiles are still, until cycle `rest` or a message. Returns false if one may arrive now.
// The network is no further ahead than in steps of one cycle: a thread that waits for a line would
// otherwise be shown as resumed before the line is there.
bool scheduler::step_only(tile_if& only, base::cycle_t rest, base::cycle_t horizon) {
    base::cycle_t until = std::min(rest, horizon);
    if (network_->next_activity() != base::never) {
        const base::cycle_t next = std::min(only.next_activity(), network_->next_delivery());
        until = std::min(until, std::max(next, now_ + 1));
        if (next <= now_) {
            network_->run(now_ + 1);
            for (tile_if* const t : tiles_)
                if (t != &only && t->next_activity() <= now_) return false;
        }
    }
    if (until <= now_) return false;
    only.run_to(now_);
    only.watch_overflows(true);
    only.run_sampled(until, control_.sampled);
    only.watch_overflows(static_cast<bool>(overflow_watch_));
    sampled_at_ = now_ = only.now();
    return true;
}

void scheduler::watch_overflows(std::function<bool(base::cycle_t)> f) {
    overflow_watch_ = std::move(f);
    for (tile_if* const t : tiles_) t->watch_overflows(static_cast<bool>(overflow_watch_));
}

// The cycle to which all tiles can run without missing an overflow. One tile that runs alone can be
// stopped at the overflow; several cannot, as none runs back.
base::cycle_t scheduler::watched_limit() const {
    if (network_ != nullptr && network_->next_activity() != base::never) return now_ + 1;
    const activity a = next_activity(false);
    if (a.second <= now_ + 1) return now_ + 1;
    base::cycle_t l = a.second - 1;
    if (a.only != nullptr) l = std::min(l, a.only->overflow_deadline());
    return std::max(l, now_ + 1);
}

void scheduler::look_for_overflows() {
    for (tile_if* const t : tiles_) {
        if (t->overflow_deadline() > now_) continue;
        t->run_to(now_);
        t->settle();
    }
    if (!overflow_watch_(now_)) return;
    watch_overflows({});
    if (now_ != 0 && traced(now_ - 1)) sample();
}

scheduler::activity scheduler::next_activity(bool whether_now) const {
    activity a;
    tiles_.each_awake([&](std::size_t n, base::cycle_t next) {
        if (next < a.first) {
            a.second = std::exchange(a.first, next);
            a.only = &tiles_[n];
        } else {
            a.second = std::min(a.second, next);
        }
        return !whether_now || a.first > now_;
    });
    return a;
}

void scheduler::step(base::cycle_t horizon) {
    base::cycle_t arbitration = interrupts_->next_arbitration();
    if (arbitration <= now_) {
        // A tile that sleeps may be behind; an observer would have let it run. It must not take the
        // message earlier for that.
        if (functional_) run_all_to_now();
        interrupts_->arbitrate(now_);
        if (posted_) return;  // the horizon may be nearer now
        arbitration = interrupts_->next_arbitration();
    }
    horizon = std::min(horizon, arbitration);
    if (functional_)
        step_functional(horizon);
    else if (tracing())
        step_sampled(horizon);
    else if (overflow_watch_)
        step_all(std::min(horizon, watched_limit()));
    else
        do step_all(horizon);
        while (goes_on(horizon));
}

// run() and step() have nothing else to do before the next step to that horizon.
bool scheduler::goes_on(base::cycle_t horizon) const {
    return now_ < horizon && !posted_ && stop_at_ > now_ &&
           interrupts_->next_arbitration() >= horizon;
}

void scheduler::step_all(base::cycle_t horizon) {
    if (network_ != nullptr)
        step_apart(horizon);
    else
        step_together(horizon);
}

void scheduler::step_together(base::cycle_t horizon) {
    const activity a = next_activity(false);
    base::cycle_t target = now_ + 1;
    if (a.first > now_) {
        target = std::min(a.first, horizon);
    } else if (a.second > target) {
        a.only->run(std::min(a.second, horizon));
        target = a.only->now();
    }
    for (tile_if* const t : tiles_) t->run(target);
    now_ = target;
}

// Runs the network up to `until`, but not beyond the first cycle in which a tile may act because of
// a message. Returns that cycle, or `until`.
base::cycle_t scheduler::run_network(base::cycle_t until) {
    for (;;) {
        const base::cycle_t c = network_->run_to_delivery(until);
        // A network of the user may return a cycle that it has not run.
        if (c >= until || posted_ || tiles_.disturbed() || network_->now() <= c) return c;
    }
}

void scheduler::step_apart(base::cycle_t horizon) {
    // No tile runs alone while messages are in flight.
    const bool alone = network_->next_activity() == base::never;
    // The tiles may have run far without it: what they have sent to a device since bounds the step.
    if (!alone && network_->now() < now_) {
        run_network_to_now();
        if (posted_) return;
    }
    const activity a = next_activity(!alone);
    // No tile acts before `next`. Until then, the network may run by itself.
    base::cycle_t next = std::min(a.first, horizon);
    if (!alone && next > now_) next = run_network(next);
    if (next > now_) {
        now_ = next;
        if (now_ == horizon) return;
    }
    const bool idle = alone && !replies_pending();
    const base::cycle_t interval = idle ? lookahead_.idle : lookahead_.tile;
    const base::cycle_t end = std::min((now_ / interval + 1) * interval, horizon);
    if (alone && a.second > end) {
        // The tile sends a message before anything can reach it.
        a.only->run_to(now_);
        a.only->run(std::min(a.second, horizon));
        now_ = a.only->now();
        return;
    }
    const base::cycle_t far = std::min((now_ / lookahead_.idle + 1) * lookahead_.idle, horizon);
    // Nobody else can be called in cycles without samples and triggers.
    const bool shared = !tracing() && !overflow_watch_ && runner_->shares(end - now_);
    // Idle, it takes what the tiles send now in the next step.
    const bool parts = shared && network_->begin_parts(idle ? now_ : end, far, *runner_);
    if (!idle && !parts) network_->run(end);
    step_end ends(end, tiles_.active_before(far));
    if (!idle) let_run_beyond(ends, far);
    if (shared)
        runner_->run_shared(ends, parts ? network_ : nullptr);
    else
        runner_->run_in_turn(ends);
    now_ = end;
}

// Those that nothing can reach before cycle `far`, which is no later than if nothing were in
// flight. It takes as long to load a tile into the host's caches as to run it for some cycles.
void scheduler::let_run_beyond(step_end& ends, base::cycle_t far) {
    // A device may answer something that has reached it long ago. Who looks on from inside of a
    // tile relates what it sees to the cycle of all tiles.
    if (far <= ends.all || posted_ || runner_->observed()) return;
    for (std::uint64_t rest = ends.active; rest != 0; rest &= rest - 1) {
        const auto n = static_cast<std::size_t>(__builtin_ctzll(rest));
        if (tiles_.next_activity(n) < ends.all) ends.beyond |= rest & -rest;
    }
    if (ends.beyond == 0) return;
    ends.beyond &= ~network_->reachable(ends.beyond, far);
    if (ends.beyond == 0) return;
    ends.far = far;
    foremost_ = far;
}

void scheduler::run_all_to_now() const {
    for (tile_if* const t : tiles_) t->run_to(now_);
}

void scheduler::run_network_to_now() const {
    if (network_ != nullptr) network_->run(now_);
}

bool scheduler::replies_pending() const {
    return std::any_of(tiles_.begin(), tiles_.end(),
                       [](const tile_if* t) { return t->replies_pending(); });
}

}  // namespace knc::card

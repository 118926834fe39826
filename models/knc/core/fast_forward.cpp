// The core's part of a fast-forward: it holds, drains, executes functionally, and goes on in time.

#include <algorithm>
#include <utility>

#include <knc/core/core.h>
#include <knc/core/rooms.h>

namespace knc::core {

void core::run_otherwise(base::cycle_t until) {
    if (mode_ == mode::held)
        run_held(until);
    else if (mode_ == mode::functional)
        run_functional(until);
    else
        run_warming(until);
}

void core::hold() {
    mode_ = mode::held;
    time_.disturb();
    for (auto& t : threads_) rooms_->memory.abandon(*t);
    rooms_->plan.plan();
}

// What the threads wait for still comes, and finds nobody who waits. Without an instruction that
// ends, nobody else would give up the lines that are pinned then.
void core::run_held(base::cycle_t until) {
    while (time_.now() < until && !time_.left()) {
        if (time_.now() >= time_.next_event()) {
            process_due_events();
            if (eventful_)
                for (auto& t : threads_) rooms_->memory.abandon(*t);
            if (time_.now() >= until) break;
        }
        if (eventful_) {
            eventful_ = false;
            time_.move_to(time_.now() + 1);
        } else {
            skip_to(until);
        }
    }
}

bool core::drained() {
    bool all = true;
    for (auto& t : threads_)
        all = rooms_->memory.settled(*t) && !rooms_->due.completes(t->index()) && all;
    time_.disturb();
    rooms_->plan.plan();
    return all && rooms_->memory.next_event() == base::never;
}

void core::enter_functional(const functional_place& p) {
    settle();
    mode_ = mode::functional;
    if (profile_) rooms_->events.keep(nullptr);
    rooms_->functional.enter(p, *l1d.operator->());
    time_.disturb();
}

void core::leave_functional(base::cycle_t at) {
    time_.move_to(at);
    settle_to(at);
    rooms_->functional.leave(*l1d.operator->(), *l1i.operator->());
    begin_timed();
}

// All cycles so far are accounted, or passed over.
void core::begin_timed() {
    mode_ = mode::timed;
    eventful_ = false;
    if (profile_) {
        rooms_->events.keep(&*profile_);
        for (auto& t : threads_) profile_->pass_over(t->index(), t->state, time_.now());
    }
    time_.disturb();
    time_.begin_run();
    rooms_->plan.plan();
}

// ---- warm caches

void core::begin_warm_up(std::vector<cache::used_line> lines) {
    settle();
    mode_ = mode::warming;
    before_warming_ = ledger_.counts;
    if (profile_) rooms_->events.keep(nullptr);
    rooms_->accounting.freeze();
    rooms_->warming.begin(std::move(lines));
    time_.disturb();
    rooms_->plan.plan();
}

bool core::warmed() {
    return rooms_->warming.done() && drained();
}

void core::end_warm_up(base::cycle_t at) {
    for (auto& t : threads_) rooms_->memory.abandon(*t);
    time_.move_to(at);
    settle_to(at);
    rooms_->accounting.thaw();
    begin_timed();
}

// As in run_held(), no instruction issues.
void core::run_warming(base::cycle_t until) {
    while (time_.now() < until && !time_.left()) {
        if (time_.now() >= time_.next_event()) {
            process_due_events();
            if (time_.now() >= until) break;
        }
        const bool changed = std::exchange(eventful_, false);
        rooms_->warming.attempt(changed);
        const bool acts = changed || time_.left() || rooms_->warming.next() <= time_.now();
        const base::cycle_t next = std::min(rooms_->warming.next(), time_.next_event());
        time_.move_to(acts ? time_.now() + 1 : std::max(time_.now() + 1, std::min(next, until)));
    }
}

void core::run_functional(base::cycle_t until) {
    functional_unit& f = rooms_->functional;
    rooms_->plan.plan();
    while (time_.now() < until && !time_.left() && !f.reached()) {
        if (time_.now() >= time_.due()) process_due_events();
        f.run(until);
    }
}

}  // namespace knc::core

// The core's part of a fast-forward: it holds, drains, executes functionally, and goes on in time.

#include <algorithm>

#include <knc/core/core.h>
#include <knc/core/rooms.h>

namespace knc::core {

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
    for (auto& t : threads_) all = rooms_->memory.settled(*t) && !t->completing.under_way && all;
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
    mode_ = mode::timed;
    eventful_ = false;
    if (profile_) {
        rooms_->events.keep(&*profile_);
        for (auto& t : threads_) profile_->pass_over(t->index(), t->state, at);
    }
    time_.disturb();
    time_.begin_run();
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

// The choice of the thread that issues next.
//
// Models: the first cycle in which each thread may issue; the execution stage, which one thread may
// hold for several cycles; round-robin choice among ready threads; the elements of a REP string
// instruction, which have priority over other threads. Leaves out: why a thread is not ready
// (knc/core/cycle_accounting.h). Source: system software developer's guide 2.1.2.
#ifndef KNC_CORE_PICKER_H
#define KNC_CORE_PICKER_H

#include <algorithm>
#include <array>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::core {

class picker {
  public:
    static constexpr unsigned threads = base::threads_per_core;

    picker() { reset(); }
    // No thread is ready; thread 0 has the next turn.
    void reset() {
        ready_.fill(base::never);
        stage_free_ = 0;
        last_ = threads - 1;
        repeats_ = false;
    }

    // The first cycle in which thread `t` may issue; base::never: only an event wakes it.
    base::cycle_t ready(unsigned t) const { return ready_[t]; }
    void set_ready(unsigned t, base::cycle_t c) { ready_[t] = c; }
    void not_before(unsigned t, base::cycle_t c) { ready_[t] = std::max(ready_[t], c); }
    void stop(unsigned t) { ready_[t] = base::never; }
    // The execution stage is occupied: no thread issues before cycle `until`.
    void hold_stage(base::cycle_t until) { stage_free_ = until; }
    base::cycle_t stage_held_until() const { return stage_free_; }
    // The thread that was selected last.
    unsigned selected() const { return last_; }
    // The thread that issued last has priority if it is ready.
    void repeat() { repeats_ = true; }

    // The first cycle in which a thread is ready; base::never: only an event wakes one.
    base::cycle_t first_ready() const {
        return std::min(std::min(ready_[0], ready_[1]), std::min(ready_[2], ready_[3]));
    }
    bool none_ready() const { return first_ready() == base::never; }
    // More than one thread will be ready without an event.
    bool several_ready() const {
        unsigned n = 0;
        for (const base::cycle_t r : ready_) n += r != base::never;
        return n > 1;
    }
    // The first cycle in which a thread issues, if no event comes before.
    base::cycle_t next_issue() const { return std::max(first_ready(), stage_free_); }

    // The first cycle in which another thread than `t` may issue.
    base::cycle_t first_ready_beside(unsigned t) const {
        return std::min(std::min(ready_[t ^ 1], ready_[t ^ 2]), ready_[t ^ 3]);
    }
    // next_issue(), but not before `first`; `others`: first_ready_beside(t).
    base::cycle_t next_issue(unsigned t, base::cycle_t others, base::cycle_t first) const {
        return std::max(std::max(std::min(ready_[t], others), stage_free_), first);
    }
    // Selects the thread that was selected last, as the only one that is ready.
    void pick_again() { repeats_ = false; }

    void serialize(base::archive&);

    // Selects the thread that issues in cycle `now`, which is next_issue() or later.
    unsigned pick(base::cycle_t now) {
        unsigned t = last_;
        if (!repeats_ || ready_[t] > now) {
            do {
                t = (t + 1) % threads;
            } while (ready_[t] > now);
        }
        repeats_ = false;
        return last_ = t;
    }

  private:
    std::array<base::cycle_t, threads> ready_;
    base::cycle_t stage_free_;
    unsigned last_;
    bool repeats_;  // the last thread continues a REP string instruction
};

}  // namespace knc::core

#endif

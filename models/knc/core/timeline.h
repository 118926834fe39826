// The cycle at which a core stands, and the next cycle in which it has something to process.
//
// Models: the order of things inside a cycle: what is due is processed before anything issues.
// Leaves out: why something is due; each room of the core says so itself. Source:
// docs/architecture.md, "Time".
#ifndef KNC_CORE_TIMELINE_H
#define KNC_CORE_TIMELINE_H

#include <algorithm>

#include <knc/base/clock.h>

namespace knc::core {

class timeline {
  public:
    base::cycle_t now() const { return now_; }
    // Where the cycle is kept, for those who note the use of a cached line by it.
    const base::cycle_t* clock() const { return &now_; }
    void move_to(base::cycle_t c) { now_ = c; }

    // Something other than a counter's overflow is due in cycle `c`.
    void due_at(base::cycle_t c) {
        due_ = std::min(due_, c);
        next_event_ = std::min(next_event_, due_);
    }
    // The core is to look at everything in cycle `c`: what is due, or when, may have changed.
    void look_at(base::cycle_t c) { next_event_ = std::min(next_event_, c); }
    // From now on: the first thing other than an overflow is due at `due`, and the next overflow
    // lies before `overflow`.
    void plan(base::cycle_t due, base::cycle_t overflow) {
        due_ = due;
        next_event_ = std::min(due, overflow);
    }
    base::cycle_t due() const { return due_; }
    base::cycle_t next_event() const { return next_event_; }

    // Something has left the core in this cycle: the core stops behind it.
    void leave() { left_ = true; }
    bool left() const { return left_; }
    void begin_run() { left_ = false; }

    // The next activity of the core, as it was found last; void once something has disturbed it.
    bool activity_known() const { return known_; }
    base::cycle_t activity() const { return activity_; }
    void remember_activity(base::cycle_t c) {
        activity_ = c;
        known_ = true;
    }
    void disturb() { known_ = false; }

  private:
    base::cycle_t now_ = 0;
    base::cycle_t next_event_ = 0;
    base::cycle_t due_ = base::never;  // the same without the counters' deadline
    bool left_ = false;
    bool known_ = false;
    base::cycle_t activity_ = 0;
};

}  // namespace knc::core

#endif

// The present cycle of a core, and the next cycle in which it has an event to process.
//
// Models no hardware. In a cycle, due events are processed before an instruction issues. Leaves
// out: the causes of events; each room has its own. Source: docs/architecture.md, "Time".
#ifndef KNC_CORE_TIMELINE_H
#define KNC_CORE_TIMELINE_H

#include <algorithm>
#include <utility>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>

namespace knc::core {

class timeline {
  public:
    timeline() = default;
    timeline(const timeline&) = delete;
    timeline& operator=(const timeline&) = delete;

    base::cycle_t now() const { return now_; }
    // The address of the present cycle. The fast path writes that cycle into a line as its last
    // use.
    const base::cycle_t* clock() const { return &now_; }
    void move_to(base::cycle_t c) { now_ = c; }
    void pass_cycle() { ++now_; }

    // An event other than a counter overflow is due in cycle `c`.
    void due_at(base::cycle_t c) {
        due_ = std::min(due_, c);
        next_event_ = std::min(next_event_, due_);
    }
    // The core must process due events in cycle `c`: the set of due events may have changed.
    void look_at(base::cycle_t c) { next_event_ = std::min(next_event_, c); }
    // From now on, the first event other than an overflow is due in cycle `due`, and the next
    // overflow lies before `overflow`.
    void plan(base::cycle_t due, base::cycle_t overflow) {
        due_ = due;
        next_event_ = std::min(due, overflow);
    }
    base::cycle_t due() const { return due_; }
    base::cycle_t next_event() const { return next_event_; }

    // A message has left the core in this cycle: run() returns after it.
    void leave() { left_ = true; }
    bool left() const { return left_; }
    void begin_run() { left_ = false; }

    // The core's next activity as computed last; invalid after a disturbance.
    bool activity_known() const { return *activity_ != base::not_known; }
    base::cycle_t activity() const { return *activity_; }
    void remember_activity(base::cycle_t c) { *activity_ = c; }
    // From now on, it is kept at `where`, base::not_known while it is invalid.
    void keep_activity_in(base::cycle_t& where) {
        where = *activity_;
        activity_ = &where;
    }
    void disturb() {
        *activity_ = base::not_known;
        disturbed_ = true;
    }
    // A run begins: its result is another activity. Whether something from outside has changed what
    // the threads have to do since the last run.
    bool take_disturbance() {
        *activity_ = base::not_known;
        return std::exchange(disturbed_, false);
    }

  private:
    base::cycle_t now_ = 0;
    base::cycle_t next_event_ = 0;
    base::cycle_t due_ = base::never;  // next_event_ without the counters' deadline
    bool left_ = false;
    bool disturbed_ = true;
    base::cycle_t own_activity_ = base::not_known;
    base::cycle_t* activity_ = &own_activity_;
};

}  // namespace knc::core

#endif

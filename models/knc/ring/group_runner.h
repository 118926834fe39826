// Runs a group of rings by itself, on a host thread of its own.
//
// Models: what interconnect does with the messages of one group. It has them from their sending to
// their arrival: those that leave in a later cycle, and those that have left. Those that wait for a
// slot are in the group. Leaves out: an answer in the cycle of the arrival.
#ifndef KNC_RING_GROUP_RUNNER_H
#define KNC_RING_GROUP_RUNNER_H

#include <algorithm>
#include <vector>

#include <knc/base/clock.h>
#include <knc/ring/arrivals.h>
#include <knc/ring/injection_queue.h>
#include <knc/ring/parameters.h>
#include <knc/ring/ring_group.h>
#include <knc/ring/transit.h>

namespace knc::ring {

class group_runner {
  public:
    group_runner(const parameters& p, unsigned stops) : arrivals_(longest_travel(p, stops)) {}

    // A message with its way leaves in its `clock`; no cycle from `now` on has run.
    void add(base::cycle_t now, transit& m) { queue_.add(now, m); }
    // A message that has left its stop.
    void enter(transit& m) {
        arrivals_.enter(m);
        next_arrival_ = std::min(next_arrival_, m.clock);
    }
    // Runs all cycles before `until`. Calls sink(transit&) for each arrival, in the order of cycle,
    // stop and ring; the sink may not add messages.
    template <class Sink>
    void run(ring_group&, base::cycle_t until, Sink sink);

    // The next cycles in which a message tries to leave and in which one arrives; base::never if
    // there is none.
    base::cycle_t next_attempt(const ring_group& g) const {
        return std::min(queue_.next(), g.next_attempt());
    }
    base::cycle_t next_arrival() const { return next_arrival_; }

    // Calls send(transit&) for each message that leaves in a later cycle, in their order, and
    // enter(transit&) for each that has left; none is here any more.
    template <class Send, class Enter>
    void take_all(Send send, Enter enter);

  private:
    injection_queue queue_;
    arrivals arrivals_;
    base::cycle_t next_arrival_ = base::never;
    std::vector<transit*> due_;  // in the present cycle
};

template <class Sink>
void group_runner::run(ring_group& g, base::cycle_t until, Sink sink) {
    const auto left = [this](transit& m) { enter(m); };
    for (;;) {
        const base::cycle_t t = std::min(next_arrival_, next_attempt(g));
        if (t >= until) return;
        if (next_arrival_ <= t) {
            sort_due(arrivals_.take(t), due_);
            next_arrival_ = arrivals_.next(t + 1);
            for (transit* const m : due_) sink(*m);
        }
        if (queue_.next() == t)
            queue_.take(t, [&](transit& m) {
                if (g.offer(m, t)) enter(m);
            });
        if (g.next_attempt() <= t) g.inject(t, left);
    }
}

template <class Send, class Enter>
void group_runner::take_all(Send send, Enter enter) {
    while (queue_.next() != base::never) queue_.take(queue_.next(), send);
    arrivals_.take_all(next_arrival_, enter);
    next_arrival_ = base::never;
}

}  // namespace knc::ring

#endif

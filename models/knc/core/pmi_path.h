// Performance interrupts between the PMU and the first instruction of their handler.
//
// Models: the cycles from the rise of the PMU's line to the local APIC, per thread. Measures how
// long each interrupt takes (knc/core/skid.h). Leaves out: the counters (knc/pmu), priorities and
// delivery (knc/apic). Source: docs/pmu.md, "Skid".
#ifndef KNC_CORE_PMI_PATH_H
#define KNC_CORE_PMI_PATH_H

#include <array>
#include <deque>

#include <knc/base/clock.h>
#include <knc/core/skid.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>

namespace knc::core {

class pmi_path {
  public:
    // `cycles`: from the rise of the line to the local APIC.
    pmi_path(std::uint32_t cycles, timeline& time, thread_table& threads)
        : cycles_(cycles), time_(time), threads_(threads) {}
    // What is under way is lost; the statistics stay.
    void reset();

    // The PMU's line to thread `n` has risen because of cycle `at` - 1.
    void rise(unsigned n, base::cycle_t at);
    // Edges that have arrived by now enter the local APIC of thread `n`.
    void deliver(unsigned n);
    // The next cycle in which deliver() has something to do.
    base::cycle_t next_event() const;

    // ---- the measurement follows thread `t`
    // The thread takes the interrupt with `vector`, or an NMI.
    void taken(const thread& t, std::uint8_t vector);
    void nmi_taken(const thread& t);
    // An event is delivered. Its entry has ended, `as_asked` at the handler of the event with which
    // it began.
    void entry_begins(const thread&);
    void entered(thread&, bool as_asked);
    // The thread executes an instruction in this cycle: it may be the first of a handler.
    void issues(thread& t) {
        if ((t.observed & thread::observe_handler) != 0) handler_issues(t);
    }
    // Requests that wait in the local APIC are dropped there.
    void forget_requests(const thread& t) { skid_[t.index()].forget_requests(); }
    // INIT.
    void abandon(thread&);

    const skid_statistics& skid(std::size_t n) const { return skid_[n].statistics(); }

  private:
    // A rise of the line on its way.
    struct edge {
        base::cycle_t overflow;  // the cycle that caused it
        base::cycle_t arrives;
        std::uint64_t retired;  // instructions the thread had retired by the end of that cycle
    };
    void arrives(const thread&, const edge&);
    void handler_issues(thread&);

    const std::uint32_t cycles_;
    timeline& time_;
    thread_table& threads_;
    std::array<std::deque<edge>, base::threads_per_core> edges_;
    std::array<skid_meter, base::threads_per_core> skid_;
};

}  // namespace knc::core

#endif

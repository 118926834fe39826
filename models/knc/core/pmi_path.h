// Performance interrupts between the PMU and the first instruction of their handler.
//
// Models: the delay from the rise of the PMU's line to the local APIC, per thread. Measures the
// skid of each interrupt (knc/core/skid.h). Leaves out: the counters (knc/pmu), priorities and
// delivery (knc/apic). Source: docs/pmu.md, "Skid".
#ifndef KNC_CORE_PMI_PATH_H
#define KNC_CORE_PMI_PATH_H

#include <array>
#include <cstddef>
#include <deque>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/recorder.h>
#include <knc/core/skid.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>

namespace knc::core {

class pmi_path {
  public:
    // `cycles`: from the rise of the line to the local APIC.
    pmi_path(std::uint32_t cycles, timeline& time, thread_table& threads)
        : cycles_(cycles), time_(time), threads_(threads) {}
    // Drops the edges in flight; keeps the statistics.
    void reset();

    // The PMU's line to thread `n` has risen because of an overflow in cycle `at` - 1.
    void rise(unsigned n, base::cycle_t at);
    // A pin that shows counts, wired to pin LINT`n` of the local APIC of thread 0, rises in cycle
    // `at`. Only edges count there.
    void pin_rises(unsigned lint, base::cycle_t at);
    // Passes the edges that have arrived by now to the local APIC of thread `n`.
    void deliver(unsigned n);
    // No edge is in flight.
    bool idle() const { return in_flight_ == 0; }
    // The next cycle in which deliver() has an edge to pass.
    base::cycle_t next_event() const { return idle() ? base::never : first_arrival(); }

    // ---- the skid measurement of thread `t`
    // The thread accepts the interrupt with `vector`, or an NMI.
    void taken(const thread& t, std::uint8_t vector);
    void nmi_taken(const thread& t);
    // The delivery of an event starts. Its entry has ended; `as_asked`: at the handler of the event
    // with which it started, not at that of a fault.
    void entry_begins(const thread&);
    void entered(thread&, bool as_asked);
    // The thread executes an instruction in this cycle, perhaps the first of a handler.
    void issues(thread& t) {
        if ((t.observed & thread::observe_handler) != 0) handler_issues(t);
    }
    // From now on, `r` learns of the performance interrupts, and of the first instruction of each
    // handler, of the threads of core `n`.
    void record(std::uint16_t n, base::recorder_if& r) {
        core_ = n;
        recorder_ = &r;
    }
    // The local APIC drops its pending requests.
    void forget_requests(const thread& t) { skid_[t.index()].forget_requests(); }
    // INIT.
    void abandon(thread&);

    const skid_statistics& skid(std::size_t n) const { return skid_[n].statistics(); }
    const skid_records& records(std::size_t n) const { return skid_[n].records(); }
    void serialize(base::archive&);

  private:
    // A rise of the line in flight.
    struct edge {
        base::cycle_t overflow;  // the cycle of the overflow
        base::cycle_t arrives;
        std::uint64_t retired;  // instructions that the thread had retired by the end of that cycle

        void serialize(base::archive&);
    };
    base::cycle_t first_arrival() const;
    void arrives(const thread&, const edge&);
    void handler_issues(thread&);
    void record_begin(const thread&);

    const std::uint32_t cycles_;
    std::uint16_t core_ = 0;
    base::recorder_if* recorder_ = nullptr;
    std::uint8_t handler_due_ = 0;  // bit n: for the recorder, of thread n
    timeline& time_;
    thread_table& threads_;
    std::array<std::deque<edge>, base::threads_per_core> edges_;
    std::array<skid_meter, base::threads_per_core> skid_;
    struct pin_edge {
        base::cycle_t at;
        std::uint8_t lint;

        void serialize(base::archive&);
    };
    std::deque<pin_edge> pin_edges_;  // in their order
    std::size_t in_flight_ = 0;       // edges of both kinds
};

}  // namespace knc::core

#endif

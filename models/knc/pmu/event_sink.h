// The interface through which a foreign processor model reports events to its PMU
// (sc_port<event_sink_if> to pmu::events).
//
// Models: events at the present SystemC time, durations that last until they are ended, and the
// thread state that the PMU's filters and interrupts need. Leaves out: register accesses
// (pmu::msr). Source: docs/integration.md.
#ifndef KNC_PMU_EVENT_SINK_H
#define KNC_PMU_EVENT_SINK_H

#include <cstddef>
#include <cstdint>

#include <systemc>

#include <knc/base/event.h>

namespace knc::pmu {

// A thread is 0-3. Every call belongs to the present cycle. An event of scope core has no thread,
// whatever thread is given. An event must not occur more than `bound` times in one cycle
// (knc/base/events.def), because the PMU could detect an overflow too late. Arguments out of range
// are a SystemC error and change nothing.
struct event_sink_if : virtual sc_core::sc_interface {
    // Reports `n` events of `thread` at its present privilege.
    virtual void raise(std::size_t thread, base::event e, std::uint64_t n = 1) = 0;
    // Reports `n` events of scope core.
    virtual void raise_core(base::event e, std::uint64_t n = 1) = 0;
    // Starts (`on`) or ends a duration in this cycle. While it lasts, the event occurs once per
    // cycle.
    virtual void hold(std::size_t thread, base::event e, bool on) = 0;
    virtual void hold_core(base::event e, bool on) = 0;

    virtual void set_privilege(std::size_t thread, base::privilege p) = 0;
    // `thread` entered the execution stage.
    virtual void set_execution_stage(std::size_t thread) = 0;
    // The thread executed SPFLT; `enable` is bit 0 of its operand.
    virtual void spflt(std::size_t thread, bool enable) = 0;
};

}  // namespace knc::pmu

#endif

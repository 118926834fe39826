// Precise event-based sampling (PEBS): what a core asks of a PMU that wants records of
// instructions.
//
// Models: which instruction of a thread is to be recorded, and what of it; the effects of a record
// on the counters. Leaves out: the record itself and the accesses that write it
// (knc/core/pebs_unit.h). Source: Intel SDM vol. 3, processor event based sampling;
// docs/perfmon.md.
//
// A counter whose bit in IA32_PEBS_ENABLE is set is armed when it overflows. If one instruction has
// caused the event, that one is recorded, or the next one that causes the event; otherwise the
// first to retire in a later cycle.
#ifndef KNC_PMU_PEBS_H
#define KNC_PMU_PEBS_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/pmu/perfmon_registers.h>

namespace knc::pmu {

// A record that is due.
struct pebs_request {
    std::uint64_t counters = 0;  // bits as in IA32_PEBS_ENABLE; 0: none is due
    bool adaptive = false;       // one of them asks for the groups of `config`
    std::uint64_t config = 0;    // MSR_PEBS_DATA_CFG; 0: not adaptive
    std::uint64_t area = 0;      // IA32_DS_AREA
};

// How a record has ended: it is written, and the index has reached its threshold or not; or there
// was no room for it.
enum class pebs_outcome : std::uint8_t { written, threshold_reached, no_room };

// Of a thread, since reset: records, those that found no room, and attempts that a fault ended.
struct pebs_counts {
    std::uint64_t records = 0, no_room = 0, faults = 0;

    void serialize(base::archive&);
};

class pebs_if {
  public:
    // The first cycle in which an instruction of `thread` may be one to record, as far as is known
    // now; base::never: in none.
    virtual base::cycle_t watch_from(std::size_t thread) const = 0;
    // An instruction of `thread` has retired in cycle `clock`. The ledger has its events, and those
    // of no later instruction. Returns whether it is to be recorded. The core then writes the
    // record before the thread does anything else. From watch_from() on, the core calls it for each
    // instruction.
    virtual bool retired(std::size_t thread, base::cycle_t clock) = 0;
    // The counters must be settled for these.
    virtual pebs_request due(std::size_t thread) const = 0;
    // That is over: the counters of the request start from `reset`, by the number of the counter.
    virtual void recorded(std::size_t thread,
                          const std::array<std::uint64_t, perfmon::counters>& reset,
                          pebs_outcome) = 0;
    // A fault has ended it. After release(), the first instruction is recorded instead.
    virtual void hold(std::size_t thread) = 0;
    virtual void release(std::size_t thread) = 0;

    // With TF, the thread stops after branches that are taken, not after each instruction
    // (IA32_DEBUGCTL.BTF); a trap ends that.
    virtual bool steps_branches(std::size_t thread) const = 0;
    virtual void stepped(std::size_t thread) = 0;

  protected:
    ~pebs_if() = default;
};

}  // namespace knc::pmu

#endif

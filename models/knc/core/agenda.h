// The next cycle in which a core has an event to process, apart from instructions that issue.
//
// Models no hardware: computes, for the timeline, the earliest due cycle of a change of privilege,
// an instruction that completes, performance interrupts in flight, local APICs, caches, and
// counters that may overflow, some of them with a record of the instruction. Leaves out: the
// processing itself (knc/core/core.h).
#ifndef KNC_CORE_AGENDA_H
#define KNC_CORE_AGENDA_H

#include <algorithm>

#include <knc/core/cycle_accounting.h>
#include <knc/core/due_times.h>
#include <knc/core/load_store_unit.h>
#include <knc/core/pmi_path.h>
#include <knc/core/timeline.h>
#include <knc/pmu/counter_bank.h>

namespace knc::core {

class pebs_unit;

class agenda {
  public:
    agenda(timeline& time, const due_times& due, const cycle_accounting& accounting,
           const load_store_unit& memory, const pmi_path& pmi)
        : time_(time), due_(due), accounting_(accounting), memory_(memory), pmi_(pmi) {}
    // `p`: nullptr if no counter makes records.
    void connect(const pmu::counter_bank& c, pebs_unit* p) {
        counters_ = &c;
        pebs_ = p;
    }

    // Queries all rooms again.
    void plan() {
        base::cycle_t due =
            std::min({accounting_.next_privilege(), pmi_.next_event(), memory_.next_event(),
                      due_.first_completion(), due_.first_of_apics()});
        if (pebs_ != nullptr) due = std::min(due, next_watch());
        time_.plan(due, counters_->deadline());
    }

  private:
    base::cycle_t next_watch();

    timeline& time_;
    const due_times& due_;
    const cycle_accounting& accounting_;
    const load_store_unit& memory_;
    const pmi_path& pmi_;
    const pmu::counter_bank* counters_ = nullptr;
    pebs_unit* pebs_ = nullptr;
};

}  // namespace knc::core

#endif

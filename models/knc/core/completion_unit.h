// Instructions that execute at completion: they read time or counters, or change what is counted.
//
// Models: such an instruction occupies the execution stage from its issue to its last cycle. Its
// own event is in that cycle, and its effect applies from the next cycle on. Leaves out: the
// registers it reads or writes (knc/core/system_registers.h). Source: PMU guide 327357-001, table
// 1-1; docs/pmu.md.
#ifndef KNC_CORE_COMPLETION_UNIT_H
#define KNC_CORE_COMPLETION_UNIT_H

#include <knc/core/cycle_accounting.h>
#include <knc/core/due_times.h>
#include <knc/core/parameters.h>
#include <knc/core/retirement.h>
#include <knc/core/scoreboard.h>
#include <knc/core/thread.h>
#include <knc/core/timeline.h>

namespace knc::core {

class completion_unit {
  public:
    completion_unit(const parameters&, timeline&, due_times&, picker&, cycle_accounting&,
                    scoreboard&, pmi_path&, retirement&, thread_table&);

    // `i` issues in this cycle.
    void begin(thread&, const isa::insn& i);
    // Completes the instructions whose last cycle is this one; that cycle then passes. Returns
    // whether there was one.
    bool complete_due();

    // From now on, `r` learns of accesses to MSRs by the threads of core `n`.
    void record(std::uint16_t n, base::recorder_if& r) {
        core_ = n;
        recorder_ = &r;
    }

    // Instructions are counted by `p`, too.
    void attach(pentium_unit& p) { pentium_ = &p; }

  private:
    void record_msr(const thread&, const isa::insn&, bool accepted) const;
    void complete(thread&);

    const parameters& parameters_;
    timeline& time_;
    due_times& due_;
    picker& picker_;
    cycle_accounting& accounting_;
    scoreboard& scoreboard_;
    pmi_path& pmi_;
    retirement& retirement_;
    thread_table& threads_;
    pentium_unit* pentium_ = nullptr;
    std::uint16_t core_ = 0;
    base::recorder_if* recorder_ = nullptr;
};

}  // namespace knc::core

#endif

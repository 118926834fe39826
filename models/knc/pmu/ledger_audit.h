// Checks that the sources of events obey the rules that the PMU relies on.
//
// Models no hardware: checks all counts of the ledger, also those that no counter selects. No count
// may fall, and none may rise in a cycle by more than its bound. If a count fell, the difference
// that a counter computes would wrap and report a false overflow. If a count rose faster, the PMU
// could miss an overflow. Leaves out: which source broke the rule. Source: docs/pmu.md, "How the
// counts come about".
#ifndef KNC_PMU_LEDGER_AUDIT_H
#define KNC_PMU_LEDGER_AUDIT_H

#include <string>

#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::pmu {

class ledger_audit {
  public:
    // `events` must outlive the audit.
    ledger_audit(const base::ledger& events, const base::event_bounds& bounds)
        : ledger_(events), bounds_(bounds), before_(events.counts) {}

    // Checks the `clocks` cycles (at least 1) since the last call. Returns one line that names the
    // event and the error; empty if there is no error.
    std::string check(base::cycle_t clocks);

  private:
    const base::ledger& ledger_;
    const base::event_bounds bounds_;
    base::event_counts before_;
};

}  // namespace knc::pmu

#endif

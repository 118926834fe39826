// Checks that the sources of events keep the rules that the PMU relies on.
//
// Models: a check of all counts of the ledger, whether a counter selects them or not: no count ever
// falls, and none rises by more than its bound in a clock. If a count fell, the difference that a
// counter takes would wrap and report an overflow that nobody caused. If a count rose faster, an
// overflow could pass unnoticed. Leaves out: which source broke the rule. Source: docs/pmu.md, "How
// the counts come about".
#ifndef KNC_PMU_LEDGER_AUDIT_H
#define KNC_PMU_LEDGER_AUDIT_H

#include <string>

#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::pmu {

class ledger_audit {
  public:
    // The ledger outlives the audit.
    ledger_audit(const base::ledger& events, const base::event_bounds& bounds)
        : ledger_(events), bounds_(bounds), before_(events.counts) {}

    // Checks the `clocks` (at least 1) since the last call. Returns one line that names the event
    // and what is wrong; empty if nothing is.
    std::string check(base::cycle_t clocks);

  private:
    const base::ledger& ledger_;
    const base::event_bounds bounds_;
    base::event_counts before_;
};

}  // namespace knc::pmu

#endif

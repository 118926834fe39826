// The events of a PMU that is not Knights Corner's, under their own names.
//
// Models no hardware: one list of what the tables of these PMUs have, for reports and monitors.
// Leaves out: codes and meanings (knc/pmu/perfmon_events.h, knc/pmu/p55c_events.h).
#ifndef KNC_PMU_OWN_EVENTS_H
#define KNC_PMU_OWN_EVENTS_H

#include <string_view>
#include <vector>

#include <knc/base/event.h>
#include <knc/pmu/parameters.h>

namespace knc::pmu {

struct own_event {
    std::string_view name;
    base::event cell;  // where the ledger counts it
};

// In the order of the PMU's table; `l3`: on a card with an L3. Knights Corner's has none.
std::vector<own_event> own_events(front_end_kind, bool l3);

// The name by which software of this PMU knows what a cell counts.
std::string_view event_name(front_end_kind, base::event cell);

}  // namespace knc::pmu

#endif

#include <knc/core/agenda.h>

#include <algorithm>

#include <knc/core/pebs_unit.h>

namespace knc::core {

void agenda::plan() {
    base::cycle_t due =
        std::min({accounting_.next_privilege(), pmi_.next_event(), memory_.next_event()});
    for (const auto& t : threads_) {
        if (t->completing.under_way) due = std::min(due, t->completing.last_cycle);
        due = std::min(due, t->apic->next_event());
    }
    time_.plan(std::min(due, pebs_->watch()), counters_->deadline());
}

}  // namespace knc::core

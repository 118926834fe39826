#include <knc/pmu/own_events.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/p55c_events.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::pmu {

std::vector<own_event> own_events(front_end_kind k, bool l3) {
    std::vector<own_event> all;
    if (k == front_end_kind::perfmon)
        for (const perfmon_event& e : perfmon_events())
            if (l3 || !e.needs_l3) all.push_back({e.name, e.cell});
    if (k == front_end_kind::p55c)
        for (const p55c_event& e : p55c_events()) all.push_back({e.name, e.cell});
    return all;
}

std::string_view event_name(front_end_kind k, base::event cell) {
    switch (k) {
        case front_end_kind::perfmon:
            return perfmon_name(cell);
        case front_end_kind::p55c:
            return p55c_name(cell);
        default:
            return info(cell).name;
    }
}

}  // namespace knc::pmu

#include <knc/pmu/perfmon_events.h>

#include <knc/pmu/event_name.h>

namespace knc::pmu {

namespace {

namespace names {
#define KNC_PERFMON_EVENT(name, ...) constexpr auto name = upper(#name);
#define KNC_PERFMON_MODEL_EVENT(name, ...) constexpr auto name = upper(#name);
#include <knc/base/perfmon_events.def>
}  // namespace names

constexpr std::array<perfmon_event, perfmon_event_count> table{{
#define KNC_PERFMON_EVENT(name, select, umask, bit, cell, meaning, cause) \
    {text(names::name), select, umask, bit, false, base::cell, meaning, cause},
#define KNC_PERFMON_MODEL_EVENT(name, select, umask, cell, needs_l3, meaning, cause) \
    {text(names::name), select, umask, no_bit, needs_l3, base::cell, meaning, cause},
#include <knc/base/perfmon_events.def>
}};

}  // namespace

const std::array<perfmon_event, perfmon_event_count>& perfmon_events() {
    return table;
}

base::event find_perfmon_event(std::uint8_t select, std::uint8_t umask, bool l3) {
    for (const perfmon_event& e : table)
        if (e.select == select && e.umask == umask && (l3 || !e.needs_l3)) return e.cell;
    return base::event_count;
}

bool of_instruction(base::event cell) {
    switch (cell) {
        case base::instructions_executed:
        case base::branches:
        case base::branch_misses_retired:
            return true;
        default:
            return cell >= base::loads_l1_hit && cell <= base::loads_fb_hit;
    }
}

std::string_view perfmon_name(base::event cell) {
    for (const perfmon_event& e : table)
        if (e.cell == cell) return e.name;
    return {};
}

}  // namespace knc::pmu

#include <knc/pmu/p55c_events.h>

#include <knc/pmu/event_name.h>

namespace knc::pmu {

namespace {

namespace names {
// Two counters may have different events of one code, but no two events have one name.
#define KNC_P55C_EVENT(name, ...) constexpr auto name = upper(#name);
#include <knc/base/p55c_events.def>
}  // namespace names

constexpr std::array<p55c_event, p55c_event_count> table{{
#define KNC_P55C_EVENT(name, code, counters, kind, cell, meaning, cause) \
    {text(names::name), code, counters, event_kind::kind, base::cell, meaning, cause},
#include <knc/base/p55c_events.def>
}};

}  // namespace

const std::array<p55c_event, p55c_event_count>& p55c_events() {
    return table;
}

const p55c_event* find_p55c_event(unsigned code, std::size_t n, bool manual) {
    for (const p55c_event& e : table)
        if (e.code == code && (e.counters >> n & 1) != 0 &&
            (manual || (e.counters & of_manual) == 0))
            return &e;
    return nullptr;
}

std::string_view p55c_name(base::event cell) {
    for (const p55c_event& e : table)
        if (e.cell == cell) return e.name;
    return {};
}

}  // namespace knc::pmu

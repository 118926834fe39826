#include <knc/pmu/event_table.h>

#include <algorithm>
#include <array>

#include <knc/pmu/event_name.h>

namespace knc::pmu {

namespace {

namespace names {
#define KNC_EVENT(name, ...) constexpr auto name = upper(#name);
#include <knc/base/events.def>
#undef KNC_EVENT
#define KNC_PERFMON_CELL(name, ...) constexpr auto name = upper(#name);
#include <knc/base/perfmon_events.def>
#define KNC_P55C_CELL(name, ...) constexpr auto name = upper(#name);
#include <knc/base/p55c_events.def>
}  // namespace names

// A cell that another PMU's events count in.
constexpr event_info cell(std::string_view name, event_kind kind, std::uint32_t bound) {
    return {name, 0, 0, event_unit::p54c, event_scope::thread, kind, bound, false, {}, {}};
}

constexpr std::array<event_info, base::cell_count> table{{
#define KNC_EVENT(name, select, umask, unit, scope, kind, bound, counter0_only, meaning, cause) \
    {text(names::name), select, umask,         event_unit::unit, event_scope::scope,            \
     event_kind::kind,  bound,  counter0_only, meaning,          cause},
#include <knc/base/events.def>
#undef KNC_EVENT
    {},  // base::event_count
#define KNC_PERFMON_CELL(name, kind, bound) cell(text(names::name), event_kind::kind, bound),
#include <knc/base/perfmon_events.def>
#define KNC_P55C_CELL(name, kind, bound) cell(text(names::name), event_kind::kind, bound),
#include <knc/base/p55c_events.def>
}};

template <typename predicate>
base::event find_if(predicate matches) {
    for (std::size_t i = 0; i < base::event_count; ++i) {
        if (matches(table[i])) return static_cast<base::event>(i);
    }
    return base::event_count;
}

}  // namespace

const event_info& info(base::event e) {
    return table[e];
}

base::event_bounds bounds_of_table() {
    base::event_bounds b{};
    std::transform(table.begin(), table.end(), b.begin(),
                   [](const event_info& e) { return e.bound; });
    return b;
}

base::event find_event(std::uint8_t select, std::uint8_t umask) {
    return find_if([&](const event_info& e) { return e.select == select && e.umask == umask; });
}

base::event find_event(std::string_view name) {
    return find_if([&](const event_info& e) { return e.name == name; });
}

}  // namespace knc::pmu

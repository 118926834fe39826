#include <knc/pmu/event_table.h>

#include <algorithm>
#include <array>

namespace knc::pmu {

namespace {

// The name in the guide of an identifier of events.def.
template <std::size_t size>
constexpr std::array<char, size> upper(const char (&identifier)[size]) {
    std::array<char, size> text{};
    for (std::size_t i = 0; i < size; ++i) {
        const char c = identifier[i];
        text[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return text;
}

namespace names {
#define KNC_EVENT(name, ...) constexpr auto name = upper(#name);
#include <knc/base/events.def>
#undef KNC_EVENT
}  // namespace names

constexpr std::array<event_info, base::event_count> table{{
#define KNC_EVENT(name, select, umask, unit, scope, kind, bound, counter0_only, meaning, cause) \
    {std::string_view(names::name.data(), names::name.size() - 1),                              \
     select,                                                                                    \
     umask,                                                                                     \
     event_unit::unit,                                                                          \
     event_scope::scope,                                                                        \
     event_kind::kind,                                                                          \
     bound,                                                                                     \
     counter0_only,                                                                             \
     meaning,                                                                                   \
     cause},
#include <knc/base/events.def>
#undef KNC_EVENT
}};

template <typename predicate>
base::event find_if(predicate matches) {
    for (std::size_t i = 0; i < table.size(); ++i) {
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

// Names of events as lists and reports write them, made from identifiers of the event tables.
#ifndef KNC_PMU_EVENT_NAME_H
#define KNC_PMU_EVENT_NAME_H

#include <array>
#include <cstddef>
#include <string_view>

namespace knc::pmu {

// The identifier in capitals.
template <std::size_t size>
constexpr std::array<char, size> upper(const char (&identifier)[size]) {
    std::array<char, size> text{};
    for (std::size_t i = 0; i < size; ++i) {
        const char c = identifier[i];
        text[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return text;
}

// Without the zero at the end.
template <std::size_t size>
constexpr std::string_view text(const std::array<char, size>& name) {
    return {name.data(), size - 1};
}

}  // namespace knc::pmu

#endif

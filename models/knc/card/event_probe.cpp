#include <knc/card/event_probe.h>

#include <algorithm>
#include <cctype>

#include <knc/pmu/event_table.h>

namespace knc::card {

namespace {

constexpr unsigned count_width = 40;  // as the counters of the PMU

std::string lower_case(std::string_view s) {
    std::string text{s};
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

void event_probe::sample(const base::ledger& l) {
    for (std::size_t n = 0; n < shown_.size(); ++n) {
        // An event of the core is in the row of each thread.
        const bool of_core = pmu::info(shown_[n]).scope == pmu::event_scope::core;
        const std::size_t rows = of_core ? 1 : base::threads_per_core;
        counts_[n] = 0;
        for (std::size_t t = 0; t < rows; ++t) counts_[n] += l.total(t, shown_[n]);
    }
}

void event_probe::list_signals(const std::string& prefix, base::signal_list& list) const {
    for (std::size_t n = 0; n < shown_.size(); ++n) {
        const pmu::event_info& e = pmu::info(shown_[n]);
        list.push_back({prefix + lower_case(e.name), count_width, &counts_[n], e.meaning.data(),
                        base::signal_form::number});
    }
}

}  // namespace knc::card

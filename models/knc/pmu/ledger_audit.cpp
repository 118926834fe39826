#include <knc/pmu/ledger_audit.h>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>

namespace knc::pmu {

std::string ledger_audit::check(base::cycle_t clocks) {
    std::string why;
    for (std::size_t t = 0; t < base::threads_per_core; ++t) {
        for (std::size_t e = 0; e < base::cell_count; ++e) {
            std::uint64_t rise = 0;
            for (std::size_t p = 0; p < before_[t].size(); ++p) {
                const std::uint64_t now = ledger_.counts[t][p][e], before = before_[t][p][e];
                if (now >= before)
                    rise += now - before;
                else
                    why = fmt::format("{} of thread {} falls from {} to {}",
                                      info(static_cast<base::event>(e)).name, t, before, now);
            }
            if (rise / clocks > bounds_[e] || (rise / clocks == bounds_[e] && rise % clocks != 0))
                why = fmt::format(
                    "{} of thread {} rises by {} in {} clocks; its bound is {} a clock",
                    info(static_cast<base::event>(e)).name, t, rise, clocks, bounds_[e]);
        }
    }
    before_ = ledger_.counts;
    return why;
}

}  // namespace knc::pmu

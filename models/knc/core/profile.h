// The exact profile of a run: instructions and cycles per code address.
//
// Models no hardware: the reference for a sampled profile. Leaves out: the events in these cycles
// (knc/core/cycle_accounting.h).
#ifndef KNC_CORE_PROFILE_H
#define KNC_CORE_PROFILE_H

#include <array>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/event.h>

namespace knc::core {

class profile {
  public:
    struct cell {
        std::uint64_t instructions = 0;
        std::uint64_t clocks =
            0;  // from the retirement of this instruction to the next one of its thread
    };

    // Linear addresses [lo, hi), lo < hi.
    profile(std::uint64_t lo, std::uint64_t hi)
        : low_(lo), cells_{std::vector<cell>(hi - lo), std::vector<cell>(hi - lo)} {}

    // `thread` retired the instruction at `ip`, at privilege `p`, in cycle `now`.
    void retired(std::size_t thread, base::privilege p, std::uint64_t ip, base::cycle_t now) {
        open& o = open_[thread];
        if (o.at != nullptr) o.at->clocks += now - o.since;
        const bool inside = ip - low_ < cells_[p].size();
        o = {inside ? &cells_[p][ip - low_] : nullptr, now};
        if (inside) ++o.at->instructions;
    }

    std::uint64_t low() const { return low_; }
    // One cell per byte of code; an instruction counts at its first byte.
    const std::vector<cell>& cells(base::privilege p) const { return cells_[p]; }

  private:
    struct open {
        cell* at = nullptr;
        base::cycle_t since = 0;
    };
    std::uint64_t low_;
    std::array<std::vector<cell>, 2> cells_;
    std::array<open, base::threads_per_core> open_;
};

}  // namespace knc::core

#endif

// The cycles in which results of vector instructions are available: vector and mask registers of
// one thread.
//
// Models: for each register, the cycle from which it can be read. Leaves out: the values. Source:
// docs/pipeline.md, "Vector unit".
#ifndef KNC_CORE_VECTOR_RESULTS_H
#define KNC_CORE_VECTOR_RESULTS_H

#include <algorithm>
#include <array>
#include <cstdint>

#include <knc/base/clock.h>
#include <knc/isa/insn.h>

namespace knc::core {

// Sets of registers as in isa::insn.
class vector_results {
  public:
    // The cycle from which all of `registers` can be read; it may lie in the past.
    base::cycle_t ready(isa::register_set registers) const {
        base::cycle_t all = 0;
        for (isa::register_set left = registers >> first; left != 0; left &= left - 1)
            all = std::max(all, ready_[static_cast<unsigned>(__builtin_ctzll(left))]);
        return all;
    }
    // The cycle from which all registers can be read.
    base::cycle_t all_ready() const { return latest_; }
    // An instruction writes `registers`.
    void write(isa::register_set registers, base::cycle_t ready) {
        latest_ = std::max(latest_, ready);
        for (isa::register_set left = registers >> first; left != 0; left &= left - 1)
            ready_[static_cast<unsigned>(__builtin_ctzll(left))] = ready;
    }
    void reset() { *this = {}; }

  private:
    static constexpr unsigned first = isa::mask_registers_shift;
    static_assert(isa::vector_registers_shift == first + 8, "mask registers, then vectors");

    std::array<base::cycle_t, 40> ready_{};
    base::cycle_t latest_ = 0;
};

}  // namespace knc::core

#endif

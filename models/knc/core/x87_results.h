// The cycles in which results of x87 instructions are available: the stack registers of one thread.
//
// Models: for each physical register, the cycle from which it can be read; FXCH exchanges two of
// them. Leaves out: condition codes and exceptions, which are valid when the instruction ends.
// Source: P54C; docs/pipeline.md.
#ifndef KNC_CORE_X87_RESULTS_H
#define KNC_CORE_X87_RESULTS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <knc/base/clock.h>
#include <knc/isa/insn.h>

namespace knc::core {

// Sets of registers as in isa::insn: bit x87_registers_shift + n is ST(n) when TOP is `top`.
class x87_results {
  public:
    // The cycle from which all of `registers` can be read; it may lie in the past.
    base::cycle_t ready(isa::register_set registers, unsigned top) const {
        base::cycle_t all = 0;
        each(registers, top, [&](unsigned n) { all = std::max(all, ready_[n]); });
        return all;
    }
    // An instruction writes `registers`; earlier pending results for them no longer matter.
    void write(isa::register_set registers, unsigned top, base::cycle_t ready) {
        each(registers, top, [&](unsigned n) { ready_[n] = ready; });
    }
    // FXCH of ST(0) and ST(n).
    void exchange(unsigned n, unsigned top) { std::swap(ready_[top], ready_[(top + n) & 7]); }
    void reset() { *this = {}; }

  private:
    // Calls `visit` with the physical number of each register in a set.
    template <class Visit>
    static void each(isa::register_set registers, unsigned top, Visit visit) {
        for (auto left = static_cast<unsigned>(registers >> isa::x87_registers_shift & 0xff);
             left != 0; left &= left - 1)
            visit((static_cast<unsigned>(__builtin_ctz(left)) + top) & 7);
    }

    std::array<base::cycle_t, 8> ready_{};  // by physical number
};

}  // namespace knc::core

#endif

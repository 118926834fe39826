// When the results of x87 instructions can be used: one thread's stack registers.
//
// Models: for each physical register the clock from which it can be read; FXCH exchanges two of
// them. Leaves out: condition codes and exceptions, which are there when the instruction ends.
// Source: P54C; docs/pipeline.md.
#ifndef KNC_CORE_X87_RESULTS_H
#define KNC_CORE_X87_RESULTS_H

#include <array>
#include <cstdint>

#include <knc/base/clock.h>

namespace knc::core {

// Sets of registers as in isa::insn: bit x87_registers_shift + n is ST(n) when TOP is `top`.
class x87_results {
  public:
    // The clock from which all of `registers` can be read; may lie in the past.
    base::cycle_t ready(std::uint32_t registers, unsigned top) const;
    // An instruction writes `registers`; what was under way to them no longer matters.
    void write(std::uint32_t registers, unsigned top, base::cycle_t ready);
    // FXCH of ST(0) and ST(n).
    void exchange(unsigned n, unsigned top);
    void reset() { *this = {}; }

  private:
    std::array<base::cycle_t, 8> ready_{};  // by physical number
};

}  // namespace knc::core

#endif

// The registers that have no value yet, and the cycle in which each has one.
//
// Models: address generation after the issue that wrote the register, results of x87 instructions
// by physical register, the x87 unit, which one instruction occupies for all threads, results of
// MMX instructions in the same registers and the switch from MMX to x87, results of vector
// instructions. Leaves out: results of integer instructions, which are always available to the
// thread's next issue. Source: P54C; docs/pipeline.md.
#ifndef KNC_CORE_SCOREBOARD_H
#define KNC_CORE_SCOREBOARD_H

#include <array>
#include <cstdint>

#include <knc/base/clock.h>
#include <knc/base/event.h>
#include <knc/core/vector_results.h>
#include <knc/core/x87_results.h>
#include <knc/isa/insn.h>

namespace knc::core {

class scoreboard {
  public:
    static constexpr unsigned threads = base::threads_per_core;

    void reset() { *this = {}; }
    // INIT of thread `t`. The x87 unit may be occupied by another thread's instruction.
    void reset(unsigned t) {
        written_[t] = 0;
        x87_[t].reset();
        x87_after_mmx_[t] = 0;
        vector_[t].reset();
    }

    // ---- address generation: general registers that the last issue of `t` wrote
    // Whether the last issue wrote a register of `address`, the registers that form an address.
    bool address_waits(unsigned t, std::uint32_t address) const {
        return (address & written_[t]) != 0;
    }
    static std::uint32_t written_by(const isa::insn& i) {
        return static_cast<std::uint32_t>(i.writes) & isa::address_registers;
    }
    void wrote(unsigned t, const isa::insn& u) { wrote(t, written_by(u)); }
    void wrote(unsigned t, std::uint32_t registers) { written_[t] = registers; }
    void wrote_in_v(unsigned t, const isa::insn& v) { written_[t] |= written_by(v); }
    void forget_written(unsigned t) { written_[t] = 0; }

    // ---- x87; `top`: TOP when the instruction begins
    // The first cycle in which `i` may start; it may lie in the past.
    base::cycle_t x87_start(unsigned t, const isa::insn& i, unsigned top) const;
    // `i` has issued, and its result is available in cycle `result`.
    void x87_issued(unsigned t, const isa::insn& i, unsigned top, base::cycle_t result);

    // ---- MMX
    // The first cycle in which the registers of `i` permit its issue; it may lie in the past. 0 for
    // an instruction that is not MMX.
    base::cycle_t mmx_start(unsigned t, const isa::insn& i) const;
    // `i` has issued, its result is available in cycle `result`, and no x87 instruction of the
    // thread starts before cycle `x87`.
    void mmx_issued(unsigned t, const isa::insn& i, base::cycle_t result, base::cycle_t x87);

    // What an MMX instruction waits for: the first cycle in which the unit is free, an x87 result
    // there, a product there, and its register there early enough for a store; each may lie in the
    // past.
    struct mmx_wait {
        base::cycle_t unit = 0, x87 = 0, product = 0, store = 0;
    };
    mmx_wait mmx_wait_of(unsigned t, const isa::insn& i) const;
    // x87 instructions write the registers from now on.
    void forget_products(unsigned t) { products_[t] = 0; }

    // ---- vector unit
    vector_results& vector(unsigned t) { return vector_[t]; }

  private:
    std::array<std::uint32_t, threads> written_{};
    std::array<x87_results, threads> x87_;
    std::array<vector_results, threads> vector_;
    std::array<isa::register_set, threads> products_{};   // MMX registers that have one
    std::array<base::cycle_t, threads> x87_after_mmx_{};  // no x87 instruction starts before
    base::cycle_t x87_free_ = 0;  // no x87 instruction that needs the unit starts before this cycle
};

}  // namespace knc::core

#endif

#include <knc/core/scoreboard.h>

#include <algorithm>

#include <Zydis/Mnemonic.h>

#include <knc/core/issue_rules.h>

namespace knc::core {
namespace {

// The registers of MMX have fixed places: as if TOP were 0.
constexpr unsigned mmx_top = 0;
// A store, or MOVD to a general register, needs its MMX register so much earlier.
constexpr base::cycle_t mmx_store_cycles = 1;

bool leaves_mmx_registers(const isa::insn& i) {
    return (i.flags & isa::insn_writes) != 0 || (i.writes & isa::general_registers) != 0;
}

}  // namespace

// FXCH moves no value, so it waits for none.
base::cycle_t scoreboard::x87_start(unsigned t, const isa::insn& i, unsigned top) const {
    const base::cycle_t after_mmx = x87_after_mmx_[t];
    if (i.mnemonic == ZYDIS_MNEMONIC_FXCH) return after_mmx;
    return std::max({after_mmx, x87_free_, x87_[t].ready(i.reads, top)});
}

void scoreboard::x87_issued(unsigned t, const isa::insn& i, unsigned top, base::cycle_t result) {
    if (i.mnemonic == ZYDIS_MNEMONIC_FXCH) {
        x87_[t].exchange(i.reg, top);
        return;
    }
    x87_[t].write(i.writes, top, result);
    if (i.x87_held) x87_free_ = result;
}

// The operands have values, and the result comes after earlier ones of the same register.
base::cycle_t scoreboard::mmx_start(unsigned t, const isa::insn& i) const {
    if ((i.flags & isa::insn_mmx) == 0) return 0;
    const x87_results& r = x87_[t];
    const base::cycle_t sources =
        r.ready(i.reads, mmx_top) + (leaves_mmx_registers(i) ? mmx_store_cycles : 0);
    const base::cycle_t latency = issue_rule_at(i.rule).latency.clocks;
    const base::cycle_t earlier = r.ready(i.writes, mmx_top);
    return std::max({x87_free_, sources, earlier > latency ? earlier - latency : 0});
}

void scoreboard::mmx_issued(unsigned t, const isa::insn& i, base::cycle_t result,
                            base::cycle_t x87) {
    if ((i.flags & isa::insn_mmx) == 0) return;
    x87_[t].write(i.writes, mmx_top, result);
    x87_after_mmx_[t] = x87;
    products_[t] &= ~i.writes;
    if (issue_rule_at(i.rule).latency.unit == mmx_unit::multiplier)
        products_[t] |= i.writes & isa::x87_registers;
}

scoreboard::mmx_wait scoreboard::mmx_wait_of(unsigned t, const isa::insn& i) const {
    const x87_results& r = x87_[t];
    const base::cycle_t latency = issue_rule_at(i.rule).latency.clocks;
    const auto there = [&](isa::register_set of) {
        const base::cycle_t earlier = r.ready(i.writes & of, mmx_top);
        return std::max(r.ready(i.reads & of, mmx_top), earlier > latency ? earlier - latency : 0);
    };
    mmx_wait w;
    w.unit = x87_free_;
    w.x87 = there(~products_[t]);
    w.product = there(products_[t]);
    if (leaves_mmx_registers(i)) w.store = r.ready(i.reads, mmx_top) + mmx_store_cycles;
    return w;
}

}  // namespace knc::core

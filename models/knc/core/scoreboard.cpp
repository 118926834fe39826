#include <knc/core/scoreboard.h>

#include <algorithm>

#include <Zydis/Mnemonic.h>

namespace knc::core {

// FXCH moves no value, so it waits for none.
base::cycle_t scoreboard::x87_start(unsigned t, const isa::insn& i, unsigned top) const {
    if (i.mnemonic == ZYDIS_MNEMONIC_FXCH) return 0;
    return std::max(x87_free_, x87_[t].ready(i.reads, top));
}

void scoreboard::x87_issued(unsigned t, const isa::insn& i, unsigned top, base::cycle_t result) {
    if (i.mnemonic == ZYDIS_MNEMONIC_FXCH) {
        x87_[t].exchange(i.reg, top);
        return;
    }
    x87_[t].write(i.writes, top, result);
    if (i.x87_held) x87_free_ = result;
}

}  // namespace knc::core

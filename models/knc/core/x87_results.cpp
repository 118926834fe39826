#include <knc/core/x87_results.h>

#include <algorithm>
#include <utility>

#include <knc/isa/insn.h>

namespace knc::core {
namespace {

// Calls `visit` with the physical number of each register in a set.
template <class Visit>
void each(std::uint32_t registers, unsigned top, Visit visit) {
    for (std::uint32_t left = registers >> isa::x87_registers_shift; left != 0; left &= left - 1)
        visit((static_cast<unsigned>(__builtin_ctz(left)) + top) & 7);
}

}  // namespace

base::cycle_t x87_results::ready(std::uint32_t registers, unsigned top) const {
    base::cycle_t all = 0;
    each(registers, top, [&](unsigned n) { all = std::max(all, ready_[n]); });
    return all;
}

void x87_results::write(std::uint32_t registers, unsigned top, base::cycle_t ready) {
    each(registers, top, [&](unsigned n) { ready_[n] = ready; });
}

void x87_results::exchange(unsigned n, unsigned top) {
    std::swap(ready_[top], ready_[(top + n) & 7]);
}

}  // namespace knc::core

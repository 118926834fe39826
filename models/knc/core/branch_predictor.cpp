#include <knc/core/branch_predictor.h>

#include <algorithm>

namespace knc::core {

std::uint32_t refill_cycles(const branch_parameters& p, branch_outcome o, bool conditional,
                            bool in_v) {
    if (o == branch_outcome::correct) return 0;
    if (!conditional) return p.unconditional_cycles - 1;
    return (in_v ? p.conditional_cycles_v : p.conditional_cycles_u) - 1;
}

branch_predictor::branch_predictor(const branch_parameters& p)
    : ways_(p.ways),
      sets_(p.entries / p.ways),
      shift_(p.set_shift),
      entries_(p.entries),
      sets_state_(sets_) {}

// Replaces the set's next way, round-robin.
void branch_predictor::enter(std::uint64_t ip, std::uint64_t target) {
    std::uint32_t& next = sets_state_[set_of(ip)].next;
    entries_[set_of(ip) * ways_ + next] = {ip, target, strongly_taken, true};
    next = (next + 1) % ways_;
}

void branch_predictor::reset() {
    std::fill(entries_.begin(), entries_.end(), entry{});
    std::fill(sets_state_.begin(), sets_state_.end(), set_state{});
}

}  // namespace knc::core

#include <knc/core/branch_predictor.h>

#include <algorithm>

namespace knc::core {
namespace {

constexpr std::uint8_t strongly_taken = 3;
constexpr std::uint8_t weakly_taken = 2;

}  // namespace

branch_outcome judge(const prediction& p, bool taken, std::uint64_t target, bool conditional) {
    if (!p.hit) return taken ? branch_outcome::btb_miss_taken : branch_outcome::correct;
    const bool predicted = p.taken || !conditional;
    if (predicted != taken || (taken && p.target != target)) return branch_outcome::mispredicted;
    return branch_outcome::correct;
}

std::uint32_t refill_cycles(const branch_parameters& p, branch_outcome o, bool conditional,
                            bool in_v) {
    if (o == branch_outcome::correct) return 0;
    if (!conditional) return p.unconditional_cycles - 1;
    return (in_v ? p.conditional_clocks_v : p.conditional_clocks_u) - 1;
}

branch_predictor::branch_predictor(const branch_parameters& p)
    : ways_(p.ways),
      sets_(p.entries / p.ways),
      shift_(p.set_shift),
      entries_(p.entries),
      next_(sets_) {}

std::size_t branch_predictor::find(std::uint64_t ip) const {
    const std::size_t first = set_of(ip) * ways_;
    for (std::size_t n = first; n < first + ways_; ++n)
        if (entries_[n].valid && entries_[n].ip == ip) return n;
    return entries_.size();
}

prediction branch_predictor::predict(std::uint64_t ip) const {
    const std::size_t n = find(ip);
    if (n == entries_.size()) return {};
    return {true, entries_[n].counter >= weakly_taken, entries_[n].target};
}

void branch_predictor::resolve(std::uint64_t ip, bool taken, std::uint64_t target) {
    if (const std::size_t n = find(ip); n != entries_.size()) {
        entry& e = entries_[n];
        if (taken) {
            if (e.counter < strongly_taken) ++e.counter;
            e.target = target;
        } else if (e.counter > 0) {
            --e.counter;
        }
        return;
    }
    if (!taken) return;
    std::uint32_t& next = next_[set_of(ip)];
    entries_[set_of(ip) * ways_ + next] = {ip, target, strongly_taken, true};
    next = (next + 1) % ways_;
}

void branch_predictor::reset() {
    std::fill(entries_.begin(), entries_.end(), entry{});
    std::fill(next_.begin(), next_.end(), 0);
}

}  // namespace knc::core

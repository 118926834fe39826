// The branch target buffer (BTB) of one thread.
//
// Models: set-associative entries of branch, target and a 2-bit counter. A taken branch without an
// entry allocates one. Replacement is round-robin. Leaves out: aliasing of branches (an entry has
// the whole address), a return stack (the P54C has none), wrong-path fetches. Source: P54C; Knights
// Corner's own predictor is not documented. Decisions: docs/pipeline.md.
#ifndef KNC_CORE_BRANCH_PREDICTOR_H
#define KNC_CORE_BRANCH_PREDICTOR_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace knc::core {

struct branch_parameters {
    // Entries and ways of a thread's buffer, powers of two. P54C.
    std::uint32_t entries = 256;
    std::uint32_t ways = 4;
    // The lowest address bit of the set index, unverified.
    std::uint32_t set_shift = 2;
    // The total cycles of a one-cycle branch after a wrong prediction (P54C): of an unconditional
    // branch; of a conditional branch that issued in the U pipe or in the V pipe.
    std::uint32_t unconditional_cycles = 3;
    std::uint32_t conditional_cycles_u = 4;
    std::uint32_t conditional_cycles_v = 5;
};

struct prediction {
    bool hit = false;    // the branch has an entry
    bool taken = false;  // false without an entry
    std::uint64_t target = 0;
};

enum class branch_outcome : std::uint8_t {
    correct,
    btb_miss_taken,  // a pipeline flush, but no misprediction
    mispredicted     // wrong direction or target of an entry
};

// The outcome of a prediction. The decoder knows that an unconditional branch is taken, so only its
// target can be wrong.
inline branch_outcome judge(const prediction& p, bool taken, std::uint64_t target,
                            bool conditional) {
    if (!p.hit) return taken ? branch_outcome::btb_miss_taken : branch_outcome::correct;
    const bool predicted = p.taken || !conditional;
    if (predicted != taken || (taken && p.target != target)) return branch_outcome::mispredicted;
    return branch_outcome::correct;
}

// Cycles that the refill of the pipeline adds to the branch's own; `in_v`: the branch issued in the
// V pipe.
std::uint32_t refill_cycles(const branch_parameters&, branch_outcome, bool conditional, bool in_v);

class branch_predictor {
  public:
    explicit branch_predictor(const branch_parameters& = {});

    // `ip` is the linear address of the branch's first byte.
    prediction predict(std::uint64_t ip) const { return prediction_of(find(ip)); }
    // The branch at `ip` was executed; `target` matters if it was taken.
    void resolve(std::uint64_t ip, bool taken, std::uint64_t target) {
        update(const_cast<entry*>(find(ip)), ip, taken, target);
    }
    // Predicts and resolves with one lookup, and returns the outcome.
    branch_outcome execute(std::uint64_t ip, bool taken, std::uint64_t target, bool conditional) {
        auto* const e = const_cast<entry*>(find(ip));
        const branch_outcome o = judge(prediction_of(e), taken, target, conditional);
        update(e, ip, taken, target);
        return o;
    }
    void reset();

  private:
    struct entry {
        std::uint64_t ip = 0, target = 0;
        std::uint8_t counter = 0;  // 2 and 3 predict taken
        bool valid = false;
    };
    static constexpr std::uint8_t weakly_taken = 2, strongly_taken = 3;

    std::size_t set_of(std::uint64_t ip) const { return ip >> shift_ & (sets_ - 1); }
    // nullptr: the branch has no entry. A branch has one entry at most, so the search may begin
    // anywhere: at the entry that was found last in its set.
    const entry* find(std::uint64_t ip) const {
        const std::size_t set = set_of(ip);
        const entry* const first = &entries_[set * ways_];
        const entry* e = first + sets_state_[set].found;
        if (__builtin_expect(e->ip == ip && e->valid, 1)) return e;
        for (e = first; e != first + ways_; ++e) {
            if (e->ip != ip || !e->valid) continue;
            sets_state_[set].found = static_cast<std::uint32_t>(e - first);
            return e;
        }
        return nullptr;
    }
    static prediction prediction_of(const entry* e) {
        if (e == nullptr) return {};
        return {true, e->counter >= weakly_taken, e->target};
    }
    void update(entry* e, std::uint64_t ip, bool taken, std::uint64_t target) {
        if (e == nullptr) {
            if (taken) enter(ip, target);
        } else if (taken) {
            e->counter = std::min<std::uint8_t>(e->counter + 1, strongly_taken);
            e->target = target;
        } else if (e->counter > 0) {
            --e->counter;
        }
    }
    void enter(std::uint64_t ip, std::uint64_t target);

    std::uint32_t ways_, sets_, shift_;
    std::vector<entry> entries_;
    struct set_state {
        std::uint32_t next = 0;   // the way replaced next
        std::uint32_t found = 0;  // the way found last; no business of the guest
    };
    mutable std::vector<set_state> sets_state_;
};

}  // namespace knc::core

#endif

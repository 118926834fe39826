// Branch prediction of a Pentium with MMX: branch target buffer and return stack.
//
// Models: set-associative entries of branch, target, a history of four outcomes and a 2-bit counter
// for each history; a taken branch without an entry allocates one, round-robin. A return that has
// an entry is predicted to the address on top of the return stack, if there is one. Leaves out:
// aliasing of addresses (an entry has the whole address, so it is false only if the code there has
// changed), wrong-path fetches and what they do to the
// return stack. Source: notes on the processor, unverified; docs/p55c.md.
#ifndef KNC_CORE_PENTIUM_BRANCHES_H
#define KNC_CORE_PENTIUM_BRANCHES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/core/branch_predictor.h>

namespace knc::core {

class pentium_branches {
  public:
    enum class kind : std::uint8_t { conditional, jump, call, ret };
    struct branch {
        kind what;
        std::uint64_t ip;      // linear address of its first byte
        bool taken;            // others than conditional ones always are
        std::uint64_t target;  // if it was taken
        std::uint64_t next;    // of a call: the address to which it is to return
    };
    struct outcome {
        bool hit = false;    // it had an entry
        bool wrong = false;  // it was not followed rightly
        bool predicted_taken = false;
        bool stack_short = false;  // a return found no address; a call found no room
    };

    explicit pentium_branches(const branch_parameters& p = {});
    // Predicts and resolves.
    outcome execute(const branch&);
    // The instruction at linear address `ip` is no branch. Whether its entry, which it loses, says
    // that a taken one is there.
    bool false_entry(std::uint64_t ip);
    void reset();

  private:
    static constexpr std::uint8_t histories = 16, taken_from = 2, strongly_taken = 3;
    struct entry {
        std::uint64_t ip = 0, target = 0;
        std::array<std::uint8_t, histories> counters{};
        std::uint8_t history = 0;
        bool valid = false;
    };
    static constexpr std::size_t stack_size = 4;

    std::size_t set_of(std::uint64_t ip) const { return ip >> shift_ & (sets_ - 1); }
    entry* find(std::uint64_t ip);
    void update(entry*, const branch&);

    std::uint32_t ways_, sets_, shift_;
    std::vector<entry> entries_;
    std::vector<std::uint32_t> next_;  // of a set: the way replaced next
    std::array<std::uint64_t, stack_size> stack_{};
    std::size_t top_ = 0, depth_ = 0;  // the place of the next address; how many there are
};

}  // namespace knc::core

#endif

// Pairs and clocks, worked out from the rules of docs/pipeline.md ("Pairing", "Clocks").
//
// Shared with the model: the table of issue rules and the decoder's register sets. What follows
// from them is decided here again.
#ifndef KNC_TESTS_REFERENCE_PAIRING_H
#define KNC_TESTS_REFERENCE_PAIRING_H

#include <knc/core/issue_rules.h>
#include <knc/isa/insn.h>

namespace knc::reference {

// Whether the instruction has one of these properties (isa::insn_flag).
inline bool is(const isa::insn& i, std::uint32_t flags) {
    return (i.flags & flags) != 0;
}

// What an instruction is to the pipelines.
struct pipe_use {
    bool in_u = false, in_v = false;  // when paired
    bool modifies_memory = false;     // reads and writes its memory operand
    bool microcode = false;
    unsigned clocks = 1;     // E stage
    unsigned set_up = 0;     // REP: before the first element
    unsigned latency = 1;    // to an x87 or vector result
    bool holds_x87 = false;  // the x87 unit, until the result is there
};

pipe_use use_of(const isa::insn&);
// Whether `v` issues in the clock of `u`, the one before it.
bool pairs(const isa::insn& u, const isa::insn& v);
unsigned clocks_together(const isa::insn& u, const isa::insn& v);

}  // namespace knc::reference

#endif

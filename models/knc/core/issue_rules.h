// The pairing rules and E-stage cycles of the instructions.
//
// Models: the P54C's pairing rules and cycles where Knights Corner's own are not documented, in one
// table, issue_rules.def. The decoder takes one cycle per prefix; a longer E stage hides these
// cycles. REX and VEX are free, which is a decision; so is
// 0F. A Pentium with MMX (profile p55c) adds the MMX instructions. Leaves out: the P54C's inability
// to pair code on its first fetch, the x87 multiplier's rate of one operation per two cycles,
// cycles that depend on operand values. Source and decisions: docs/pipeline.md.
#ifndef KNC_CORE_ISSUE_RULES_H
#define KNC_CORE_ISSUE_RULES_H

#include <cstddef>
#include <cstdint>
#include <string>

#include <knc/isa/insn.h>

namespace knc::core {

// The pipes in which an instruction may issue as part of a pair: none, U, V, either.
enum class pipe : std::uint8_t { none, u, v, uv };

struct issue_class {
    knc::core::pipe pipe;
    bool read_modify_write;
    std::uint8_t rule;     // line of the table, for issue_rule_at()
    std::uint16_t clocks;  // E-stage occupancy, >= 1; of a REP string instruction: per element
};

// Units of MMX of which the core has one, so that only one of a pair may use it.
enum class mmx_unit : std::uint8_t { none, shifter, multiplier };

// Cycles from the issue of an x87 instruction to that of one that uses its result; 0: equal to the
// occupancy. `unit_held`: no other x87 instruction of the core starts before that.
struct x87_latency {
    constexpr x87_latency(std::uint8_t n, bool held = false, mmx_unit u = mmx_unit::none)
        : clocks(n), unit_held(held), unit(u) {}
    std::uint8_t clocks;
    bool unit_held;
    mmx_unit unit;
};

// One line of the table.
struct issue_rule {
    const char* mnemonics;  // lower case, separated by blanks; "": all others
    const char* form;       // distinguishes lines with the same mnemonics, or ""
    knc::core::pipe pipe;
    std::uint16_t clocks;             // register operands, or a store
    std::uint16_t read;               // memory source; 0: as `clocks`
    std::uint16_t read_modify_write;  // memory destination that is read; 0: as `read`
    std::uint16_t set_up;             // REP: clocks before the first element
    bool microcode;
    x87_latency latency;
    const char* source;
};

std::size_t issue_rules();
const issue_rule& issue_rule_at(std::size_t line);

// Where a prefix takes its cycle: in the decoder, which an instruction's E stage hides; or in a
// stage before it, which knc/core/instruction_fifo.h models.
enum class prefix_cost : std::uint8_t { decoder, earlier };

// A static property of the instruction; isa::insn stores it.
issue_class classify(const isa::insn&, prefix_cost = prefix_cost::decoder);

// Adds to the decoded instruction what the pipelines use: its class, and what its rule says.
void set_issue_properties(isa::insn&, prefix_cost = prefix_cost::decoder);

// Whether `v`, the next instruction, issues in the cycle of `u`.
bool may_pair(const isa::insn& u, const issue_class&, const isa::insn& v, const issue_class&);

// E-stage occupancy of a pair, in cycles. Both instructions advance together.
unsigned pair_cycles(const issue_class& u, const issue_class& v);

// The table as Markdown.
std::string issue_rules_page();

}  // namespace knc::core

#endif

// Which instructions issue together, and for how long they hold the E stage.
//
// Models: the P54C's pairing rules and clocks as far as nothing is known of Knights Corner's own:
// one table, issue_rules.def. A prefix is decoded in a clock of its own, behind which a longer E
// stage hides; REX and VEX are free, which is a decision. Leaves out: that the P54C cannot pair
// code it fetches for the first time, that its x87 multiplier takes an operation in two clocks
// only, clocks that depend on operand values. Source and decisions: docs/pipeline.md.
#ifndef KNC_CORE_ISSUE_RULES_H
#define KNC_CORE_ISSUE_RULES_H

#include <cstddef>
#include <cstdint>
#include <string>

#include <knc/isa/insn.h>

namespace knc::core {

// Where an instruction may issue when paired: alone only, as the first, as the second, as either.
enum class pipe : std::uint8_t { none, u, v, uv };

struct issue_class {
    knc::core::pipe pipe;
    bool read_modify_write;
    std::uint8_t rule;     // line of the table, for issue_rule_at()
    std::uint16_t clocks;  // E-stage occupancy, >= 1; of a REP string instruction: per element
};

// Clocks from the issue of an x87 instruction to that of one that uses its result; 0: as the
// occupancy. `unit_held`: no other x87 instruction of the core starts before that.
struct x87_latency {
    constexpr x87_latency(std::uint8_t n, bool held = false) : clocks(n), unit_held(held) {}
    std::uint8_t clocks;
    bool unit_held;
};

// One line of the table.
struct issue_rule {
    const char* mnemonics;  // lower case, separated by blanks; "": everything else
    const char* form;       // what tells it from other lines of its mnemonics, or ""
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

// A static property of the instruction; made to be kept with it.
issue_class classify(const isa::insn&);

// Whether `v`, the next instruction, issues in the clock of `u`.
bool may_pair(const isa::insn& u, const issue_class&, const isa::insn& v, const issue_class&);

// E-stage occupancy of a pair, in clocks. Both advance together.
unsigned pair_cycles(const issue_class& u, const issue_class& v);

// The table as Markdown.
std::string issue_rules_page();

}  // namespace knc::core

#endif

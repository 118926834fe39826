#include "pairing.h"

#include <algorithm>

#include <Zydis/Mnemonic.h>

#include <knc/isa/state.h>

namespace knc::reference {
namespace {

bool moves_stack_pointer(const isa::insn& i) {
    return i.mnemonic == ZYDIS_MNEMONIC_PUSH || i.mnemonic == ZYDIS_MNEMONIC_POP ||
           i.mnemonic == ZYDIS_MNEMONIC_CALL;
}

bool names(isa::register_set registers, unsigned number) {
    return (registers >> number & 1) != 0;
}

}  // namespace

pipe_use use_of(const isa::insn& i) {
    const core::issue_rule& rule = core::issue_rule_at(core::classify(i).rule);
    pipe_use p;
    p.in_u = rule.pipe == core::pipe::u || rule.pipe == core::pipe::uv;
    p.in_v = rule.pipe == core::pipe::v || rule.pipe == core::pipe::uv;
    p.microcode = rule.microcode;
    p.set_up = rule.set_up;
    p.clocks = rule.clocks;
    if (is(i, isa::insn_reads)) {
        if (rule.read != 0) p.clocks = rule.read;
        if (is(i, isa::insn_writes) && rule.read_modify_write != 0) {
            p.clocks = rule.read_modify_write;
            p.modifies_memory = true;
        }
    }
    // A clock for each prefix and one for the opcode. REP is decoded in the set-up.
    if (p.set_up == 0) p.clocks = std::max(p.clocks, 1u + i.prefixes);
    if (i.prefixes > 0) p.in_v = false;
    if (i.displacement && i.immediate) p.in_u = p.in_v = false;
    p.latency = rule.latency.clocks != 0 ? rule.latency.clocks : p.clocks;
    p.holds_x87 = rule.latency.unit_held;
    return p;
}

bool pairs(const isa::insn& u, const isa::insn& v) {
    // 1. classes, 3. prefixes, displacement with immediate
    if (!use_of(u).in_u || !use_of(v).in_v) return false;
    // 2. registers
    for (unsigned n = 0; n < 16; ++n) {
        const bool implied = n == isa::rsp;
        const bool u_writes = names(u.writes, n);
        const bool v_uses = names(v.reads, n) || names(v.writes, n) || names(v.address, n);
        if (u_writes && v_uses) return false;
        if (u_writes && implied && moves_stack_pointer(v)) return false;
        if (v_uses && implied && moves_stack_pointer(u)) return false;
    }
    // 5. vector and mask registers
    const bool vectors = is(u, isa::insn_vector) && is(v, isa::insn_vector);
    for (unsigned n = isa::mask_registers_shift; vectors && n < 64; ++n)
        if (names(u.writes, n) && (names(v.reads, n) || names(v.writes, n))) return false;
    // 4. x87
    if (is(u, isa::insn_x87) != is(v, isa::insn_x87)) return false;
    return !is(v, isa::insn_x87) || v.mnemonic == ZYDIS_MNEMONIC_FXCH;
}

unsigned clocks_together(const isa::insn& u, const isa::insn& v) {
    const pipe_use a = use_of(u), b = use_of(v);
    if (a.modifies_memory && b.modifies_memory) return a.clocks + b.clocks - 1;
    return std::max(a.clocks, b.clocks);
}

}  // namespace knc::reference

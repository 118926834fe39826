// What an issue waits for: address generation, results of x87 and vector instructions.

#include <algorithm>
#include <utility>

#include <Zydis/Mnemonic.h>

#include <knc/isa/vector_insn.h>

#include "machine.h"
#include "pairing.h"

namespace knc::reference {
// Address generation needs what the issue before has written: the slot stays empty.
bool machine::interlocked(thread& t, const isa::insn& u, const isa::insn* v) {
    const bool by_u = (u.address & t.written) != 0;
    const bool by_v = v != nullptr && (v->address & t.written) != 0;
    if (!by_u && !by_v) return false;
    t.counts()[base::pipeline_agi_stalls] += by_u + by_v;
    t.written = 0;
    lose_slot(t, p_.core.agi_cycles, "AGI");
    return true;
}

// This clock passes without an issue, and the thread waits until `clocks` have passed.
void machine::lose_slot(thread& t, base::cycle_t clocks, const char* why) {
    remember(t, why);
    t.stalled = true;
    if (clocks > 1) t.ahead.push_back({activity::waiting, clocks - 1});
}

// The registers it reads have no value yet, or the unit is busy. FXCH moves no value.
bool machine::lacks_x87_value(thread& t, const isa::insn& u) {
    if (!is(u, isa::insn_x87) || u.mnemonic == ZYDIS_MNEMONIC_FXCH) return false;
    base::cycle_t start = x87_free_;
    for (unsigned n = 0; n < t.x87_ready.size(); ++n)
        if ((u.reads >> isa::x87_registers_shift >> n & 1) != 0)
            start = std::max(start, t.x87_ready[t.c.s.x87.index(n)]);
    if (start <= now_) return false;
    lose_slot(t, start - now_, "x87");
    return true;
}

// When what it has written is there: `top` is that before the instruction. What the issue waits for
// memory comes on top. FXCH exchanges values, and with them what they wait for.
void machine::write_x87(thread& t, const isa::insn& i, unsigned top) {
    if (!is(i, isa::insn_x87)) return;
    if (i.mnemonic == ZYDIS_MNEMONIC_FXCH) {
        std::swap(t.x87_ready[top], t.x87_ready[(top + i.reg) % 8]);
        return;
    }
    const pipe_use use = use_of(i);
    const base::cycle_t uncached = base::cycle_t{p_.core.uncached_cycles} * t.c.uncached;
    const base::cycle_t result = now_ + t.waits + uncached + use.latency;
    for (unsigned n = 0; n < t.x87_ready.size(); ++n)
        if ((i.writes >> isa::x87_registers_shift >> n & 1) != 0)
            t.x87_ready[(top + n) % 8] = result;
    if (use.holds_x87) x87_free_ = result;
}

// Registers that are needed vector_convert_cycles before others: what a store writes, a swizzled
// register, the source of a conversion between types.
isa::register_set converted(const isa::insn& i) {
    const isa::vector_fields f = isa::vector_fields::of(i);
    const auto bit = [](unsigned n) { return isa::vector_register_bit(n); };
    if (is(i, isa::insn_writes)) return bit(i.reg);
    if (is(i, isa::insn_reads)) return 0;
    const bool swizzled = f.function != 0 && !f.static_rounding;
    return swizzled || i.mnemonic == ZYDIS_MNEMONIC_VCVTPS2PD ? bit(i.rm) : 0;
}

// A vector or mask register that `u` or its partner reads has no value yet, or an earlier result to
// a register that one of them writes would come last.
bool machine::lacks_vector_value(thread& t, const isa::insn& u, const isa::insn* v) {
    base::cycle_t start = 0, addresses = 0;
    for (const isa::insn* i : {&u, v}) {
        if (i == nullptr || !is(*i, isa::insn_vector)) continue;
        const isa::register_set all = isa::vector_registers | isa::mask_registers;
        const isa::register_set writes = i->writes & all;
        isa::register_set reads = i->reads & all;
        const bool masked = isa::vector_fields::of(*i).mask != 0;
        if (masked) reads |= writes & isa::vector_registers;
        const isa::register_set sparse = is(*i, isa::insn_sparse) ? isa::sparse_sources(*i) : 0;
        const base::cycle_t latency = use_of(*i).latency;
        for (unsigned n = 0; n < 64; ++n) {
            const base::cycle_t ready = t.vector_ready[n];
            const isa::register_set bit = isa::register_set{1} << n;
            if ((reads & bit) != 0) {
                const bool early = (converted(*i) & bit) != 0;
                start = std::max(start, ready + (early ? p_.core.vector_convert_cycles : 0));
            }
            if ((sparse & bit) != 0) addresses = std::max(addresses, ready + p_.core.agi_cycles);
            if ((writes & bit) != 0 && ready >= latency) start = std::max(start, ready - latency);
        }
    }
    const bool for_addresses = addresses >= start;
    start = std::max(start, addresses);
    if (start <= now_) return false;
    ++t.counts()[for_addresses ? base::pipeline_sg_agi_stalls : base::vpu_stall_reg];
    lose_slot(t, start - now_, "vector");
    return true;
}

void machine::write_vector(thread& t, const isa::insn& i) {
    if (!is(i, isa::insn_vector)) return;
    const base::cycle_t uncached = base::cycle_t{p_.core.uncached_cycles} * t.c.uncached;
    for (unsigned n = 0; n < 64; ++n)
        if (((i.writes & (isa::vector_registers | isa::mask_registers)) >> n & 1) != 0)
            t.vector_ready[n] = now_ + t.waits + uncached + use_of(i).latency;
}

bool machine::begin_late(thread& t, const isa::insn& i) {
    if (!is(i, isa::insn_at_completion)) return false;
    unsigned clocks = use_of(i).clocks;
    const unsigned prefixes = 1u + i.prefixes;
    if (i.mnemonic == ZYDIS_MNEMONIC_RDTSC) clocks = std::max(p_.core.rdtsc_cycles, prefixes);
    if (i.mnemonic == ZYDIS_MNEMONIC_RDPMC) clocks = std::max(p_.core.rdpmc_cycles, prefixes);
    if (i.mnemonic == ZYDIS_MNEMONIC_SPFLT) clocks = std::max(p_.core.spflt_cycles, prefixes);
    t.executing = t.microcode = true;
    t.ahead.push_back({activity::microcode, std::max(clocks, 2u) - 1});
    t.late = i;
    return true;
}

}  // namespace knc::reference
